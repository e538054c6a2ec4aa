import { describe, expect, it } from "vitest";
import { idleNames, isAllowed } from "../../../src/domain/servers/tool-filter";
import { cpuTimeOf } from "../../support/cpu-time";

const offers = (entry: { allow?: string[]; deny?: string[] }, ...tools: string[]) =>
  tools.filter((tool) => isAllowed(entry, tool));

describe("tools that an entry allows and denies", () => {
  it.each([
    [{}, ["a", "b"]],
    [{ allow: ["a"] }, ["a"]],
    [{ deny: ["a"] }, ["b"]],
    [{ allow: ["*"], deny: ["b"] }, ["a"]],
    [{ allow: [] }, []],
  ])("%j", (entry, offered) => expect(offers(entry, "a", "b")).toEqual(offered));

  it.each([
    ["get_*", "get_user", true],
    ["get_*", "get_", true],
    ["get_*", "forget_user", false],
    ["*_user", "get_user", true],
    ["*_user", "get_users", false],
    ["*user*", "a_user_b", true],
    ["a*b*c", "abc", true],
    ["a*b*c", "acb", false],
    ["ab*ba", "aba", false],
    ["aa*a", "aa", false],
    ["a**a", "aa", true],
    ["*", "", true],
    ["a.c", "abc", false],
    ["a?", "ab", false],
    ["A", "a", false],
  ])("the pattern %s on %s: %s", (pattern, tool, fits) => expect(isAllowed({ allow: [pattern] }, tool)).toBe(fits));

  it("is fast for a hostile pattern", () => {
    const ms = cpuTimeOf(() => expect(isAllowed({ allow: [`${"*a".repeat(127)}*b`] }, "a".repeat(256))).toBe(false));
    expect(ms).toBeLessThan(100);
  });

  it("reports names and patterns without effect", () => {
    const idle = idleNames({ allow: ["get_*", "put_*", "list"], deny: ["lost"] }, ["get_user", "list"]);
    expect(idle).toEqual(["`allow` or `deny` names tools that it does not have: 'put_*', 'lost'"]);
    expect(idleNames({ allow: ["*"] }, ["a"])).toEqual([]);
  });
});
