import { describe, expect, it } from "vitest";
import { cutDescription, exclusionsForIndex } from "../../../src/domain/compat/well-known";

describe("a description in an index", () => {
  it("stays as it is up to 1 024 characters", () => {
    const text = "a".repeat(1_024);
    expect(cutDescription(text)).toBe(text);
  });

  it("ends after a whole sentence, or after a word where the first sentence is longer", () => {
    const sentence = `${"word ".repeat(100)}end.`;
    expect(cutDescription(`${sentence} ${sentence} ${sentence}`)).toBe(`${sentence} ${sentence}`);
    expect(cutDescription(`一${"二".repeat(500)}。${"三".repeat(600)}。`)).toBe(`一${"二".repeat(500)}。`);
    expect(cutDescription("word ".repeat(300))).toMatch(/^(word )+word…$/);
  });

  it("never ends in half a character", () => {
    const cut = cutDescription("😀".repeat(600));
    expect(cut.length).toBeLessThanOrEqual(1_024);
    expect(cut.isWellFormed()).toBe(true);
  });
});

describe("skills that clients cannot use", () => {
  const fine = { name: "a-b", writtenName: "a-b", isRepaired: false, fileCount: 1_000, isBlocked: false };
  it.each([
    [{}, []],
    [{ name: "A" }, ["NAME_NOT_STRICT"]],
    [{ name: "a--b" }, ["NAME_NOT_STRICT"]],
    [{ name: "a".repeat(65) }, ["NAME_NOT_STRICT"]],
    [{ writtenName: null, isRepaired: true }, ["NAME_NOT_WRITTEN", "FRONTMATTER_REPAIRED"]],
    [{ fileCount: 1_001 }, ["TOO_MANY_FILES"]],
    [{ isBlocked: true }, ["VERSION_BLOCKED"]],
  ])("%j: %j", (change, codes) => {
    expect(exclusionsForIndex({ ...fine, ...change }).map(({ code }) => code)).toEqual(codes);
  });
});
