import { describe, expect, it } from "vitest";
import {
  exclusionsForClawHub,
  fingerprintOf,
  handleOf,
  isVersionName,
  moderationOf,
  numberOfVersionName,
  ownerHandleOf,
  readOwner,
  versionNameOf,
} from "../../../src/domain/compat/clawhub";

describe("a handle", () => {
  const looking = { userId: "Ada@x.org", groups: [{ group: "Crew" }, { group: "crew" }, { group: "Dock.Yard" }] };
  it.each([
    ["Ada@x.org", "Ada@x.org"],
    ["public", "own"],
    ["PUBLIC", "own"],
    ["group.crew", "own"],
    ["@ada", "own"],
    ["a..b", "own"],
  ])("of the user %s is %s", (id, handle) => expect(handleOf(id)).toBe(handle));

  it.each([
    ["public", { kind: "public" }],
    ["@PUBLIC", { kind: "public" }],
    ["ada@X.org", { kind: "own" }],
    ["own", { kind: "own" }],
    ["group.Crew", { kind: "group", group: "Crew" }],
    ["group.crew", { kind: "group", group: "crew" }],
    // Two groups differ only in case, so a handle that matches neither exactly is rejected.
    ["group.CREW", null],
    ["group.dock.yard", { kind: "group", group: "Dock.Yard" }],
    ["group.", null],
    ["group.other", null],
    ["bob", null],
    ["user:Ada@x.org", null],
    ["", null],
  ])("%s means %j", (handle, owner) => expect(readOwner(handle, looking)).toEqual(owner));

  it("without a key means only the public owner", () => {
    expect(["public", "own", "group.crew", "ada@x.org"].map((handle) => readOwner(handle, null))).toEqual([
      ...[{ kind: "public" }, null, null, null],
    ]);
  });

  it("leads back to the scope that it was made of", () => {
    const scopes = ["public", "group:Dock.Yard", "user:Ada@x.org"];
    expect(scopes.map((scope) => ownerHandleOf(scope, "Ada@x.org"))).toEqual([
      ...["public", "group.Dock.Yard", "Ada@x.org"],
    ]);
  });
});

describe("a version's name", () => {
  it.each([
    ["1.0.0", 4, "1.0.0"],
    ["1.0.0-rc.1+build", 4, "1.0.0-rc.1+build"],
    [null, 4, "0.0.4"],
    ["v1.0.0", 4, "0.0.4"],
    ["1.0", 4, "0.0.4"],
    ["01.0.0", 4, "0.0.4"],
    ["latest", 4, "0.0.4"],
    [`1.0.0-${"a".repeat(130)}`, 4, "0.0.4"],
    // A number that could be another version's number would be ambiguous.
    ["0.0.7", 4, "0.0.4"],
    ["0.0.4", 4, "0.0.4"],
    ["0.0.7-rc", 4, "0.0.7-rc"],
  ])("of the label %s and number %d is %s", (label, number, name) => {
    expect(versionNameOf({ label, number })).toBe(name);
    expect(isVersionName(name)).toBe(true);
  });

  it("has a number only where it is one", () => {
    expect(["0.0.12", "0.0.0", "0.0.01", "0.0.1-a", "0.1.2", "0.0.99999999999999999"].map(numberOfVersionName)).toEqual(
      [...[12, 0, null, null, null, null]],
    );
  });
});

it("offers valid slugs", () => {
  const left = (name: string) => exclusionsForClawHub({ name }).map(({ code }) => code);
  expect(["a-1", "A", "a b", "../a", "a--b", "技能", "-"].map(left)).toEqual([
    ...[[], ...Array.from({ length: 6 }, () => ["NAME_NOT_SLUG"])],
  ]);
});

it("makes a fingerprint as its clients do: by path, without hidden files", async () => {
  const file = (path: string) => ({ path, sha256: path.length.toString(16).padStart(64, "0") });
  const shown = [file("a.md"), file("B.md"), file("sub/c.md")];
  const hidden = [file(".env"), file("sub/.git/x"), file("node_modules/y")];
  expect(await fingerprintOf([...hidden, ...shown])).toBe(await fingerprintOf(shown.toReversed()));
  expect(await fingerprintOf(shown)).not.toBe(await fingerprintOf(shown.slice(1)));
});

describe("moderation", () => {
  const warning = (severity: "high" | "low") => ({ code: "C", message: "m", path: "a.sh", line: 3, severity });
  it("is suspicious by a high finding alone, and malicious by a block alone", () => {
    const said = (warnings: ReturnType<typeof warning>[], blockedFor: string | null) => {
      const { isSuspicious, isMalwareBlocked, verdict } = moderationOf({ warnings, blockedFor });
      return [isSuspicious, isMalwareBlocked, verdict];
    };
    expect(said([warning("low")], null)).toEqual([false, false, "clean"]);
    expect(said([warning("low"), warning("high")], null)).toEqual([true, false, "suspicious"]);
    expect(said([], "Bad.")).toEqual([false, true, "malicious"]);
  });

  it("names where each was found", () => {
    expect(moderationOf({ warnings: [warning("high"), warning("high")], blockedFor: null })).toMatchObject({
      reasonCodes: ["C"],
      evidence: [{ file: "a.sh", line: 3, severity: "critical" }, { file: "a.sh" }],
    });
  });
});
