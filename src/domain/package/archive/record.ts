// Reads the central directory and the local headers of a ZIP. Readers differ in which of them they trust, so an archive is accepted only if
// both agree.

import type { Issue } from "../../errors";
import { printable } from "../path";
import { type DirectoryPlace, hidesArchive } from "./end";
import { type Extra, equalBytes, readExtra, resolveZip64 } from "./extra";
import {
  type CodePage,
  codePageOf,
  decodeName,
  escapedName,
  type NameSource,
  NOT_UTF8,
  unicodeName,
  utf8Name,
} from "./name";

/** One entry, as described by both its central record and its local header. */
export interface ArchiveRecord {
  name: string;
  nameFrom: NameSource;
  flags: number;
  method: number;
  crc: number;
  size: number;
  attributes: number;
  /** The bytes as stored. */
  packed: Uint8Array;
}

/** The parsed records. `framed` is false if they contradict each other, so that no content can be trusted. */
export interface ArchiveRecords {
  records: ArchiveRecord[];
  issues: Issue[];
  framed: boolean;
}

interface Central {
  rawName: Uint8Array;
  name: string;
  nameFrom: NameSource;
  flags: number;
  method: number;
  crc: number;
  packedSize: number;
  size: number;
  attributes: number;
  offset: number;
}

/** The location of an entry's bytes. `end` is the offset after its data. */
interface Local {
  central: Central;
  dataAt: number;
  end: number;
  zip64: boolean;
  /** Whether a descriptor follows the data. */
  streamed: boolean;
}

const CENTRAL_BYTES = 46;
const CENTRAL_SIGNATURE = 0x02014b50;
const LOCAL_BYTES = 30;
const LOCAL_SIGNATURE = 0x04034b50;
const DESCRIPTOR_SIGNATURE = 0x08074b50;
const HAS_DESCRIPTOR = 1 << 3;
const NAME_IS_UTF8 = 1 << 11;

/**
 * Reads and cross-checks all records. Issues: `ZIP_DIRECTORY_BROKEN`, `ZIP_MULTI_DISK`, `ZIP_EXTRA_BROKEN`, `ZIP64_INCONSISTENT`,
 * `ZIP_NAME_ENCODING`, `ZIP_UNICODE_PATH`, `ZIP_COMMENT`, `ZIP_LOCAL_HEADER`, `ZIP_HEADER_MISMATCH`, `ZIP_DESCRIPTOR`, `ZIP_PREFIX`,
 * `ZIP_GAP`, `ZIP_OVERLAP`.
 */
export function readRecords(bytes: Uint8Array, view: DataView, place: DirectoryPlace): ArchiveRecords {
  const issues: Issue[] = [];
  const locals: Local[] = [];
  const places: number[] = [];
  let end = place.offset;
  for (let index = 0; index < place.count; index++) {
    const length = centralLength(view, end, place.end);
    if (length === null) return { records: [], issues: [brokenDirectory()], framed: false };
    places.push(end);
    end += length;
  }
  const names = places.map((at) =>
    bytes.subarray(at + CENTRAL_BYTES, at + CENTRAL_BYTES + view.getUint16(at + 28, true)),
  );
  const foreign = names.filter((raw) => utf8Name(raw) === null);
  const page = codePageOf(foreign);
  for (const at of places) {
    const central = readCentral(bytes, view, at, page, issues);
    const local = central && readLocal(bytes, view, central, place.offset, issues);
    if (local) locals.push(local);
  }
  if (end !== place.end) issues.push(brokenDirectory());
  // The layout can be checked only if every entry was found.
  if (issues.length === 0) issues.push(...checkLayout(view, locals, place.offset));

  const records = locals.map(({ central, dataAt, end }) => ({ ...central, packed: bytes.subarray(dataAt, end) }));
  return { records, issues, framed: issues.length === 0 };
}

function centralLength(view: DataView, at: number, end: number): number | null {
  if (at + CENTRAL_BYTES > end || view.getUint32(at, true) !== CENTRAL_SIGNATURE) return null;
  const length =
    CENTRAL_BYTES + view.getUint16(at + 28, true) + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  return at + length > end ? null : length;
}

