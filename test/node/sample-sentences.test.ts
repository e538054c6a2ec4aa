import { expect, it } from "vitest";
import { commentsOf, paragraphsOf, sampleOf, sentencesOf, stringsOf } from "../../scripts/sample-sentences.mjs";

it("finds paragraphs, list items and cells of Markdown, and no code", () => {
  const text =
    "# Title\n\nOne line\nof two.\n\n```sh\nnot this one\n```\n- An item here.\n\n| a cell | another |\n|---|---|\n";
  expect(paragraphsOf(text).map(({ line, text }) => [line, text.trim()])).toEqual([
    [3, "One line of two."],
    [9, "An item here."],
    [11, ""],
    [11, "a cell"],
    [11, "another"],
    [11, ""],
  ]);
});

it("skips frontmatter", () => {
  expect(paragraphsOf("---\nname: a b c d\n---\nText of the skill.\n")).toEqual([
    { line: 4, text: "Text of the skill." },
  ]);
});

it("finds comments of both kinds, lines that follow each other as one", () => {
  const text =
    "// One comment\n// of two lines.\nconst a = 1;\n/** A docstring. */\nconst b = 2;\n/**\n * A long one.\n */\n";
  const found = commentsOf(text).map(({ line, text }) => [line, text.trim()]);
  expect(found).toEqual([
    [1, "One comment of two lines."],
    [4, "A docstring."],
    [6, "A long one."],
  ]);
});

it("finds literals that are sentences", () => {
  const text = 'const a = "no_sentence";\n// "Not in a comment."\nthrow new Error(`Skill not found. Try again.`);\n';
  expect(stringsOf(text)).toEqual([{ line: 3, text: "Skill not found. Try again." }]);
});

it("splits at full stops, not inside of numbers and names", () => {
  expect(sentencesOf("Run `a.b` 1.5 times. Then stop there (see it.) Too few words.")).toEqual([
    "Run `a.b` 1.5 times.",
    "Then stop there (see it.)",
  ]);
});

it("draws the same items with the same seed, and each at most once", () => {
  const items = Array.from({ length: 100 }, (_, n) => n);
  const drawn = sampleOf(items, 40, 7);
  expect(sampleOf(items, 40, 7)).toEqual(drawn);
  expect(sampleOf(items, 40, 8)).not.toEqual(drawn);
  expect(new Set(drawn).size).toBe(40);
  expect(sampleOf(items, 500, 7)).toHaveLength(100);
});
