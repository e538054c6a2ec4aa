import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { escapeSkillTags } from "../../src/domain/tags";
import { cpuTimeOf } from "../support/cpu-time";
import { asRead, SPELLINGS, tagsIn } from "../support/tags";

describe("escapeSkillTags", () => {
  it.each(SPELLINGS)("leaves no tag of %j", (text) => {
    expect(tagsIn(text)).toHaveLength(1);
    expect(tagsIn(escapeSkillTags(text))).toEqual([]);
    expect(tagsIn(escapeSkillTags(`before ${text} after ${text}`))).toEqual([]);
  });

  it.each([
    ["</skill>", "&lt;/skill>"],
    ["< / SKILL\n>", "&lt; / SKILL\n>"],
    ["<<skill>>", "<&lt;skill>>"],
    ["</s\u200bkill x>", "&lt;/s\u200bkill x>"],
  ])("changes nothing but the bracket of %j", (text, expected) => {
    expect(escapeSkillTags(text)).toBe(expected);
    expect(escapeSkillTags(expected)).toBe(expected);
  });

  it.each(["<b>skill</b>", "skill > 1", "&lt;skill&gt;", "a < b", "<ski", "<sk ll>", "<application_skill_contex", "<"])(
    "leaves %j alone",
    (text) => {
      expect(escapeSkillTags(text)).toBe(text);
    },
  );

  it("leaves no tag in any text", () => {
    const part = fc.oneof(
      fc.constantFrom("<", "/", ">", " ", "\n", "s", "k", "i", "l", "skill", "application_skill_context", "SKILL", "ſ"),
      fc.constantFrom(
        "\u200b",
        "\ufe0f",
        "\u00ad",
        "\u034f",
        "\u{e0100}",
        "\u0301",
        "\u0338",
        "\u3164",
        "＜",
        "﹤",
        "≮",
        "／",
      ),
      fc.constantFrom(...SPELLINGS),
      fc.string({ unit: "binary" }),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 40 }), (parts) => {
        const escaped = escapeSkillTags(parts.join(""));
        expect(tagsIn(escaped)).toEqual([]);
        expect(escapeSkillTags(escaped)).toBe(escaped);
      }),
      { numRuns: 2_000 },
    );
  });

  it("knows every character that reads as an opening bracket", () => {
    const openers: string[] = [];
    for (let code = 0; code <= 0x10ffff; code++) {
      const character = String.fromCodePoint(code);
      if (asRead(character).includes("<")) openers.push(character);
    }
    expect(openers).toContain("<");
    for (const opener of openers) expect(escapeSkillTags(`${opener}/skill>`)).toBe("&lt;/skill>");
  });

  it.each([
    ["one long run", `<${" ".repeat(256 * 1024)}x`],
    ["many openings", "< ".repeat(128 * 1024)],
    ["many words", `<${"ski ".repeat(64 * 1024)}`],
    ["many slashes", `<${"/ ".repeat(128 * 1024)}`],
    ["many beginnings", "<skil".repeat(50 * 1024)],
    ["unseen letters", `<s${"\u200b".repeat(256 * 1024)}x`],
  ])("is fast for %s", (_, text) => {
    expect(cpuTimeOf(() => expect(escapeSkillTags(text)).toBe(text))).toBeLessThan(5_000);
  });
});
