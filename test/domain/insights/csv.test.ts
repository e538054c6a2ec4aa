import { describe, expect, it } from "vitest";
import { csvOf } from "../../../src/domain/insights/csv";

describe("a CSV file", () => {
  it.each([
    ["=1+2", "'=1+2"],
    ["+1", "'+1"],
    ["-1", "'-1"],
    ["@SUM(A1)", "'@SUM(A1)"],
    ["\t=1", "'\t=1"],
    [" =1", "' =1"],
    ["\u200b=1", "'\u200b=1"],
    ["＝1", "'＝1"],
    ["\r=1", '"\'\r=1"'],
    ['a "b", c', '"a ""b"", c"'],
    ["a\nb", '"a\nb"'],
    ["plain = text", "plain = text"],
  ])("writes %j as text", (text, written) => {
    expect(csvOf([{ text }], ["text"])).toBe(`text\r\n${written}\r\n`);
  });

  it("leaves numbers as they are, and nothing for null", () => {
    expect(csvOf([{ a: -1, b: null, c: true }], ["a", "b", "c"])).toBe("a,b,c\r\n-1,,true\r\n");
  });
});
