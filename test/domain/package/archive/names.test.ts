// Names in encodings other than UTF-8, as Windows writes them, and records hidden in comments or with incomplete data.

import { describe, expect, it } from "vitest";
import { bytesOf, crcOf, extraOf, join, record, SKILL, type ZipEntry } from "../../../support/zip";
import { codes, honest, note } from "./read";

/** Bytes of a name below `demo/`; non-ASCII bytes are hex, such as `<b5b5>`. */
const raw = (name: string): Uint8Array =>
  join(
    ["demo/", ...name.split(/(?=<)|(?<=>)/)].map((part) =>
      part.startsWith("<")
        ? Uint8Array.from(part.slice(1, -1).match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
        : bytesOf(part),
    ),
  );
const named = (name: string, more: Partial<ZipEntry> = {}): ZipEntry => ({
  ...note,
  name: raw(name),
  flags: 0,
  ...more,
});
const field = (forName: Uint8Array, name: string | Uint8Array) =>
  extraOf(0x7075, join([record([1, 1], [4, crcOf(forName)]), bytesOf(name)]));
const pathsOf = (entries: readonly { path: string }[]) => entries.slice(1).map(({ path }) => path.slice(5));

describe("a name that is not UTF-8", () => {
  it.each([
    ["GBK", ["<cad6b2e1>.md"], ["手册.md"]],
    ["GBK", ["<b2cebfbc>/<cad6b2e1>-2.md", "<b1ed>.png"], ["参考/手册-2.md", "表.png"]],
    ["Shift-JIS", ["<8ee888f8>.md"], ["手引.md"]],
    ["Shift-JIS", ["<83658358>.txt", "<905c>.md"], ["テス.txt", "申.md"]],
    ["Windows-1252", ["caf<e9>.md", "Gr<f6df>e.md"], ["café.md", "Größe.md"]],
    ["CP437", ["caf<82>.md", "sch<94>n.md", "Gr<94e1>e.md"], ["café.md", "schön.md", "Größe.md"]],
  ])("is read as %s if only that gives readable text for %j, with a warning", (page, names, expected) => {
    const { entries, issues, warnings } = honest([SKILL, ...names.map((name) => named(name))]);
    expect(issues).toEqual([]);
    expect(pathsOf(entries)).toEqual(expected);
    expect(warnings).toMatchObject([{ code: "NAME_ENCODING_GUESSED", message: expect.stringContaining(page) }]);
  });

  it.each([
    ["one character that could be anything", "<b1ed>.png"],
    ["a letter that stands alone", "<e9>"],
    ["bytes of no encoding", "x<80ff>.md"],
    ["half a pair", "<cad6b2>.md"],
    ["letters of two encodings", "caf<82>-<e9>t<e9>.md"],
  ])("is refused where nothing is certain: %s", (_, name) => {
    const { issues } = honest([SKILL, named(name)]);
    const path = `demo/${name.replace(/<(\w+)>/g, (_all, hex: string) => hex.replace(/../g, "\\x$&"))}`;
    expect(issues).toMatchObject([{ code: "ZIP_NAME_ENCODING", path, message: expect.stringContaining("-mcu=on") }]);
  });

  it("is refused where its names are of two encodings", () => {
    const { issues } = honest([SKILL, named("<cad6b2e1>.md"), named("<8ee888f8>.md")]);
    expect(codes(issues)).toEqual(["ZIP_NAME_ENCODING"]);
  });

  it("is never read against its own claim to be UTF-8", () => {
    const { issues } = honest([SKILL, named("<cad6b2e1>.md", { flags: 0x800 })]);
    expect(codes(issues)).toEqual(["ZIP_NAME_ENCODING"]);
  });

  it("is read from the field that has it in UTF-8", () => {
    const name = raw("<cad6b2e1>.md");
    const { entries, issues, warnings } = honest([
      SKILL,
      named("<cad6b2e1>.md", { extra: field(name, "demo/手册.md") }),
    ]);
    expect([issues, pathsOf(entries), codes(warnings)]).toEqual([[], ["手册.md"], ["NAME_ENCODING_ASSUMED"]]);
  });

  it.each<[string, Uint8Array, string | Uint8Array]>([
    ["is for another name", raw("x"), "demo/表x.md"],
    ["is not UTF-8", raw("<b1ed>x.md"), raw("<b1ed>y.md")],
  ])("is not read from a field that %s", (_, forName, name) => {
    const { issues } = honest([SKILL, named("<b1ed>x.md", { extra: field(forName, name) })]);
    expect(codes(issues)).toContain("ZIP_NAME_ENCODING");
  });

  it("is refused where the local header's field has another one", () => {
    const name = raw("<cad6b2e1>.md");
    const local = { extra: field(name, "demo/other.md") };
    for (const extra of [field(name, "demo/手册.md"), new Uint8Array()])
      expect(codes(honest([SKILL, named("<cad6b2e1>.md", { extra, local })]).issues)).toEqual(["ZIP_UNICODE_PATH"]);
  });

  it("has to be a path like any other", () => {
    const { issues } = honest([SKILL, named("../../<cad6b2e1>.md")]);
    expect(codes(issues)).toEqual(["PATH_DOT_SEGMENT"]);
  });
});

describe("a comment", () => {
  const signatures = ["\x01\x02", "\x03\x04", "\x05\x06", "\x06\x06", "\x06\x07"].map((end) => `see PK${end} here`);
  it.each(signatures)("of an entry or the archive may not hold a record: %j", (comment) => {
    expect(codes(honest([SKILL, { ...note, comment }]).issues)).toEqual(["ZIP_COMMENT"]);
    // For the last record of an archive, a second rule reports an issue as well.
    expect(honest([SKILL, note], { comment: bytesOf(comment) }).issues.length).toBeGreaterThan(0);
  });

  it("may speak of PK", () => {
    expect(honest([SKILL, { ...note, comment: "PK and PKZIP, P K" }], { comment: bytesOf("PK!") }).issues).toEqual([]);
  });
});

describe("a descriptor that only the local header announces", () => {
  const streamed = (more: Partial<ZipEntry> = {}): ZipEntry => ({
    ...note,
    descriptor: true,
    flags: 0,
    local: { flags: 8 },
    ...more,
  });

  it("is one", () => {
    expect(honest([SKILL, streamed(), { ...note, name: "demo/b" }])).toMatchObject({
      issues: [],
      entries: { length: 3 },
    });
  });

  it("has to be there and to agree", () => {
    for (const descriptor of [new Uint8Array(), record([4, 0x08074b50], [4, 1], [4, 6], [4, 6])]) {
      expect(codes(honest([SKILL, streamed({ descriptor })]).issues)).toEqual(["ZIP_DESCRIPTOR"]);
    }
  });

  it("cannot be announced by the central record alone", () => {
    const { issues } = honest([SKILL, { ...note, descriptor: true, flags: 8, local: { flags: 0 } }]);
    expect(codes(issues)).toContain("ZIP_HEADER_MISMATCH");
  });
});
