import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nameTools } from "../../../src/domain/tools/names";

const PLAIN = /^[a-zA-Z0-9_-]{1,64}$/;

describe("names of tools", () => {
  it.each([
    [[["a", "render"]], [], ["render"]],
    [[["a", "do.it/now ü"]], [], ["do_it_now__"]],
    [[["a", ""]], [], ["_"]],
    [
      [
        ["a", "same"],
        ["b", "same"],
        ["b", "server__same"],
      ],
      [],
      ["same", "b__same", "server__same"],
    ],
    [[["a", "load_skill"]], ["load_skill"], ["a__load_skill"]],
    [
      [
        ["a", "x.y"],
        ["a", "x_y"],
      ],
      [],
      ["a__x_y", "x_y"],
    ],
  ])("%j beside %j", async (tools, taken, names) => {
    const asked = tools.map(([skill, own]) => ({ skill: skill!, own: own! }));
    expect(await nameTools(asked, new Set(taken))).toEqual(names);
  });

  it("that are too long, or clash twice, end in a digest", async () => {
    const long = "x".repeat(65);
    const names = await nameTools(
      [
        { skill: "a", own: long },
        { skill: "b", own: long },
        { skill: "a", own: "same" },
      ],
      new Set(["same", "a__same"]),
    );
    expect(names).toEqual([
      expect.stringMatching(/^x{57}_[0-9a-f]{6}$/),
      expect.stringMatching(/^x{57}_[0-9a-f]{6}$/),
      expect.stringMatching(/^same_[0-9a-f]{6}$/),
    ]);
    expect(new Set(names).size).toBe(3);
  });

  it("are always plain, unique, none of those taken, and the same for the same question", async () => {
    const text = fc.oneof(fc.string(), fc.constantFrom("same", "other", "x".repeat(64), "x".repeat(70)));
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ skill: fc.constantFrom("a", "b", "数据"), own: text }), { maxLength: 12 }),
        fc.array(text),
        async (tools, taken) => {
          const names = await nameTools(tools, new Set(taken));
          expect(names.length).toBe(tools.length);
          expect(new Set([...names, ...taken]).size).toBe(names.length + new Set(taken).size);
          for (const name of names) expect(name).toMatch(PLAIN);
          expect(await nameTools(tools, new Set(taken))).toEqual(names);
        },
      ),
      { numRuns: 200 },
    );
  });
});