function readCentral(
  bytes: Uint8Array,
  view: DataView,
  at: number,
  page: CodePage | null,
  issues: Issue[],
): Central | null {
  const extraAt = at + CENTRAL_BYTES + view.getUint16(at + 28, true);
  const rawName = bytes.subarray(at + CENTRAL_BYTES, extraAt);
  const flags = view.getUint16(at + 8, true);
  const extraEnd = extraAt + view.getUint16(at + 30, true);
  const extra = readExtra(bytes.subarray(extraAt, extraEnd));
  const decoded = decodeName(rawName, (flags & NAME_IS_UTF8) !== 0, extra, page);
  const path = printable(decoded?.name ?? escapedName(rawName));
  const fields = [view.getUint32(at + 24, true), view.getUint32(at + 20, true), view.getUint32(at + 42, true)];
  const resolved = extra && resolveZip64(fields, extra.zip64);
  const found: Issue[] = [];
  if (decoded === null) found.push(issue("ZIP_NAME_ENCODING", NOT_UTF8, path));
  if (hidesArchive(bytes.subarray(extraEnd, extraEnd + view.getUint16(at + 32, true)))) {
    found.push(
      issue("ZIP_COMMENT", "The comment of the entry contains ZIP records. Create the ZIP without comments.", path),
    );
  }
  if (view.getUint16(at + 34, true) !== 0)
    found.push(
      issue("ZIP_MULTI_DISK", "The entry is in another part of a split archive. Create a ZIP in one part.", path),
    );
  if (extra === null)
    found.push(issue("ZIP_EXTRA_BROKEN", "The extra fields of the entry are damaged. Create the ZIP again.", path));
  else found.push(...checkExtra(extra, rawName, decoded?.name, resolved !== null, path));
  issues.push(...found);
  if (found.length > 0 || decoded === null || !resolved) return null;
  const [size = 0, packedSize = 0, offset = 0] = resolved;
  const method = view.getUint16(at + 10, true);
  const crc = view.getUint32(at + 16, true);
  const attributes = view.getUint32(at + 38, true);
  return { rawName, ...decoded, flags, method, crc, packedSize, size, attributes, offset };
}

function readLocal(
  bytes: Uint8Array,
  view: DataView,
  central: Central,
  directoryAt: number,
  issues: Issue[],
): Local | null {
  const at = central.offset;
  const path = printable(central.name);
  const headed = at + LOCAL_BYTES <= directoryAt && view.getUint32(at, true) === LOCAL_SIGNATURE;
  const extraAt = headed ? at + LOCAL_BYTES + view.getUint16(at + 26, true) : 0;
  const dataAt = headed ? extraAt + view.getUint16(at + 28, true) : 0;
  const end = dataAt + central.packedSize;
  if (!headed || end > directoryAt) {
    issues.push(
      issue(
        "ZIP_LOCAL_HEADER",
        "The entry is not at the position in the central directory. Create the ZIP again.",
        path,
      ),
    );
    return null;
  }
  const rawName = bytes.subarray(at + LOCAL_BYTES, extraAt);
  const extra = readExtra(bytes.subarray(extraAt, dataAt));
  if (extra === null) {
    issues.push(issue("ZIP_EXTRA_BROKEN", "The extra fields of the entry are damaged. Create the ZIP again.", path));
    return null;
  }
  const sizes = resolveZip64([view.getUint32(at + 22, true), view.getUint32(at + 18, true)], extra.zip64);
  issues.push(...checkExtra(extra, rawName, central.name, sizes !== null, path));

  // A streaming writer does not have the CRC and sizes yet. It writes 0 and appends a descriptor to the data. Some writers omit this flag
  // in the central record, where it has no effect.
  const flags = view.getUint16(at + 6, true);
  const streamed = (flags & HAS_DESCRIPTOR) !== 0;
  const same = (local: number | undefined, expected: number) => local === expected || (streamed && local === 0);
  const differing = [
    !equalBytes(rawName, central.rawName) && "name",
    flags !== central.flags && flags !== (central.flags | HAS_DESCRIPTOR) && "flags",
    view.getUint16(at + 8, true) !== central.method && "method",
    !same(view.getUint32(at + 14, true), central.crc) && "CRC",
    sizes !== null && !same(sizes[0], central.size) && "size",
    sizes !== null && !same(sizes[1], central.packedSize) && "compressed size",
  ].filter((field) => field !== false);
  if (differing.length > 0) {
    const message = `The two headers of the entry disagree about ${differing.join(", ")}. Create the ZIP again.`;
    issues.push(issue("ZIP_HEADER_MISMATCH", message, path));
  }
  return { central, dataAt, end, zip64: extra.zip64 !== null, streamed };
}

