// On this machine the gateway ends isolates itself: which stay, which end, and that running scripts are not affected.

import { describe, expect, it } from "vitest";
import { providerSkill } from "../support/provider";
import { callOne, runOne } from "../support/run-code";

const SKILL = providerSkill("kept", {
  count: "globalThis.n = (globalThis.n ?? 0) + 1; return globalThis.n",
  slow: "globalThis.n = 'slow'; for (let at = 0; at < 40; at++) await new Promise((go) => setTimeout(go, 100)); return globalThis.n",
});
const wordsOf = async (tool: string, userId: string) =>
  String((await callOne(SKILL, tool, { userId })).content[0]?.text);
const visit = async (users: readonly string[]) => {
  for (const user of users) await wordsOf("count", user);
};
const users = (about: string, count: number) => Array.from({ length: count }, (_, n) => `${about}${n}`);

describe("isolates on this machine", () => {
  it("are 24 of JavaScript, and the one that was used least lately goes", async () => {
    expect(await wordsOf("count", "first")).toBe("1");
    expect(await wordsOf("count", "second")).toBe("1");
    await visit(users("a", 22));
    expect([await wordsOf("count", "first"), await wordsOf("count", "second")]).toEqual(["2", "2"]);
    await visit([...users("b", 22), "first", "b22"]);
    expect([await wordsOf("count", "first"), await wordsOf("count", "second")]).toEqual(["4", "1"]);
  });

  it("are not ended while a call is in them", { tags: ["slow"] }, async () => {
    const slow = wordsOf("slow", "worker");
    await visit(users("c", 30));
    expect(await slow).toBe("slow");
  });

  it("are 4 of Python", { timeout: 60_000, tags: ["slow"] }, async () => {
    const skill = {
      name: "kept-python",
      // Modules of the library that a run has imported stay loaded. Nothing else of a run is left.
      files: { "scripts/n.py": "import sys; print('warm' if 'colorsys' in sys.modules else 'new'); import colorsys" },
    };
    const state = async (userId: string) => (await runOne(skill, "scripts/n.py", { userId, ms: 20_000 })).stdout;
    for (const user of ["p0", "p1", "p2", "p3"]) expect(await state(user)).toBe("new\n");
    expect(await state("p0")).toBe("warm\n");
    expect(await state("p4")).toBe("new\n");
    expect(await state("p0")).toBe("warm\n");
    expect(await state("p1")).toBe("new\n");
  });
});
