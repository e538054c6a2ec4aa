import { describe, expect, it } from "vitest";
import { nearNames } from "../../../src/domain/catalog/similar-names";
import { cpuTimeOf } from "../../support/cpu-time";

const NAMES = ["mermaid-diagram", "data-analysis", "data-cleaning", "wiki-submit", "pdf", "数据分析", "review"];

describe("names that were meant", () => {
  it.each([
    ["Mermaid_Diagram", ["mermaid-diagram"]],
    ["mermaid", ["mermaid-diagram"]],
    ["mermaid-diagramm", ["mermaid-diagram"]],
    ["data-analyze", ["data-analysis", "data-cleaning"]],
    ["wiki-summit", ["wiki-submit"]],
    ["pfd", []],
    ["pdfs", ["pdf"]],
    ["数据分折", ["数据分析"]],
    ["reveiw", ["review"]],
    ["kubernetes", []],
    ["", []],
    ["-", []],
  ])("%s", (written, meant) => {
    expect(nearNames(written, NAMES)).toEqual(meant);
  });

  it("are at most three, and found in no time for anything that may be written", () => {
    const many = Array.from({ length: 256 }, (_, n) => `data-${n}`);
    expect(nearNames("data", many)).toHaveLength(3);
    expect(cpuTimeOf(() => expect(nearNames("data ".repeat(100_000), many)).toHaveLength(3))).toBeLessThan(500);
  });
});
