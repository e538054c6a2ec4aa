// Name resolution: which skill and version takes precedence, and the order of lists.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { byCodePoint, byName, choose, firstOfEach } from "../../../src/domain/catalog/precedence";

const SCOPES = ["user:eve", "group:one", "group:two", "public"];

/** Texts with a common beginning, around the characters that UTF-16 and UTF-8 order differently. */
const texts = fc.oneof(
  fc.string({ unit: "binary", maxLength: 6 }),
  fc.string({ unit: fc.constantFrom("a", "z", "\ud7ff", "\ue000", "ｚ", "\uffff", "\u{10000}", "𠮷"), maxLength: 5 }),
);

function compareUtf8(a: string, b: string): number {
  const [left, right] = [a, b].map((text) => new TextEncoder().encode(text));
  const at = left?.findIndex((byte, index) => byte !== right?.[index]) ?? -1;
  if (at < 0) return (left?.length ?? 0) - (right?.length ?? 0);
  return (left?.[at] ?? 0) - (right?.[at] ?? -1);
}

describe("the order of names", () => {
  it("is that of UTF-8, as in SQLite", () => {
    fc.assert(
      fc.property(texts, texts, (a, b) => {
        expect(Math.sign(byCodePoint(a, b))).toBe(Math.sign(compareUtf8(a, b)));
      }),
    );
    expect(["𠮷", "ｚ", "a", "", "ab"].sort(byCodePoint)).toEqual(["", "a", "ab", "ｚ", "𠮷"]);
  });

  it("leaves the given rows as they are", () => {
    const rows = [{ name: "𠮷" }, { name: "ｚ" }];
    expect(byName(rows)).toEqual([{ name: "ｚ" }, { name: "𠮷" }]);
    expect(rows.map(({ name }) => name)).toEqual(["𠮷", "ｚ"]);
  });
});

describe("firstOfEach", () => {
  const rows = fc.array(fc.record({ name: fc.constantFrom("a", "b", "ｚ", "𠮷"), scope: fc.constantFrom(...SCOPES) }));

  it("returns every name once, from the first scope that has it, for any order of rows", () => {
    fc.assert(
      fc.property(rows, (given) => {
        const chosen = firstOfEach(given, SCOPES);
        expect(chosen.map(({ name }) => name)).toEqual([...new Set(given.map(({ name }) => name))].sort(byCodePoint));
        for (const { name, scope } of chosen) {
          const others = given.filter((row) => row.name === name).map((row) => SCOPES.indexOf(row.scope));
          expect(SCOPES.indexOf(scope)).toBe(Math.min(...others));
        }
      }),
    );
  });
});

describe("choose", () => {
  const row = (scope: string, version: string | null, current = false) => {
    const version_id = `${scope} ${version}`;
    return { scope, version_id, version, current_id: current ? version_id : `${scope} current` };
  };
  const versions = fc.constantFrom(null, "1.0.0", "1.5.0", "2.0.0", "3.1.0");
  const rows = fc.array(
    fc
      .record({ scope: fc.constantFrom(...SCOPES), version: versions })
      .map(({ scope, version }) => row(scope, version)),
    { maxLength: 12 },
  );

  it("chooses the first scope with a version in range, and never one out of range", () => {
    fc.assert(
      fc.property(rows, fc.constantFrom("1", "2", "3"), (given, major) => {
        const fits = (version: string | null) => version?.startsWith(`${major}.`) ?? false;
        const first = SCOPES.find((scope) => given.some((each) => each.scope === scope && fits(each.version)));
        const newest = given
          .filter((each) => each.scope === first && fits(each.version))
          .map(({ version }) => version ?? "")
          .sort()
          .at(-1);
        const chosen = choose(given, SCOPES, [`^${major}`]);
        expect(chosen && [chosen.scope, chosen.version]).toEqual(first === undefined ? null : [first, newest]);
      }),
    );
  });

  it("prefers the current version where it satisfies all ranges", () => {
    const given = [row("public", "1.9.0"), row("public", "1.2.0", true)].map((each) => ({
      ...each,
      current_id: "public 1.2.0",
    }));
    expect(choose(given, SCOPES, ["^1"])?.version).toBe("1.2.0");
    expect(choose(given, SCOPES, ["^1", ">=1.5"])?.version).toBe("1.9.0");
    expect(choose(given, SCOPES, ["^1", "^2"])).toBeNull();
  });

  it("contains no row of other scopes", () => {
    expect(choose([row("group:three", "1.0.0")], SCOPES, [])).toBeNull();
  });
});
