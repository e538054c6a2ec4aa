import { describe, expect, it } from "vitest";
import type { CatalogEntry } from "../../../src/domain/catalog/catalog";
import { Resolver, resolveDependencies } from "../../../src/domain/catalog/dependencies";
import { DEPENDENCY_LIMITS } from "../../../src/domain/limits";
import { satisfiesRange } from "../../../src/domain/reference";

/** Versions by name, newest last; that one is current. */
type World = Record<string, { version: string | null; needs?: string[] }[]>;

const entry = (name: string, { version, needs = [] }: World[string][0]): CatalogEntry => ({
  name,
  skill_id: name,
  version_id: `${name}@${version}`,
  version,
  scope: "public",
  description: "",
  line_tokens: 1,
  tokens: 1,
  bytes: 1,
  has_capabilities: false,
  user_only: false,
  rank: null,
  needs,
});

const current = (world: World, name: string) => entry(name, world[name]!.at(-1)!);
const finder = (world: World) => async (name: string, ranges: readonly string[]) => {
  const versions = world[name]?.toReversed() ?? [];
  const good = versions.find(({ version }) => ranges.every((range) => satisfiesRange(version, range)));
  return good === undefined ? null : entry(name, good);
};
const told = (entries: CatalogEntry[]) => entries.map((one) => one.version_id).join(" ");

/** `a@1 b@2 …`, or the first problem. */
async function resolve(world: World, ...roots: string[]): Promise<string> {
  const resolver = new Resolver(finder(world));
  for (const name of roots) {
    const found = await resolver.add(current(world, name));
    if (found !== null) return found.problem;
  }
  return told(resolver.entries());
}

const v1 = { version: "1.0.0" };
const v2 = { version: "2.0.0" };

describe("resolveDependencies", () => {
  it.each<[string, World, string[], string]>([
    ["none", { a: [v1] }, ["a"], "a@1.0.0"],
    [
      "a chain, deepest first",
      { a: [{ ...v1, needs: ["b"] }], b: [{ ...v1, needs: ["c"] }], c: [v1] },
      ["a"],
      "c@1.0.0 b@1.0.0 a@1.0.0",
    ],
    [
      "a diamond once",
      { a: [{ ...v1, needs: ["b", "c"] }], b: [{ ...v1, needs: ["d"] }], c: [{ ...v1, needs: ["d"] }], d: [v1] },
      ["a"],
      "d@1.0.0 b@1.0.0 c@1.0.0 a@1.0.0",
    ],
    ["the current version without a range", { a: [{ ...v1, needs: ["b"] }], b: [v1, v2] }, ["a"], "b@2.0.0 a@1.0.0"],
    ["an older one for a range", { a: [{ ...v1, needs: ["b@^1"] }], b: [v1, v2] }, ["a"], "b@1.0.0 a@1.0.0"],
    [
      "an earlier choice narrowed by a later dependant",
      { a: [{ ...v1, needs: ["b", "c"] }], b: [{ ...v1, needs: ["d"] }], c: [{ ...v1, needs: ["d@^1"] }], d: [v1, v2] },
      ["a"],
      "d@1.0.0 b@1.0.0 c@1.0.0 a@1.0.0",
    ],
    [
      "what the narrowed version needs, not the one first thought of",
      { a: [{ ...v1, needs: ["d", "c"] }], c: [{ ...v1, needs: ["d@^1"] }], d: [{ ...v1, needs: ["e"] }, v2], e: [v1] },
      ["a"],
      "e@1.0.0 d@1.0.0 c@1.0.0 a@1.0.0",
    ],
    [
      "several roots together, one narrowed by another",
      { d: [v1, v2], a: [{ ...v1, needs: ["d@^1"] }] },
      ["d", "a"],
      "d@1.0.0 a@1.0.0",
    ],
    [
      "a version that makes no circle where another one would",
      { a: [{ ...v1, needs: ["d", "c"] }], c: [{ ...v1, needs: ["d@^1"] }], d: [v1, { ...v2, needs: ["a"] }] },
      ["a"],
      "d@1.0.0 c@1.0.0 a@1.0.0",
    ],
    [
      "a reference that cannot be read as none",
      { a: [{ ...v1, needs: ["b@not a range", "", "@1"] }] },
      ["a"],
      "a@1.0.0",
    ],
    ["no label for * alone", { a: [{ ...v1, needs: ["b@*"] }], b: [{ version: null }] }, ["a"], "b@null a@1.0.0"],
  ])("takes %s", async (_, world, roots, expected) => {
    expect(await resolve(world, ...roots)).toBe(expected);
  });

  it.each<[string, World, string[], string]>([
    ["itself once", { a: [{ ...v1, needs: ["a"] }] }, ["a"], "a@1.0.0"],
    [
      "each of a circle once",
      { a: [{ ...v1, needs: ["b"] }], b: [{ ...v1, needs: ["c"] }], c: [{ ...v1, needs: ["b"] }] },
      ["a"],
      "c@1.0.0 b@1.0.0 a@1.0.0",
    ],
  ])("takes %s", async (_, world, roots, expected) => {
    expect(await resolve(world, ...roots)).toBe(expected);
  });

  it("refuses ranges that no version meets together", async () => {
    const world: World = {
      a: [{ ...v1, needs: ["b", "c"] }],
      b: [{ ...v1, needs: ["d@^1"] }],
      c: [{ ...v1, needs: ["d@^2"] }],
      d: [v1, v2],
    };
    expect(await resolve(world, "a")).toBe(
      "Skill 'a' cannot be loaded: 'c' needs 'd@^1 and ^2', which is not available.",
    );
  });
});

