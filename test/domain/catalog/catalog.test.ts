import { describe, expect, it } from "vitest";
import { type Catalog, type CatalogEntry, listed, refOf } from "../../../src/domain/catalog/catalog";

const entry = (name: string, line_tokens = 10, scope = "public"): CatalogEntry => ({
  name,
  skill_id: name,
  version_id: name,
  version: "1.0.0",
  scope,
  description: `Does ${name}.`,
  line_tokens,
  tokens: 100,
  bytes: 0,
  has_capabilities: false,
  user_only: false,
  rank: null,
  needs: ["base", "other@^1", "not readable@x y"],
});
const many = (count: number, tokens?: number) =>
  Array.from({ length: count }, (_, index) => entry(`s${String(index).padStart(4, "0")}`, tokens));
const catalog = (entries: CatalogEntry[], total = entries.length, list_tokens = 8_000): Catalog => ({
  ...{ entries, total, static_tokens: 0, list_tokens },
});

describe("listed", () => {
  it.each<[string, Catalog, string[], { count: number; first: string; more: number; tokens: number }]>([
    ["all of a small catalog", catalog(many(3)), [], { count: 3, first: "s0000", more: 0, tokens: 30 }],
    ["preloaded first", catalog(many(3)), ["s0002", "gone"], { count: 3, first: "s0002", more: 0, tokens: 30 }],
    ["256 skills and no more", catalog(many(257)), [], { count: 256, first: "s0000", more: 1, tokens: 2_576 }],
    ["exactly 256", catalog(many(256)), [], { count: 256, first: "s0000", more: 0, tokens: 2_560 }],
    ["all that exactly fits", catalog(many(10), 10, 129), [], { count: 10, first: "s0000", more: 0, tokens: 100 }],
    [
      "with what does not fit a line less, since the closing line needs room",
      catalog(many(10), 10, 128),
      [],
      { count: 8, first: "s0000", more: 2, tokens: 96 },
    ],
    [
      "what was counted with all of its description by what is shown of it",
      catalog([entry("a", 6_008), entry("b", 6_008)]),
      [],
      { count: 2, first: "a", more: 0, tokens: 2 * "- **a**: Does a.".length },
    ],
    [
      "what it knows of a larger one",
      catalog(many(257), 10_000),
      [],
      { count: 256, first: "s0000", more: 9_744, tokens: 2_576 },
    ],
    [
      "a preloaded one from beyond the limit",
      catalog(many(300)),
      ["s0299"],
      { count: 256, first: "s0299", more: 44, tokens: 2_576 },
    ],
  ])("shows %s", (_, given, preloaded, expected) => {
    const { shown, more, tokens } = listed(given, preloaded);
    expect({ count: shown.length, first: shown[0]?.name, more, tokens }).toEqual(expected);
    expect(new Set(shown.map((one) => one.name)).size).toBe(shown.length);
  });

  it("omits public skills first, then a group's, then own ones", () => {
    const some = (scope: string, letter: string, count: number) =>
      Array.from({ length: count }, (_, index) => entry(`${letter}${String(index).padStart(3, "0")}`, 10, scope));
    const scopes = (entries: CatalogEntry[]) => {
      const sorted = entries.toSorted((a, b) => (a.name < b.name ? -1 : 1));
      const { shown } = listed(catalog(sorted), ["c000"]);
      expect(shown[0]?.name).toBe("c000");
      const counts = Map.groupBy(shown.slice(1), (one) => one.scope);
      return [...counts].map(([scope, ones]) => [scope, ones.length, ones[0]?.name]);
    };
    const [open, crew, own] = [some("public", "a", 300), some("group:crew", "b", 100), some("user:me", "c", 100)];
    expect(scopes([...open, ...crew, ...own])).toEqual([
      ["public", 56, "a000"],
      ["group:crew", 100, "b000"],
      ["user:me", 99, "c001"],
    ]);
    expect(scopes([...open, ...some("group:crew", "b", 300), ...own])).toEqual([
      ["group:crew", 156, "b000"],
      ["user:me", 99, "c001"],
    ]);
  });

  it("orders public skills by the shared order, then by name, and omits the last ones", () => {
    const ranks: Record<string, number> = { s0003: 1, s0007: 0 };
    const used = many(10).map((one) => ({ ...one, rank: ranks[one.name] ?? null }));
    const names = (given: Catalog) => listed(given, []).shown.map(({ name }) => name);
    expect(names(catalog(used)).slice(0, 4)).toEqual(["s0007", "s0003", "s0000", "s0001"]);
    expect(names(catalog(used, 10, 29 + 16 + 30))).toEqual(["s0007", "s0003", "s0000"]);
    const mine = [entry("zz", 10, "user:me"), entry("yy", 10, "group:crew")];
    expect(names(catalog([...used, ...mine], 12, 29 + 16 + 40))).toEqual(["s0007", "s0003", "yy", "zz"]);
  });

  it("lets groups take turns where not all fits", () => {
    const of = (group: string, letter: string, count: number) =>
      Array.from({ length: count }, (_, index) => entry(`${letter}${index}`, 10, `group:${group}`));
    const given = [...of("loud", "a", 9), ...of("small", "z", 2), entry("p")];
    const { shown, more } = listed(catalog(given, 12, 29 + 16 + 60), []);
    expect(shown.map(({ name }) => name)).toEqual(["a0", "a1", "a2", "a3", "z0", "z1"]);
    expect(more).toBe(6);
  });

  it("contains readable references to dependencies by name", () => {
    expect(refOf(entry("a")).dependencies).toEqual(["base", "other"]);
  });
});
