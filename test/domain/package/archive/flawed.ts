// Archives with one flaw each. The reader rejects them, and the report in the console shows only the reason.

import { deflateSync } from "fflate";
import { PACKAGE_LIMITS } from "../../../../src/domain/limits";
import {
  bytesOf,
  crcOf,
  extraOf,
  join,
  record,
  SKILL,
  type ZipEntry,
  type ZipFlaws,
  zipOf,
} from "../../../support/zip";
import { MiB, noise, note, unicodePath } from "./read";

const latin1 = Uint8Array.of(0x64, 0x65, 0x6d, 0x6f, 0x2f, 0xe9);

const sizes64 = (...values: number[]) => extraOf(1, record(...values.map((value): [number, number] => [8, value])));

/** By flaw: the code of the expected issue, and an archive that would be accepted without the flaw. */
export const FLAWED: [flaw: string, code: string, entries: ZipEntry[], flaws?: ZipFlaws][] = [
  ["data before the archive, offsets adjusted", "ZIP_PREFIX", [SKILL], { prefix: bytesOf("#!/bin/sh\n") }],
  [
    "data before the archive, offsets not adjusted",
    "ZIP_DIRECTORY_MISPLACED",
    [SKILL],
    { prefix: bytesOf("MZ"), adjusted: false },
  ],
  ["data before an empty archive", "ZIP_PREFIX", [], { prefix: bytesOf("x") }],
  ["data behind the archive", "ZIP_TRAILING_DATA", [SKILL], { suffix: bytesOf("x") }],
  [
    "another archive behind it",
    "ZIP_PREFIX",
    [SKILL],
    { suffix: zipOf([note], { prefix: zipOf([SKILL]) }).subarray(zipOf([SKILL]).length) },
  ],
  ["a comment that holds an end record", "ZIP_DIRECTORY_MISPLACED", [SKILL], { comment: zipOf([]) }],
  [
    "a comment that holds a broken end record",
    "ZIP_TRAILING_DATA",
    [SKILL],
    { comment: join([zipOf([]), bytesOf("x")]) },
  ],
  ["a gap between entries", "ZIP_GAP", [SKILL, { ...note, before: bytesOf("hidden") }]],
  ["a gap before the directory", "ZIP_GAP", [SKILL], { beforeDirectory: bytesOf("hidden") }],
  ["an entry that no directory lists", "ZIP_GAP", [SKILL, { ...note, listed: false }]],
  ["data behind the directory", "ZIP_DIRECTORY_MISPLACED", [SKILL], { afterDirectory: bytesOf("hidden") }],
  ["two entries on the same bytes", "ZIP_OVERLAP", [SKILL, { ...SKILL, sameAs: 0 }]],
  ["a directory of another size", "ZIP_DIRECTORY_BROKEN", [SKILL, note], { end: { countHere: 1, count: 1 } }],
  ["more entries announced than there are", "ZIP_DIRECTORY_BROKEN", [SKILL], { end: { countHere: 2, count: 2 } }],
  ["two different counts", "ZIP_COUNT_MISMATCH", [SKILL], { end: { countHere: 2 } }],
  ["a part of several", "ZIP_MULTI_DISK", [SKILL], { end: { disk: 1 } }],
  ["a directory on another disk", "ZIP_MULTI_DISK", [SKILL], { end: { directoryDisk: 1 } }],
  ["an entry on another disk", "ZIP_MULTI_DISK", [SKILL, { ...note, disk: 1 }]],
  ["no local header", "ZIP_LOCAL_HEADER", [SKILL, { ...note, local: { signature: 0x04034b51 } }]],
  ["a local header elsewhere", "ZIP_LOCAL_HEADER", [SKILL, { ...note, offsetShift: 1 }]],
  ["another name in the local header", "ZIP_HEADER_MISMATCH", [SKILL, { ...note, local: { name: "demo/evil.md" } }]],
  ["another method in the local header", "ZIP_HEADER_MISMATCH", [SKILL, { ...note, local: { method: 8 } }]],
  ["other flags in the local header", "ZIP_HEADER_MISMATCH", [SKILL, { ...note, local: { flags: 2 } }]],
  ["another CRC in the local header", "ZIP_HEADER_MISMATCH", [SKILL, { ...note, local: { crc: 1 } }]],
  ["another size in the local header", "ZIP_HEADER_MISMATCH", [SKILL, { ...note, local: { size: 1 } }]],
  ["another packed size in the local header", "ZIP_HEADER_MISMATCH", [SKILL, { ...note, local: { packedSize: 1 } }]],
  [
    "zeros in the local header without a descriptor",
    "ZIP_HEADER_MISMATCH",
    [SKILL, { ...note, local: { crc: 0, size: 0, packedSize: 0 } }],
  ],
  [
    "a descriptor with another CRC",
    "ZIP_DESCRIPTOR",
    [SKILL, { ...note, flags: 8, descriptor: record([4, 0x08074b50], [4, 1], [4, 6], [4, 6]) }],
  ],
  [
    "a descriptor with another size",
    "ZIP_DESCRIPTOR",
    [SKILL, { ...note, flags: 8, descriptor: record([4, crcOf(bytesOf("a note"))], [4, 6], [4, 7]) }],
  ],
  [
    "a descriptor with another packed size",
    "ZIP_DESCRIPTOR",
    [SKILL, { ...note, flags: 8, descriptor: record([4, crcOf(bytesOf("a note"))], [4, 7], [4, 6]) }],
  ],
  [
    "a descriptor with another signature",
    "ZIP_DESCRIPTOR",
    [SKILL, { ...note, flags: 8, descriptor: record([4, 0x08074b51], [4, crcOf(bytesOf("a note"))], [4, 6], [4, 6]) }],
  ],
  ["a missing descriptor", "ZIP_DESCRIPTOR", [SKILL, { ...note, flags: 8, descriptor: new Uint8Array() }]],
  [
    "a descriptor that nothing announces",
    "ZIP_GAP",
    [{ ...SKILL, flags: 0, descriptor: true, local: { crc: crcOf(bytesOf(SKILL.data!)), size: 45, packedSize: 45 } }],
  ],
  ["damaged extra fields", "ZIP_EXTRA_BROKEN", [SKILL, { ...note, extra: record([2, 0x5455], [2, 9], [1, 0]) }]],
  [
    "damaged extra fields in the local header",
    "ZIP_EXTRA_BROKEN",
    [SKILL, { ...note, local: { extra: Uint8Array.of(1) } }],
  ],
  [
    "the same name field twice",
    "ZIP_EXTRA_BROKEN",
    [
      SKILL,
      {
        ...note,
        extra: join([unicodePath("demo/note.md", "demo/note.md"), unicodePath("demo/note.md", "demo/note.md")]),
      },
    ],
  ],
  ["a second name", "ZIP_UNICODE_PATH", [SKILL, { ...note, extra: unicodePath("demo/note.md", "demo/evil.md") }]],
  [
    "a second name for another name",
    "ZIP_UNICODE_PATH",
    [SKILL, { ...note, extra: unicodePath("demo/x", "demo/note.md") }],
  ],
  [
    "a second name in the local header",
    "ZIP_UNICODE_PATH",
    [SKILL, { ...note, extra: new Uint8Array(), local: { extra: unicodePath("demo/note.md", "demo/evil.md") } }],
  ],
  [
    "ZIP64 sizes that stand for nothing",
    "ZIP64_INCONSISTENT",
    [SKILL, { ...note, extra: sizes64(6, 6), local: { extra: new Uint8Array() } }],
  ],
  ["missing ZIP64 sizes", "ZIP64_INCONSISTENT", [SKILL, { ...note, size: 0xffffffff, local: { size: 6 } }]],
  ["missing ZIP64 sizes in the local header", "ZIP64_INCONSISTENT", [SKILL, { ...note, local: { size: 0xffffffff } }]],
  ["a ZIP64 mark without ZIP64 records", "ZIP64_INCONSISTENT", [SKILL], { end: { offset: 0xffffffff } }],
  ["a ZIP64 end that contradicts", "ZIP64_INCONSISTENT", [SKILL], { zip64: true, end: { count: 2, countHere: 2 } }],
  [
    "a ZIP64 locator that points elsewhere",
    "ZIP64_INCONSISTENT",
    [SKILL],
    {
      zip64: (r) => {
        r[56 + 8]! ^= 1;
        return r;
      },
    },
  ],
  [
    "a ZIP64 end with data of its own",
    "ZIP64_INCONSISTENT",
    [SKILL],
    {
      zip64: (r) => {
        r[4] = 45;
        return r;
      },
    },
  ],
  ["an encrypted file", "ZIP_ENCRYPTED", [SKILL, { ...note, flags: 1 }]],
  ["strong encryption", "ZIP_ENCRYPTED", [SKILL, { ...note, flags: 1 << 6 }]],
  ["masked headers", "ZIP_ENCRYPTED", [SKILL, { ...note, flags: 1 << 13 }]],
  ["patched data", "ZIP_FLAGS", [SKILL, { ...note, flags: 1 << 5 }]],
  ["method 9", "ZIP_METHOD", [SKILL, { ...note, method: 9 }]],
  ["method 93", "ZIP_METHOD", [SKILL, { ...note, method: 93 }]],
  ["a symbolic link", "ZIP_SPECIAL_FILE", [SKILL, { ...note, mode: 0o120777 }]],
  ["a device", "ZIP_SPECIAL_FILE", [SKILL, { ...note, mode: 0o060644 }]],
  ["a pipe", "ZIP_SPECIAL_FILE", [SKILL, { ...note, mode: 0o010644 }]],
  ["setuid", "ZIP_SETUID", [SKILL, { ...note, mode: 0o104755 }]],
  ["setgid", "ZIP_SETUID", [SKILL, { ...note, mode: 0o102755 }]],
  ["a folder that is a file", "ZIP_ENTRY_TYPE", [SKILL, { name: "demo/docs/", mode: 0o100644 }]],
  ["a file that is a folder", "ZIP_ENTRY_TYPE", [SKILL, { ...note, mode: 0o040755 }]],
  ["a file that is a folder on DOS", "ZIP_ENTRY_TYPE", [SKILL, { ...note, attributes: 0x10 }]],
  ["a folder with content", "ZIP_DIRECTORY_DATA", [SKILL, { name: "demo/docs/", data: "x" }]],
  ["an absolute path", "PATH_ABSOLUTE", [SKILL, { ...note, name: "/etc/passwd" }]],
  ["a path out of the package", "PATH_DOT_SEGMENT", [SKILL, { ...note, name: "demo/../../x" }]],
  ["a path with a dot", "PATH_DOT_SEGMENT", [SKILL, { ...note, name: "./demo/x" }]],
  ["an empty segment", "PATH_EMPTY_SEGMENT", [SKILL, { ...note, name: "demo//x" }]],
  ["an empty name", "PATH_EMPTY", [SKILL, { ...note, name: "" }]],
  ["a backslash", "PATH_BACKSLASH", [SKILL, { ...note, name: "demo\\x" }]],
  ["a drive letter", "PATH_DRIVE_LETTER", [SKILL, { ...note, name: "C:x" }]],
  ["NUL in a name", "PATH_CONTROL", [SKILL, { ...note, name: "demo/x\0.md" }]],
  ["a line break in a name", "PATH_CONTROL", [SKILL, { ...note, name: "demo/x\n.md" }]],
  ["a reversed name", "PATH_BIDI", [SKILL, { ...note, name: "demo/x\u202egpj.js" }]],
  ["a very long name", "PATH_TOO_LONG", [SKILL, { ...note, name: `demo/${"x".repeat(251)}` }]],
  ["a name that is not UTF-8", "ZIP_NAME_ENCODING", [SKILL, { ...note, name: latin1, flags: 0 }]],
  ["a name that is not the UTF-8 it claims", "ZIP_NAME_ENCODING", [SKILL, { ...note, name: latin1, flags: 0x800 }]],
  ["a name twice", "PATH_DUPLICATE", [SKILL, note, { ...note, data: "another" }]],
  ["a name twice but for case", "PATH_DUPLICATE", [SKILL, note, { ...note, name: "demo/NOTE.md" }]],
  [
    "a name twice but for case folding",
    "PATH_DUPLICATE",
    [SKILL, { ...note, name: "demo/straße" }, { ...note, name: "demo/STRASSE" }],
  ],
  [
    "a name twice but for normalisation",
    "PATH_DUPLICATE",
    [SKILL, { ...note, name: "demo/caf\u00e9" }, { ...note, name: "demo/cafe\u0301" }],
  ],
  ["SKILL.md beside skill.md", "PATH_DUPLICATE", [SKILL, { ...SKILL, name: "demo/skill.md" }]],
  ["a folder twice", "PATH_DUPLICATE", [SKILL, { name: "demo/" }, { name: "demo/" }]],
  ["a file used as a folder", "PATH_FILE_AS_FOLDER", [SKILL, { ...note, name: "demo/SKILL.md/x" }]],
  ["a file and a folder of one name", "PATH_FILE_AS_FOLDER", [SKILL, note, { name: "demo/Note.md/" }]],
  ["a wrong CRC, stored", "ZIP_CRC_MISMATCH", [SKILL, { ...note, crc: 1 }]],
  ["a wrong CRC, deflated", "ZIP_CRC_MISMATCH", [SKILL, { ...note, method: 8, crc: 1 }]],
  ["a stored file with two sizes", "ZIP_SIZE_MISMATCH", [SKILL, { ...note, size: 7 }]],
  ["a size that is too small", "ZIP_SIZE_MISMATCH", [SKILL, { ...note, method: 8, size: 5 }]],
  ["a size that is too large", "ZIP_SIZE_MISMATCH", [SKILL, { ...note, method: 8, size: 7 }]],
  [
    "an incomplete stream",
    "ZIP_DATA_BROKEN",
    [SKILL, { ...note, method: 8, packed: deflateSync(bytesOf("a note")).slice(0, -1) }],
  ],
  [
    "data behind the stream",
    "ZIP_DATA_BROKEN",
    [SKILL, { ...note, method: 8, packed: join([deflateSync(bytesOf("a note")), Uint8Array.of(0)]) }],
  ],
  ["a damaged stream", "ZIP_DATA_BROKEN", [SKILL, { ...note, method: 8, packed: Uint8Array.of(7, 0, 0) }]],
  ["a large file", "FILE_TOO_LARGE", [SKILL, { ...note, data: noise(PACKAGE_LIMITS.fileBytes + 1) }]],
  ["a file that claims to be large", "FILE_TOO_LARGE", [SKILL, { ...note, size: 0xfffffffe }]],
  [
    "much in all",
    "UNPACKED_TOO_LARGE",
    [SKILL, ...[1, 2, 3, 4].map((n) => ({ name: `demo/${n}`, method: 8, data: text(4 * MiB) }))],
  ],
  [
    "many files",
    "TOO_MANY_FILES",
    [SKILL, ...Array.from({ length: PACKAGE_LIMITS.files }, (_, n) => ({ name: `demo/${n}` }))],
  ],
  [
    "very many records",
    "TOO_MANY_FILES",
    [SKILL, ...Array.from({ length: PACKAGE_LIMITS.files * 4 }, (_, n) => ({ name: `demo/${n}/` }))],
  ],
  ["a bomb", "RATIO_TOO_HIGH", [SKILL, { ...note, method: 8, data: new Uint8Array(2 * MiB) }]],
];

/** Compresses about five times. */
function text(length: number): Uint8Array {
  return noise(length).map((byte) => (byte & 1 ? 32 + (byte >> 6) : 32));
}