function checkExtra(
  extra: Extra,
  rawName: Uint8Array,
  name: string | undefined,
  resolved: boolean,
  path: string,
): Issue[] {
  const issues: Issue[] = [];
  if (!resolved)
    issues.push(
      issue("ZIP64_INCONSISTENT", "The ZIP64 sizes of the entry are missing or not valid. Create the ZIP again.", path),
    );
  // Readers with and without support for this field must see the same name. If the raw name is not valid text, the name comes from the
  // field.
  if (extra.unicodePath !== null && unicodeName(extra, rawName) !== name) {
    issues.push(
      issue(
        "ZIP_UNICODE_PATH",
        "The entry has a second, different name in an extra field. Create the ZIP again.",
        path,
      ),
    );
  }
  return issues;
}

/** Entries must be contiguous from the first byte to the directory, in any order. */
function checkLayout(view: DataView, locals: readonly Local[], directoryAt: number): Issue[] {
  const issues: Issue[] = [];
  const ordered = locals.toSorted((a, b) => a.central.offset - b.central.offset);
  let at = 0;
  for (const [index, { central, end, zip64, streamed }] of ordered.entries()) {
    const path = printable(central.name);
    if (central.offset < at)
      issues.push(issue("ZIP_OVERLAP", "The entry overlaps another entry. Create the ZIP again.", path));
    else if (central.offset > at && index === 0)
      issues.push(issue("ZIP_PREFIX", "The archive is preceded by other data. Create the ZIP again."));
    else if (central.offset > at)
      issues.push(issue("ZIP_GAP", "Hidden data precedes the entry. Create the ZIP again.", path));
    const next = ordered[index + 1]?.central.offset ?? directoryAt;
    const descriptor = !streamed ? 0 : descriptorLength(view, central, end, zip64, next);
    if (descriptor === null) {
      issues.push(
        issue(
          "ZIP_DESCRIPTOR",
          "The data descriptor of the entry is missing or inconsistent. Create the ZIP again.",
          path,
        ),
      );
    }
    at = Math.max(at, descriptor === null ? next : end + descriptor);
  }
  const code = ordered.length === 0 ? "ZIP_PREFIX" : "ZIP_GAP";
  if (at < directoryAt) issues.push(issue(code, "Hidden data precedes the central directory. Create the ZIP again."));
  return issues;
}

/** Returns the length of the descriptor at `at`, which must fill the space up to `next`, or `null` if no descriptor form matches. */
function descriptorLength(view: DataView, central: Central, at: number, zip64: boolean, next: number): number | null {
  const sizeBytes = zip64 ? 8 : 4;
  const length = next - at;
  const signed = length === 8 + 2 * sizeBytes;
  if (!signed && length !== 4 + 2 * sizeBytes) return null;
  if (signed && view.getUint32(at, true) !== DESCRIPTOR_SIGNATURE) return null;
  const start = signed ? at + 4 : at;
  const read = (offset: number) => (zip64 ? Number(view.getBigUint64(offset, true)) : view.getUint32(offset, true));
  const agrees =
    view.getUint32(start, true) === central.crc &&
    read(start + 4) === central.packedSize &&
    read(start + 4 + sizeBytes) === central.size;
  return agrees ? length : null;
}

function brokenDirectory(): Issue {
  return issue(
    "ZIP_DIRECTORY_BROKEN",
    "The central directory is damaged or its length does not match. Create the ZIP again.",
  );
}

function issue(code: string, message: string, path?: string): Issue {
  return path === undefined ? { code, message } : { code, message, path };
}
