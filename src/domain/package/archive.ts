// Parses a ZIP into a list of files, or into a list of all its issues. Nothing is inflated before the records agree with each other, no
// memory is allocated because of a declared size, and an ambiguous archive is rejected.

import { crc32 } from "../crc32";
import type { Issue } from "../errors";
import { PACKAGE_LIMITS } from "../limits";
import { findDirectory } from "./archive/end";
import type { CodePage } from "./archive/name";
import { type ArchiveRecord, readRecords } from "./archive/record";
import { checkCollisions } from "./collisions";
import { inflate } from "./inflate";
import { checkPath, ignoredPathPart, ignoredPathWarnings, printable } from "./path";

/** One file of an archive. */
export interface ArchiveEntry {
  /** Relative, NFC, checked by `path.ts`. */
  path: string;
  bytes: Uint8Array;
  /** CRC-32 of the bytes, already verified. */
  crc: number;
  /** 0755 if the owner-execute bit is set in the archive. */
  mode: 0o644 | 0o755;
}

/**
 * The result of reading an archive. If there are issues, `entries` contains the files that were readable, so that they can be checked too.
 */
export interface ArchiveReading {
  entries: ArchiveEntry[];
  issues: Issue[];
  warnings: Issue[];
}

/** A record with a valid header, and its path. */
interface Member {
  record: ArchiveRecord;
  path: string;
  directory: boolean;
}

const STORED = 0;
const DEFLATED = 8;
const ENCRYPTED = (1 << 0) | (1 << 6) | (1 << 13);
/** Flags that need no handling: compression level (1, 2), descriptor (3), UTF-8 name (11). */
const HARMLESS = (1 << 1) | (1 << 2) | (1 << 3) | (1 << 11);
const TYPE_BITS = 0o170000;
const REGULAR = 0o100000;
const DIRECTORY = 0o040000;
const SETUID_SETGID = 0o6000;
const OWNER_EXECUTE = 0o100;
const DOS_DIRECTORY = 0x10;
/** Limit on records. Folders and ignored files count as records but not as files. */
const MAX_RECORDS = PACKAGE_LIMITS.files * 4;
const CODE_PAGES: ReadonlySet<string> = new Set<CodePage>(["GBK", "Shift-JIS", "Windows-1252", "CP437"]);

/**
 * Reads an archive. Never throws because of its content. Issue codes: those of `archive/end.ts`, `archive/record.ts`, `path.ts` and
 * `collisions.ts`, and `ZIP_TOO_LARGE`, `ZIP_ENCRYPTED`, `ZIP_FLAGS`, `ZIP_METHOD`, `ZIP_SPECIAL_FILE`, `ZIP_SETUID`, `ZIP_ENTRY_TYPE`,
 * `ZIP_DIRECTORY_DATA`, `ZIP_DATA_BROKEN`, `ZIP_SIZE_MISMATCH`, `ZIP_CRC_MISMATCH`, `FILE_TOO_LARGE`, `UNPACKED_TOO_LARGE`,
 * `TOO_MANY_FILES`, `RATIO_TOO_HIGH`.
 */
