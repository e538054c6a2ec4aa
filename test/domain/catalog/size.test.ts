import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CatalogEntry } from "../../../src/domain/catalog/catalog";
import { fitting } from "../../../src/domain/catalog/fit";
import { inParts } from "../../../src/domain/json";
import { ROW_LIMITS } from "../../../src/domain/limits";

const SCOPES = ["user:ann", "group:team", "public"];

const entry = (name: string, scope: string, bytes: number): CatalogEntry => ({
  name,
  skill_id: name,
  version_id: name,
  version: null,
  scope,
  description: "",
  line_tokens: 1,
  tokens: 1,
  bytes: 1,
  has_capabilities: false,
  user_only: false,
  rank: null,
  needs: ["n".repeat(bytes)],
});
const names = (entries: readonly CatalogEntry[]) => entries.map(({ name }) => name);

describe("the part of a catalog that fits", () => {
  const third = ROW_LIMITS.catalogBytes / 3;

  it("is all of a small one", () => {
    const entries = [entry("a", "public", 10), entry("b", "user:ann", 10)];
    expect(fitting(entries, SCOPES, [])).toEqual({ entries, warnings: [] });
  });

  it("has preloaded skills, then own and group ones, then public ones, in order; a warning names the others", () => {
    const entries = [
      entry("a", "public", third),
      entry("b", "group:team", third),
      entry("c", "public", third),
      entry("d", "user:ann", 10),
      entry("e", "public", third),
    ];
    const { entries: kept, warnings } = fitting(entries, SCOPES, ["e"]);
    expect(names(kept)).toEqual(["b", "d", "e"]);
    expect(warnings).toEqual([{ code: "CATALOG_CUT", message: expect.stringContaining("2 skills are not listed") }]);
    expect(warnings[0]?.message).toContain("a, c");
  });
});

it("the parts of a text are the whole text, and each fits into a row", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.integer({ min: 2, max: 9 }), (text, most) => {
      const parts = inParts(text, most);
      expect(parts.join("")).toBe(text);
      expect(parts.length).toBeGreaterThan(0);
      expect(parts.every((part) => part.length <= most)).toBe(true);
      if (text.isWellFormed()) expect(parts.every((part) => part.isWellFormed())).toBe(true);
    }),
  );
});
