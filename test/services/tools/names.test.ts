// Names of tools: unique, valid for models' APIs, and kept as long as the skill or server.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ToolMemory } from "../../../src/domain/conversation/offered";
import { nameGroups, nameIn, type ToolGroup } from "../../../src/services/tools/names";

const EMPTY: ToolMemory = { versions: {}, names: {}, known: {} };

const group = (key: string, order: number, ...own: string[]): ToolGroup => ({
  key,
  skill: key.startsWith("/") ? "" : key,
  order,
  tools: own.map((name) => ({ id: name, own: name })),
});

describe("nameGroups", () => {
  it("gives the earlier its own name, and one that no skill brought no skill's", async () => {
    const { names, known } = await nameGroups(EMPTY, [
      group("/s", 0, "s__t"),
      group("alpha", 1, "s__t"),
      group("/s__", 0, "s__t"),
    ]);
    expect(nameIn(names, "/s", "s__t")).toBe("s__t");
    expect(nameIn(names, "alpha", "s__t")).toBe("alpha__s__t");
    expect(nameIn(names, "/s__", "s__t")).toMatch(/^s__t_[0-9a-f]{6}$/);
    expect(known.s__t).toEqual({ skill: "", tool: "s__t" });
  });

  it("gives a bare name where it is free, else the prefixed one, or none where there must be no prefix", async () => {
    const of = (server: string, bareOnly: boolean): ToolGroup => ({
      ...{ key: `/${server}`, skill: "", order: 0 },
      tools: [{ id: server, own: `${server}__search`, bare: "search", bareOnly }],
    });
    const first = await nameGroups(EMPTY, [of("a", true), of("b", false), of("c", true)]);
    expect([nameIn(first.names, "/a", "a"), nameIn(first.names, "/b", "b")]).toEqual(["search", "b__search"]);
    expect(nameIn(first.names, "/c", "c")).toBeNull();
    // A tool keeps its name; a tool without one gets it when it is free.
    const store = { ...EMPTY, ...first };
    const swapped = await nameGroups(store, [of("c", true), of("a", true)]);
    expect([nameIn(swapped.names, "/a", "a"), nameIn(swapped.names, "/c", "c")]).toEqual(["search", null]);
    const alone = await nameGroups({ ...EMPTY, ...swapped }, [of("c", true)]);
    expect(nameIn(alone.names, "/c", "c")).toBe("search");
  });

  it("gives no server a name of the gateway's own tools", async () => {
    const tools = ["load_skill", "call_skill_tool"].map((bare) => ({
      id: bare,
      own: `s__${bare}`,
      bare,
      bareOnly: true,
    }));
    const { names } = await nameGroups(EMPTY, [{ key: "/s", skill: "", order: 0, tools }]);
    expect(names["/s"]?.tools).toEqual({});
  });

  it("keeps a name while its group is active, and assigns it again to a later activation", async () => {
    const first = await nameGroups(EMPTY, [group("alpha", 1, "x"), group("beta", 2, "x")]);
    const store = { ...EMPTY, ...first };
    const alone = await nameGroups(store, [group("beta", 2, "x")]);
    expect(nameIn(alone.names, "beta", "x")).toBe("beta__x");
    const again = await nameGroups({ ...EMPTY, ...alone }, [group("beta", 7, "x")]);
    expect(nameIn(again.names, "beta", "x")).toBe("x");
    // A name that is not listed now still belongs to its group.
    const silent = await nameGroups(store, [group("alpha", 1), group("gamma", 3, "x")]);
    expect(nameIn(silent.names, "gamma", "x")).toBe("gamma__x");
  });

  it("never gives one name twice, whatever comes and goes", async () => {
    const tool = fc.oneof(
      fc.constantFrom("a", "a__b", "constructor", "__proto__", "load_skill"),
      fc.string({ maxLength: 80 }),
    );
    const groups = fc.uniqueArray(
      fc.record({
        key: fc.constantFrom("one", "two", "/one", "/two"),
        order: fc.nat(2),
        own: fc.uniqueArray(tool, { maxLength: 5 }),
      }),
      { selector: ({ key }) => key, maxLength: 4 },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(groups, { maxLength: 5 }), async (turns) => {
        let store = EMPTY;
        for (const turn of turns) {
          const mine = turn.map(({ key, order, own }) => {
            const { tools, ...rest } = group(key, order, ...own);
            return { ...rest, tools: tools.map((each) => ({ ...each, id: JSON.stringify(each.own) })) };
          });
          const before = store.names;
          store = { ...store, ...(await nameGroups(store, mine)) };
          const given = mine.flatMap(({ key, tools }) => tools.map(({ id }) => nameIn(store.names, key, id)));
          expect(new Set(given).size).toBe(given.length);
          for (const name of given) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
          expect(given).not.toContain("load_skill");
          for (const { key, order, tools } of mine)
            if (before[key]?.order === order)
              for (const { id } of tools)
                if (Object.hasOwn(before[key].tools, id))
                  expect(nameIn(store.names, key, id)).toBe(before[key].tools[id]);
        }
      }),
      { numRuns: 60 },
    );
  });
});