describe("a missing dependency", () => {
  /** Returns the loaded skills, and the missing dependencies of each. */
  async function without(world: World, root: string): Promise<[string, Record<string, string[]>]> {
    const found = await resolveDependencies(current(world, root), finder(world));
    if ("problem" in found) throw new Error(found.problem);
    const unmet = found.unmet.map(({ by, needs }) => [by, needs.map(({ text }) => text)]);
    return [told(found.entries), Object.fromEntries(unmet)];
  }
  const others: World = { torch: [v1], transformers: [v1], helper: [v1, v2] };

  it.each<[string, string[], string, string[]]>([
    ["a missing skill is gone without", ["nowhere"], "", ["nowhere"]],
    ["a version that is nowhere is gone without", ["helper@>=3"], "", ["helper@>=3"]],
    ["a package is no skill", ["torch>=2.0"], "", ["torch>=2.0"]],
    ["a package with extras is no skill", ["transformers[torch]"], "", ["transformers[torch]"]],
    ["a name beside packages is one, too", ["torch>=2.0", "transformers"], "", ["torch>=2.0", "transformers"]],
    ["a name beside one that is no skill is one, too", ["transformers", "numpy"], "", ["transformers", "numpy"]],
    ["a name beside the skill's own is one, too", ["vllm", "transformers"], "", ["vllm", "transformers"]],
    ["the skill's own name is told in its other spelling, too", ["VLLM", "torch"], "", ["VLLM", "torch"]],
    ["what has a range is a skill all the same", ["torch", "numpy", "helper@^1"], "helper@1.0.0 ", ["torch", "numpy"]],
    ["names that are all skills are loaded", ["torch", "transformers"], "torch@1.0.0 transformers@1.0.0 ", []],
  ])("%s", async (_, needs, loaded, unmet) => {
    const world: World = { ...others, vllm: [{ ...v1, needs }] };
    const expected = unmet.length === 0 ? {} : { vllm: unmet };
    expect(await without(world, "vllm")).toEqual([`${loaded}vllm@1.0.0`, expected]);
  });

  it("is reported for each skill with missing dependencies", async () => {
    const world: World = { a: [{ ...v1, needs: ["b", "c@^1"] }], b: [{ ...v1, needs: ["gone"] }] };
    expect(await without(world, "a")).toEqual(["b@1.0.0 a@1.0.0", { b: ["gone"], a: ["c@^1"] }]);
  });

  it("is not a dependency of the loaded skill", async () => {
    const world: World = { a: [{ ...v1, needs: ["torch", "gone"] }], torch: [v1] };
    const resolver = new Resolver(finder(world));
    for (const name of ["a", "torch"]) expect(await resolver.add(current(world, name))).toBeNull();
    expect(resolver.entries().map((one) => [one.name, one.needs])).toEqual([
      ["a", []],
      ["torch", []],
    ]);
  });
});