export function readArchive(bytes: Uint8Array): ArchiveReading {
  if (bytes.length > PACKAGE_LIMITS.zipBytes) {
    return refused({
      code: "ZIP_TOO_LARGE",
      message: `ZIP too large (limit ${PACKAGE_LIMITS.zipBytes / 1_048_576} MiB, received ${bytes.length} bytes). Remove files.`,
    });
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const place = findDirectory(view);
  if ("code" in place) return refused(place);
  if (place.count > MAX_RECORDS) return refused(tooManyFiles(place.count));
  const { records, issues, framed } = readRecords(bytes, view, place);
  if (!framed) return { entries: [], issues, warnings: [] };

  const warnings: Issue[] = [];
  const members: Member[] = [];
  const leftOut: string[] = [];
  for (const record of records) {
    const { path, directory, issues: pathIssues, warnings: pathWarnings } = checkPath(record.name);
    // Links and long paths are common in ignored folders, and ignored files are never unpacked.
    if (ignoredPathPart(path) !== null && pathIssues.every(({ code }) => code === "PATH_TOO_LONG")) {
      if (!directory) leftOut.push(path);
      continue;
    }
    const found = [...pathIssues, ...checkHeader(record, directory)];
    warnings.push(...pathWarnings);
    issues.push(...found);
    if (found.length === 0) members.push({ record, path, directory });
  }
  const collisions = checkCollisions(members);
  issues.push(...collisions.issues);
  warnings.push(...collisions.warnings, ...ignoredPathWarnings(leftOut), ...nameWarnings(records));

  const files = members.filter(({ directory }) => !directory);
  if (files.length > PACKAGE_LIMITS.files) issues.push(tooManyFiles(files.length));
  return { entries: readMembers(members, issues), issues, warnings };
}

/** Unpacks all members, so that each one is checked, and returns the files. */
function readMembers(members: readonly Member[], issues: Issue[]): ArchiveEntry[] {
  const total = members.reduce((sum, { record }) => sum + record.size, 0);
  if (total > PACKAGE_LIMITS.unpackedBytes) {
    const message = `Unpacked skill too large (limit ${PACKAGE_LIMITS.unpackedBytes / 1_048_576} MiB, found ${total} bytes). Remove files.`;
    issues.push({ code: "UNPACKED_TOO_LARGE", message });
    return [];
  }
  const entries: ArchiveEntry[] = [];
  for (const { record, path, directory } of members) {
    const bytes = unpack(record);
    if (bytes instanceof Uint8Array) {
      const mode = (record.attributes >>> 16) & OWNER_EXECUTE ? 0o755 : 0o644;
      if (!directory) entries.push({ path, bytes, crc: record.crc, mode });
    } else {
      issues.push({ ...bytes, path });
    }
  }
  return entries;
}

function unpack(record: ArchiveRecord): Uint8Array | Issue {
  const unpacked = record.method === STORED ? stored(record) : inflated(record);
  if (unpacked instanceof Uint8Array && crc32(unpacked) !== record.crc) {
    return {
      code: "ZIP_CRC_MISMATCH",
      message: "The file is damaged: its checksum does not match. Create the ZIP again.",
    };
  }
  return unpacked;
}

function stored(record: ArchiveRecord): Uint8Array | Issue {
  return record.packed.length === record.size ? record.packed.slice() : sizeMismatch();
}

function inflated(record: ArchiveRecord): Uint8Array | Issue {
  const result = inflate(record.packed, record.size);
  if (result === "too_long") return sizeMismatch();
  if (result === "broken" || result.consumed !== record.packed.length) {
    return {
      code: "ZIP_DATA_BROKEN",
      message: "The compressed data is damaged, incomplete or followed by other data. Create the ZIP again.",
    };
  }
  return result.bytes.length === record.size ? result.bytes : sizeMismatch();
}

function sizeMismatch(): Issue {
  return { code: "ZIP_SIZE_MISMATCH", message: "The file size does not match its header. Create the ZIP again." };
}

/** Checks the header of an entry before its content is read. */
function checkHeader(record: ArchiveRecord, directory: boolean): Issue[] {
  const { flags, method, size, packed, attributes } = record;
  const mode = attributes >>> 16;
  const type = mode & TYPE_BITS;
  const claimsDirectory = type === DIRECTORY || (attributes & DOS_DIRECTORY) !== 0;
  const compressed = Math.max(packed.length, 1);
  const rules: [boolean, string, string][] = [
    [(flags & ENCRYPTED) !== 0, "ZIP_ENCRYPTED", "The file is encrypted. Create the ZIP without a password."],
    [
      (flags & ~HARMLESS & ~ENCRYPTED) !== 0,
      "ZIP_FLAGS",
      "The file uses an unsupported ZIP feature. Create the ZIP with standard options.",
    ],
    [
      method !== STORED && method !== DEFLATED,
      "ZIP_METHOD",
      `Compression method ${method} is not supported. Use deflate or store.`,
    ],
    [
      type !== 0 && type !== REGULAR && type !== DIRECTORY,
      "ZIP_SPECIAL_FILE",
      "The entry is a link, device or other special file. Include regular files only.",
    ],
    [!directory && (mode & SETUID_SETGID) !== 0, "ZIP_SETUID", "The file has the setuid or setgid bit. Remove it."],
    [
      directory ? type === REGULAR : claimsDirectory,
      "ZIP_ENTRY_TYPE",
      "The name and the attributes of the entry disagree about whether it is a folder. Create the ZIP again.",
    ],
    [directory && size > 0, "ZIP_DIRECTORY_DATA", "The folder entry has content. Create the ZIP again."],
    [
      size > PACKAGE_LIMITS.fileBytes,
      "FILE_TOO_LARGE",
      `File too large (limit ${PACKAGE_LIMITS.fileBytes / 1_048_576} MiB, found ${size} bytes). Remove or shorten it.`,
    ],
    [
      method === DEFLATED && size > PACKAGE_LIMITS.ratioFreeBytes && size > compressed * PACKAGE_LIMITS.ratio,
      "RATIO_TOO_HIGH",
      `Compression ratio too high (limit ${PACKAGE_LIMITS.ratio}). Remove repetitive data from the file.`,
    ],
  ];
  const path = printable(record.name);
  return rules.filter(([applies]) => applies).map(([, code, message]) => ({ code, message, path }));
}

/** Returns one warning for each kind of name that was dropped or decoded from another encoding. */
function nameWarnings(records: readonly ArchiveRecord[]): Issue[] {
  const from = (source: ArchiveRecord["nameFrom"]) => records.filter(({ nameFrom }) => nameFrom === source);
  const guessed = records.filter(({ nameFrom }) => CODE_PAGES.has(nameFrom));
  const changed = records.filter(({ name }) => name.normalize("NFC") !== name);
  const rules: [ArchiveRecord[], string, string, string][] = [
    [
      from("unmarked"),
      "NAME_ENCODING_ASSUMED",
      "File names without the UTF-8 flag were read as UTF-8",
      "Check the names.",
    ],
    [
      from("field"),
      "NAME_ENCODING_ASSUMED",
      "File names that are not UTF-8 were read from the field that contains them in UTF-8",
      "Check the names.",
    ],
    [
      guessed,
      "NAME_ENCODING_GUESSED",
      `File names that are not UTF-8 were read as ${guessed[0]?.nameFrom}`,
      "If that is wrong, create the ZIP again with UTF-8 names.",
    ],
    [changed, "PATH_NORMALIZED", "File names were changed to Unicode form NFC", "Use these names in the skill."],
  ];
  return rules.flatMap(([names, code, text, advice]) => {
    const [first] = names;
    const message = `${text} (${names.length}). ${advice}`;
    return first === undefined ? [] : [{ code, message, path: printable(first.name) }];
  });
}

function tooManyFiles(count: number): Issue {
  return {
    code: "TOO_MANY_FILES",
    message: `Too many files (limit ${PACKAGE_LIMITS.files}, found ${count}). Remove files.`,
  };
}

function refused(issue: Issue): ArchiveReading {
  return { entries: [], issues: [issue], warnings: [] };
}
