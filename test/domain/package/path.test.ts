import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkPath, foldName, plainPath, printable } from "../../../src/domain/package/path";

const codes = (path: string) => checkPath(path).issues.map(({ code }) => code);

describe("plainPath", () => {
  it("is the path of a file or null, for any request", () => {
    const part = fc.constantFrom("a", "b", ".", "..", "", "...", "..a");
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
        const asked = parts.join("/");
        const plain = plainPath(asked);
        // As a browser reads it below a folder, where it does not leave that folder.
        const url = new URL(`x:/root/${parts.filter((each) => each !== "").join("/")}`).pathname;
        if (plain === null) expect(asked.startsWith("/") || `/${asked}/`.includes("/../")).toBe(true);
        else expect(`/root/${plain}`.replace(/\/$/, "")).toBe(url.replace(/\/$/, ""));
        expect(plain === null || plain === "" || checkPath(plain).issues.length === 0).toBe(true);
      }),
    );
  });
});

describe("checkPath", () => {
  const accepted = [
    "SKILL.md",
    "a/b/c.txt",
    "a..b.md",
    "..a",
    ".hidden/x",
    "a b.md",
    "技能/说明.md",
    "👩‍💻.md",
    "x".repeat(255),
  ];
  for (const path of accepted) {
    it(`accepts ${path.slice(0, 30)}`, () => {
      expect(checkPath(path)).toEqual({ path, directory: false, issues: [], warnings: [] });
    });
  }

  it.each([
    ["", "PATH_EMPTY"],
    ["/a", "PATH_ABSOLUTE"],
    ["c:a", "PATH_DRIVE_LETTER"],
    ["a\\b", "PATH_BACKSLASH"],
    ["..", "PATH_DOT_SEGMENT"],
    ["a/../b", "PATH_DOT_SEGMENT"],
    ["a/.", "PATH_DOT_SEGMENT"],
    ["a//b", "PATH_EMPTY_SEGMENT"],
    ["a//", "PATH_EMPTY_SEGMENT"],
    ["a\u0000b", "PATH_CONTROL"],
    ["a\u007fb", "PATH_CONTROL"],
    ["a\u0085b", "PATH_CONTROL"],
    ["a\u2028b", "PATH_CONTROL"],
    ["a\ud800b", "PATH_CONTROL"],
    ["a\u202eb", "PATH_BIDI"],
    ["a\u2066b", "PATH_BIDI"],
    ["a\u200fb", "PATH_BIDI"],
    ["é".repeat(128), "PATH_TOO_LONG"],
  ])("refuses %j with %s", (path, code) => {
    expect(codes(path)).toEqual([code]);
  });

  it("lists all problems at once", () => {
    expect(codes("C:\\a/../b")).toEqual(["PATH_DRIVE_LETTER", "PATH_BACKSLASH", "PATH_DOT_SEGMENT"]);
  });

  it("treats a trailing slash as a directory and composes letters", () => {
    expect(checkPath("cafe\u0301/")).toMatchObject({ path: "caf\u00e9", directory: true, issues: [] });
  });

  it.each(["con", "a/NUL.txt", "x/Com1.md", "ab:c", "a?", "name.", "name "])(
    "only warns that Windows cannot hold %j",
    (path) => {
      expect(checkPath(path)).toMatchObject({ issues: [], warnings: [{ code: "PATH_NOT_PORTABLE", path }] });
    },
  );

  it("of an accepted path is stable, and its parts stay inside", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 40 }), (text) => {
        const { path, issues } = checkPath(text);
        if (issues.length > 0) return;
        expect(checkPath(path)).toMatchObject({ path, issues: [] });
        expect(
          decodeURIComponent(new URL(path.split("/").map(encodeURIComponent).join("/"), "http://x/base/").pathname),
        ).toBe(`/base/${path}`);
      }),
    );
  });
});

describe("foldName", () => {
  it.each([
    ["SKILL.md", "skill.MD"],
    ["straße", "STRASSE"],
    ["caf\u00e9", "CAFE\u0301"],
    ["ΟΔΟΣ", "οδος"],
    ["ǆ", "ǅ"],
  ])("makes %s and %s equal", (a, b) => {
    expect(foldName(a)).toBe(foldName(b));
  });

  it("keeps different names different", () => {
    expect(new Set(["a-b", "a_b", "ab", "á", "a"].map(foldName)).size).toBe(5);
  });
});

describe("printable", () => {
  it("escapes and cuts", () => {
    expect(printable("a\u202eb\n\ud800")).toBe("a\\u202eb\\u000a\ufffd");
    expect(printable("x".repeat(400))).toHaveLength(301);
  });
});
