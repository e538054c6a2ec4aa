import { describe, expect, it } from "vitest";
import type { CatalogEntry } from "../../src/domain/catalog";
import { resolveDependencies } from "../../src/domain/dependencies";
import { satisfiesRange } from "../../src/domain/reference";

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
  has_capabilities: false,
  needs,
});

/** `a@1 b@2 …`, or the problem. */
async function resolve(world: World, ...roots: string[]): Promise<string> {
  const find = async (name: string, ranges: readonly string[]) => {
    const versions = world[name]?.toReversed() ?? [];
    const good = versions.find(({ version }) => ranges.every((range) => satisfiesRange(version, range)));
    return good === undefined ? null : entry(name, good);
  };
  const found = await resolveDependencies(
    roots.map((name) => entry(name, world[name]!.at(-1)!)),
    find,
  );
  return "problem" in found ? found.problem : found.entries.map((one) => one.version_id).join(" ");
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
    [
      "a missing one",
      { a: [{ ...v1, needs: ["b"] }] },
      ["a"],
      "Skill 'a' cannot be loaded: 'a' needs 'b@*', which is not available.",
    ],
    [
      "a missing one of a dependency",
      { a: [{ ...v1, needs: ["b"] }], b: [{ ...v1, needs: ["c@>=3"] }], c: [v1] },
      ["a"],
      "Skill 'a' cannot be loaded: 'b' needs 'c@>=3', which is not available.",
    ],
    [
      "ranges that no version meets together",
      {
        a: [{ ...v1, needs: ["b", "c"] }],
        b: [{ ...v1, needs: ["d@^1"] }],
        c: [{ ...v1, needs: ["d@^2"] }],
        d: [v1, v2],
      },
      ["a"],
      "Skill 'a' cannot be loaded: 'c' needs 'd@^1 and ^2', which is not available.",
    ],
    [
      "a skill that needs itself",
      { a: [{ ...v1, needs: ["a"] }] },
      ["a"],
      "Skill 'a' cannot be loaded: its dependencies form a cycle (a -> a).",
    ],
    [
      "a circle further in, by its own path",
      { a: [{ ...v1, needs: ["b"] }], b: [{ ...v1, needs: ["c"] }], c: [{ ...v1, needs: ["b"] }] },
      ["a"],
      "Skill 'a' cannot be loaded: its dependencies form a cycle (b -> c -> b).",
    ],
    [
      "a version without a label for a range",
      { a: [{ ...v1, needs: ["b@>=0"] }], b: [{ version: null }] },
      ["a"],
      "Skill 'a' cannot be loaded: 'a' needs 'b@>=0', which is not available.",
    ],
  ])("refuses %s", async (_, world, roots, expected) => {
    expect(await resolve(world, ...roots)).toBe(expected);
  });
});
