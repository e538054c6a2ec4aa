import { describe, expect, it } from "vitest";
import { type Catalog, type CatalogEntry, listed, refOf } from "../../src/domain/catalog";

const entry = (name: string, line_tokens = 10): CatalogEntry => ({
  name,
  skill_id: name,
  version_id: name,
  version: "1.0.0",
  scope: "public",
  description: `Does ${name}.`,
  line_tokens,
  tokens: 100,
  bytes: 0,
  has_capabilities: false,
  needs: ["base", "other@^1", "not readable@x y"],
});
const many = (count: number, tokens?: number) =>
  Array.from({ length: count }, (_, index) => entry(`s${String(index).padStart(4, "0")}`, tokens));
const catalog = (entries: CatalogEntry[], total = entries.length): Catalog => ({ entries, total, static_tokens: 0 });

describe("listed", () => {
  it.each<[string, Catalog, string[], { count: number; first: string; more: number; tokens: number }]>([
    ["all of a small catalog", catalog(many(3)), [], { count: 3, first: "s0000", more: 0, tokens: 30 }],
    ["preloaded first", catalog(many(3)), ["s0002", "gone"], { count: 3, first: "s0002", more: 0, tokens: 30 }],
    ["256 skills and no more", catalog(many(257)), [], { count: 256, first: "s0000", more: 1, tokens: 2_560 }],
    ["exactly 256", catalog(many(256)), [], { count: 256, first: "s0000", more: 0, tokens: 2_560 }],
    ["8 000 tokens and no more", catalog(many(9, 1_000)), [], { count: 8, first: "s0000", more: 1, tokens: 8_000 }],
    [
      "what it knows of a larger one",
      catalog(many(257), 10_000),
      [],
      { count: 256, first: "s0000", more: 9_744, tokens: 2_560 },
    ],
    [
      "a preloaded one from beyond the limit",
      catalog(many(300)),
      ["s0299"],
      { count: 256, first: "s0299", more: 44, tokens: 2_560 },
    ],
  ])("shows %s", (_, given, preloaded, expected) => {
    const { shown, more, tokens } = listed(given, preloaded);
    expect({ count: shown.length, first: shown[0]?.name, more, tokens }).toEqual(expected);
    expect(new Set(shown.map((one) => one.name)).size).toBe(shown.length);
  });

  it("keeps references to readable dependencies by name", () => {
    expect(refOf(entry("a")).dependencies).toEqual(["base", "other"]);
  });
});