describe("an unresolvable dependency", () => {
  it("leaves earlier results unchanged", async () => {
    const world: World = {
      a: [{ ...v1, needs: ["d"] }],
      d: [v1, v2],
      b: [{ ...v1, needs: ["e@^1", "d@^1", "c"] }],
      c: [{ ...v1, needs: ["d@^2"] }],
      e: [v1, v2],
    };
    const resolver = new Resolver(finder(world));
    expect(await resolver.add(current(world, "a"))).toBeNull();
    expect(await resolver.add(current(world, "b"))).toMatchObject({
      problem: expect.stringContaining("'d@* and ^1 and ^2'"),
    });
    expect(told(resolver.entries())).toBe("d@2.0.0 a@1.0.0");
    expect(await resolver.add(current(world, "c"))).toBeNull();
    expect(told(resolver.entries())).toBe("d@2.0.0 a@1.0.0 c@1.0.0");
    resolver.takeBack();
    expect(told(resolver.entries())).toBe("d@2.0.0 a@1.0.0");
  });
});

describe("a resolution", () => {
  /** `top` needs two skills, both of which need two, and so on. */
  const layered = (layers: number): World => {
    const layer = (n: number) => (n < layers ? [`l${n}a`, `l${n}b`] : []);
    const all = Array.from({ length: layers }, (_, n) =>
      layer(n).map((name) => [name, [{ ...v1, needs: layer(n + 1) }]]),
    );
    return { top: [{ ...v1, needs: layer(0) }], ...Object.fromEntries(all.flat()) };
  };

  /** Resolves `top` and counts how often each skill is looked up and how often its dependencies are read. */
  async function counted(world: World) {
    const looked: string[] = [];
    const read: string[] = [];
    const watched = (one: CatalogEntry): CatalogEntry => ({
      ...one,
      needs: new Proxy(one.needs, {
        get(needs, key, self) {
          if (key === "map") read.push(one.name);
          return Reflect.get(needs, key, self);
        },
      }),
    });
    const find = async (name: string, ranges: readonly string[]) => {
      looked.push(name);
      const found = await finder(world)(name, ranges);
      return found === null ? null : watched(found);
    };
    const answer = await resolveDependencies(watched(current(world, "top")), find);
    return { answer, looked, read };
  }

  it("looks up each skill once and its dependencies once, on any number of paths", async () => {
    const { answer, looked, read } = await counted(layered(20));
    expect("entries" in answer && answer.entries).toHaveLength(41);
    expect([looked.length, new Set(looked).size]).toEqual([40, 40]);
    expect([read.length, new Set(read).size]).toEqual([41, 41]);
  });

  it("of too many skills stops at the limit with a problem", async () => {
    const { answer, looked } = await counted(layered(200));
    expect(answer).toMatchObject({
      code: "TOO_MANY_DEPENDENCIES",
      problem: expect.stringMatching(/^Skill 'top' cannot be loaded: .* more than 128 skills/),
    });
    expect(looked.length).toBeLessThanOrEqual(DEPENDENCY_LIMITS.skills + 1);
  });

  it("accepts exactly the limit", async () => {
    const row = (count: number) => Array.from({ length: count }, (_, n) => `n${n}`);
    const flat = (count: number): World => ({
      top: [{ ...v1, needs: row(count) }],
      ...Object.fromEntries(row(count).map((name) => [name, [v1]])),
    });
    expect("entries" in (await counted(flat(DEPENDENCY_LIMITS.skills))).answer).toBe(true);
    expect((await counted(flat(DEPENDENCY_LIMITS.skills + 1))).answer).toMatchObject({ code: "TOO_MANY_DEPENDENCIES" });
  });

  it("of few skills that all name each other ends at the limit too", async () => {
    const names = Array.from({ length: 60 }, (_, n) => `n${n}`);
    const world: World = {
      top: [{ ...v1, needs: names }],
      ...Object.fromEntries(names.map((name, n) => [name, [{ ...v1, needs: names.slice(n + 1) }]])),
    };
    expect((await counted(world)).answer).toMatchObject({ code: "TOO_MANY_DEPENDENCIES" });
  });
});
