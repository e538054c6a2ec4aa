import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PACKAGE_LIMITS } from "../../src/domain/limits";
import { catalogLine, escapeSkillTags, estimateFileTokens, oneLine } from "../../src/domain/tokens";

const limit = PACKAGE_LIMITS.listedDescriptionChars;
const listed = (description: string): string => catalogLine("x", description).slice("- **x**: ".length);

describe("estimateFileTokens", () => {
  it.each([
    [0, 0],
    [1, 1],
    [4, 1],
    [5, 2],
    [1024, 256],
  ])("takes %i bytes for %i tokens", (bytes, tokens) => {
    expect(estimateFileTokens(bytes)).toBe(tokens);
  });
});

describe("catalogLine", () => {
  it("is the seeds' line", () => {
    expect(catalogLine("mermaid-diagram", "Draws diagrams.")).toBe("- **mermaid-diagram**: Draws diagrams.");
  });

  it("keeps a folded description on one line", () => {
    expect(catalogLine("a\nb", "  one\r\n\ttwo\u2028three\u0085four\u0000five\u00a0 ")).toBe(
      "- **a b**: one two three four five",
    );
  });

  it("keeps a description of exactly the limit and cuts a longer one to it", () => {
    expect(listed("d".repeat(limit))).toBe("d".repeat(limit));
    expect(listed("d".repeat(limit + 1))).toBe(`${"d".repeat(limit - 1)}…`);
  });

  it("counts and cuts code points, never half a surrogate pair", () => {
    expect(listed("😀".repeat(limit))).toBe("😀".repeat(limit));
    const cut = listed("😀".repeat(limit + 1));
    expect(cut).toBe(`${"😀".repeat(limit - 1)}…`);
    expect(cut.isWellFormed()).toBe(true);
  });

  it("leaves no space before the ellipsis", () => {
    expect(listed(`${"d".repeat(limit - 2)} tail`)).toBe(`${"d".repeat(limit - 2)}…`);
  });

  it("collapses before it cuts, so that padding costs nothing", () => {
    expect(listed(`a${" ".repeat(2 * limit)}b`)).toBe("a b");
  });

  it("escapes block tags in the name and in the description, wherever the cut falls", () => {
    expect(catalogLine("<skill>", "ends </skill> here")).toBe("- **&lt;skill&gt;**: ends &lt;/skill&gt; here");
    for (let before = limit - 10; before <= limit; before++)
      expect(listed(`${"d".repeat(before)}</skill>`)).not.toContain("</skill>");
  });

  it("is one line without block tags for any text", () => {
    const text = fc
      .array(fc.oneof(fc.constantFrom("<", "/", "skill", "SKILL", ">", " ", "\n", "\u200b", "</skill>"), fc.string()))
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(text, text, (name, description) => {
        const line = catalogLine(name, description);
        expect(line).not.toMatch(/[\r\n\t\u2028\u2029]/);
        expect(line).not.toMatch(/<\s*\/?\s*skill\s*>/i);
        expect(catalogLine(oneLine(name), oneLine(description))).toBe(line);
      }),
    );
  });
});

describe("escapeSkillTags", () => {
  it.each([
    ["<skill>", "&lt;skill&gt;"],
    ["</skill>", "&lt;/skill&gt;"],
    ["< / SKILL\n>", "&lt; / SKILL\n&gt;"],
    ["<\u200b/skill\u2060>", "&lt;\u200b/skill\u2060&gt;"],
    ["<<skill>>", "<&lt;skill&gt;>"],
  ])("escapes %j", (text, expected) => {
    expect(escapeSkillTags(text)).toBe(expected);
  });

  it.each(["<skills>", "<b>skill</b>", "skill > 1", "&lt;skill&gt;", "a < b"])("leaves %j alone", (text) => {
    expect(escapeSkillTags(text)).toBe(text);
  });

  it.each([
    ["one long run", `<${" ".repeat(256 * 1024)}x`],
    ["many openings", "< ".repeat(128 * 1024)],
    ["many words", `<${"skill ".repeat(40 * 1024)}`],
    ["many slashes", `<${"/ ".repeat(128 * 1024)}`],
  ])("takes no time for %s", (_, text) => {
    const started = performance.now();
    expect(escapeSkillTags(text)).toBe(text);
    expect(performance.now() - started).toBeLessThan(10_000);
  });
});
