// The skill that ranks first for a message, with its score and margin.

import { describe, expect, it } from "vitest";
import { firstSkill } from "../../../../src/domain/conversation/prediction/rank";

const CATALOG = [
  { name: "csv-report", description: "Summarizes a CSV table as a short report with a chart." },
  { name: "postgres", description: "Tunes slow queries of a PostgreSQL database and plans its indexes." },
  { name: "travel-plan", description: "Plans a journey by train with hotels and costs." },
  { name: "haiku", description: "Writes a short poem about a season." },
  { name: "日报", description: "把今天的工作写成日报。" },
];

describe("the first skill for a message", () => {
  it("is the one whose name and description the message contains", () => {
    const found = firstSkill(CATALOG, "Please tune this slow postgres query and add an index.");
    expect(found?.skill.name).toBe("postgres");
    expect(found?.named).toBe(1);
    expect(found?.margin).toBeGreaterThan(0.5);
  });

  it("is found in scripts without spaces", () => {
    expect(firstSkill(CATALOG, "请帮我写今天的日报")?.skill.name).toBe("日报");
  });

  it("has no margin if another skill is equal", () => {
    const twice = [...CATALOG, { name: "postgres", description: CATALOG[1]?.description ?? "" }];
    expect(firstSkill(twice, "a slow postgres query")?.margin).toBe(0);
  });

  it("is none for a message without a word of any skill", () => {
    expect(firstSkill(CATALOG, "Thanks!")).toBeNull();
    expect(firstSkill(CATALOG, "")).toBeNull();
    expect(firstSkill([], "a slow query")).toBeNull();
  });

  it.each([
    ['" OR name:* NEAR(a b) {scope} : *', "syntax of the index"],
    ["\u0000\u0007\u202e\ud800 \n\t", "control characters and half characters"],
    ["a ".repeat(500_000), "a megabyte"],
    ["表".repeat(300_000), "a megabyte without spaces"],
  ])("reads hostile text as words (%#: $1)", (message) => {
    expect(() => firstSkill(CATALOG, message)).not.toThrow();
  });

  it("reads only the beginning of a message", () => {
    expect(firstSkill(CATALOG, `${"x ".repeat(600)} postgres`)).toBeNull();
  });
});
