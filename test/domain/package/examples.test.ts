import { describe, expect, it } from "vitest";
import { SEARCH_LIMITS } from "../../../src/domain/limits";
import { readExamples } from "../../../src/domain/package/examples";

const file = (path: string, content: unknown) => ({
  path,
  bytes: new TextEncoder().encode(typeof content === "string" ? content : JSON.stringify(content)),
  crc: 0,
  mode: 0o644 as const,
});
const read = (...files: ReturnType<typeof file>[]) => readExamples(files);
const UNREADABLE = [
  expect.objectContaining({ code: "EXAMPLES_UNREADABLE", severity: "info", path: "evals/evals.json" }),
];

describe("example prompts of a package", () => {
  it("are the prompts of evals.json, then the queries of the files beside it that should call for the skill", () => {
    const evals = {
      skill_name: "x",
      evals: [
        { id: 1, prompt: " Draw a chart. " },
        { id: 2, prompt: "Plot it." },
      ],
    };
    const triggers = [
      { query: "Chart this", should_trigger: true },
      { query: "Cook this", should_trigger: false },
      { query: "Plot it." },
    ];
    expect(read(file("evals/a.json", triggers), file("evals/evals.json", evals))).toEqual({
      examples: ["Draw a chart.", "Plot it.", "Chart this"],
      warnings: [],
    });
  });

  it("are ignored in other folders and other formats", () => {
    const evals = { evals: [{ prompt: "No." }] };
    expect(
      read(file("evals/deep/evals.json", evals), file("evals.json", evals), file("evals/data.json", { rows: [] })),
    ).toEqual({ examples: [], warnings: [] });
    expect(
      read(file("evals/evals.json", { evals: [null, 7, "text", [], { prompt: 1 }, { prompt: "" }, {}] })).examples,
    ).toEqual([]);
  });

  it("are ignored in a file that cannot be read, with a warning for the author", () => {
    for (const content of ["{", "[", "\u0000", '"text"', "{}", "[".repeat(100_000), `[${" ".repeat(600_000)}]`])
      expect(read(file("evals/evals.json", content))).toEqual({ examples: [], warnings: UNREADABLE });
  });

  it("are limited in number and size", () => {
    const long = Array.from({ length: 50 }, (_, n) => ({ prompt: `${n}${"x".repeat(5_000)}` }));
    const { examples } = read(file("evals/evals.json", long));
    expect(examples).toHaveLength(SEARCH_LIMITS.routingPrompts);
    expect(Math.max(...examples.map((text) => text.length))).toBe(SEARCH_LIMITS.exampleChars);
  });
});
