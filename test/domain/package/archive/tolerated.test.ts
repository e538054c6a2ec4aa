// Warnings about archives, tolerated deviations, and archives of real ZIP tools.

import { describe, expect, it } from "vitest";
import { PACKAGE_LIMITS } from "../../../../src/domain/limits";
import { readArchive } from "../../../../src/domain/package/archive";
import { ARCHIVES } from "../../../support/archives";
import { bytesOf, SKILL, type ZipEntry } from "../../../support/zip";
import { codes, expectSameAsStrictReader, honest, MiB, noise, note, unicodePath } from "./read";

describe("reported deviations", () => {
  it("is everything that can be seen at once", () => {
    const issues = honest([
      SKILL,
      { ...note, crc: 1 },
      { name: "../x", mode: 0o120777 },
      { name: "demo/a", method: 9 },
    ]).issues;
    expect(issues.map(({ code, path }) => [code, path])).toEqual([
      ["PATH_DOT_SEGMENT", "../x"],
      ["ZIP_SPECIAL_FILE", "../x"],
      ["ZIP_METHOD", "demo/a"],
      ["ZIP_CRC_MISMATCH", "demo/note.md"],
    ]);
  });

  it("does not repeat the characters that it refuses", () => {
    expect(honest([SKILL, { ...note, name: "demo/\u202ex\n" }]).issues[0]?.path).toBe("demo/\\u202ex\\u000a");
  });
});

describe("tolerated deviations", () => {
  it("names without the UTF-8 flag that are UTF-8, with a warning", () => {
    const { entries, issues, warnings } = honest([SKILL, { ...note, name: "demo/café", flags: 0 }]);
    expect(issues).toEqual([]);
    expect(warnings).toMatchObject([{ code: "NAME_ENCODING_ASSUMED", path: "demo/café" }]);
    expect(entries[1]?.path).toBe("demo/café");
  });

  it("decomposed names, composed with a warning", () => {
    const { entries, warnings } = honest([SKILL, { ...note, name: "demo/cafe\u0301" }]);
    expect(codes(warnings)).toEqual(["PATH_NORMALIZED"]);
    expect(entries[1]?.path).toBe("demo/caf\u00e9");
  });

  it("a second name that agrees", () => {
    expect(honest([SKILL, { ...note, extra: unicodePath("demo/note.md", "demo/note.md") }]).issues).toEqual([]);
  });

  it("ZIP64 records that agree", () => {
    expect(honest([SKILL, note], { zip64: true })).toMatchObject({ issues: [], entries: { length: 2 } });
  });

  it("comments, folders, DOS attributes, entries listed in another order", () => {
    const entries: ZipEntry[] = [{ name: "demo/" }, { ...SKILL, attributes: 0x20 }, { ...note, comment: "what it is" }];
    expect(honest(entries, { comment: bytesOf("0123456789abcdef") })).toMatchObject({
      issues: [],
      entries: { length: 2 },
    });
  });

  it("the executable bit of the owner, and no other bit", () => {
    const { entries } = honest(
      [0o100700, 0o100655, 0o100644, 0o101755].map((mode, n) => ({ name: `demo/${n}`, mode })),
    );
    expect(entries.map(({ mode }) => mode)).toEqual([0o755, 0o644, 0o644, 0o755]);
  });

  it("files that macOS adds: dropped with one warning", () => {
    const added = ["__MACOSX/demo/._SKILL.md", "__MACOSX/icon", "demo/.DS_Store", "demo/._x"].map((name) => ({
      name,
      data: "x",
    }));
    const { entries, issues, warnings } = honest([SKILL, ...added]);
    expect(issues).toEqual([]);
    expect(codes(warnings)).toEqual(["PLATFORM_FILES_DROPPED"]);
    expect(entries.map(({ path }) => path)).toEqual(["demo/SKILL.md"]);
  });

  it("folders that differ in case, and names that Windows cannot hold, with warnings", () => {
    const { issues, warnings } = honest([
      SKILL,
      { ...note, name: "demo/Docs/a" },
      { ...note, name: "demo/docs/aux.md" },
    ]);
    expect(issues).toEqual([]);
    expect(codes(warnings).sort()).toEqual(["FOLDER_CASE_CLASH", "PATH_NOT_PORTABLE"]);
  });

  it("names that look like members of objects", () => {
    const names = ["__proto__", "constructor", "a..b.md", "...", "toString"];
    const { entries, issues } = honest(names.map((name) => ({ name, data: name })));
    expect(issues).toEqual([]);
    expect(entries.map(({ path }) => path)).toEqual(names);
  });

  it("limits are reached, not only approached", () => {
    expect(honest([SKILL, { ...note, data: noise(PACKAGE_LIMITS.fileBytes) }]).issues).toEqual([]);
    expect(honest(Array.from({ length: PACKAGE_LIMITS.files }, (_, n) => ({ name: `demo/${n}` }))).issues).toEqual([]);
    expect(honest([{ ...note, method: 8, data: new Uint8Array(MiB) }]).issues).toEqual([]);
  });
});

describe("honest archives of real writers are accepted", () => {
  for (const [writer, base64] of Object.entries(ARCHIVES)) {
    it(writer, async () => {
      const zip = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
      const { entries, issues } = readArchive(zip);
      expect(issues).toEqual([]);
      const paths = entries.map(({ path }) => path).filter((path) => path !== "demo/forced.txt");
      expect(paths.sort()).toEqual(["demo/SKILL.md", "demo/docs/café.md", "demo/scripts/run.sh"]);
      expect(entries.find(({ path }) => path.endsWith(".sh"))?.mode).toBe(0o755);
      await expectSameAsStrictReader(zip, entries);
    });
  }
});
