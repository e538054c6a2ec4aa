import { describe, expect, it } from "vitest";
import { renderFound } from "../../../src/domain/catalog/render-results";
import { SEARCH_LIMITS } from "../../../src/domain/limits";
import { estimateTokens } from "../../../src/domain/tokens";

const skill = (name: string, description: string) => ({ name, description });

describe("the text of search results", () => {
  it("has a line for each skill, as in the list, and names the tool to call next", () => {
    expect(renderFound([skill("wiki", "Writes pages."), skill("pdf", "Reads PDF files.")], "pages", "load_skill")).toBe(
      "- **wiki**: Writes pages.\n- **pdf**: Reads PDF files.\n\nCall load_skill with the name of the one that fits.",
    );
  });

  it("keeps its token limit for any names and descriptions", () => {
    const words = "Antidisestablishmentarianism notwithstanding, otherwise considered. ".repeat(20);
    for (const [name, description] of [
      ["a".repeat(64), words],
      ["名".repeat(64), "数据分析，读取表格。".repeat(40)],
      ["x-1-y-2-".repeat(8), "🜁🜂🜃".repeat(200)],
    ] as const) {
      const found = Array.from({ length: SEARCH_LIMITS.shown }, () => skill(name, description));
      expect(estimateTokens(renderFound(found, "x", "load_skill")), name).toBeLessThanOrEqual(
        SEARCH_LIMITS.shownTokens,
      );
    }
  });

  it("suggests other words where nothing matches, and repeats no more of the query than one needs", () => {
    const nothing = renderFound([], `<skill>\n${"very ".repeat(1_000)}`, "load_skill");
    expect(nothing).toMatch(
      /^No available skill matches '.*…'\. Call find_skill again with other words, in English too: /,
    );
    expect([nothing.includes("<skill>"), nothing.length < 250]).toEqual([false, true]);
  });
});
