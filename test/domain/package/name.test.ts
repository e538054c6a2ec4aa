import { describe, expect, it } from "vitest";
import { checkName, isName } from "../../../src/domain/package/name";

describe("checkName", () => {
  it.each(["a", "mermaid-diagram", "2fa", "x".repeat(64), "a-1-b"])("accepts %s", (name) => {
    expect(checkName(name, "x")).toEqual({ name, issues: [], warnings: [] });
  });

  it.each(["wiki_submit", "data_analysis", "MySkill", "技能", "мой-навык", "über", "_x"])(
    "accepts %s with a warning for strict clients",
    (name) => {
      expect(checkName(name, "folder")).toMatchObject({
        name,
        issues: [],
        warnings: [{ code: "NAME_NOT_STRICT", path: "folder" }],
      });
    },
  );

  it.each([
    "",
    "-a",
    "a-",
    "a--b",
    "a b",
    "a.b",
    "a/b",
    "a@1",
    "a:b",
    "é\u202e",
    "x".repeat(65),
    "__proto__",
    "a\n",
    "🚀",
  ])("refuses %j", (name) => {
    expect(checkName(name, "folder").issues).toMatchObject([{ code: "NAME_INVALID", path: "folder" }]);
    expect(isName(name)).toBe(false);
  });

  it.each([
    "mermaid-diagram\u{e0100}",
    "json\u034f-table",
    "\u3164",
    "a\u115f",
    "a\u1160b",
    "\uffa0",
    "a\u180b",
    "a\ufe0f",
    "a\u00ad",
    "a\u200b",
    "a\u17b4",
  ])("refuses %j, which looks like another name", (name) => {
    expect(checkName(name, "folder").issues).toMatchObject([
      { code: "NAME_INVALID", message: expect.stringContaining("invisible character"), path: "folder" },
    ]);
    expect(isName(name)).toBe(false);
  });

  it("counts characters, not UTF-16 units, and composes them", () => {
    expect(isName("𠮷".repeat(64))).toBe(true);
    expect(checkName("cafe\u0301", "x").name).toBe("caf\u00e9");
  });
});
