// Finds the central directory of a ZIP. Archives with more than one candidate are rejected.

import type { Issue } from "../../errors";

/** The central directory: `count` records in `bytes[offset, end)`. */
export interface DirectoryPlace {
  offset: number;
  end: number;
  count: number;
}

const END_BYTES = 22;
const END_SIGNATURE = 0x06054b50;
const LOCATOR_BYTES = 20;
const LOCATOR_SIGNATURE = 0x07064b50;
const END64_BYTES = 56;
const END64_SIGNATURE = 0x06064b50;
/** A field with this value refers to the ZIP64 record for its real value. */
const IN_ZIP64 = 0xffffffff;
const IN_ZIP64_SHORT = 0xffff;

interface EndFields {
  disk: number;
  directoryDisk: number;
  countHere: number;
  count: number;
  size: number;
  offset: number;
}

/**
 * Reads the end record and, if present, the ZIP64 records, which must agree. A comment is allowed unless it can be mistaken for another end
 * record.
 *
 * @returns the location, or the issue that makes the archive unreadable: `NOT_A_ZIP`, `ZIP_TRAILING_DATA`, `ZIP_COMMENT`, `ZIP_MULTI_DISK`,
 * `ZIP_COUNT_MISMATCH`, `ZIP_DIRECTORY_MISPLACED`, `ZIP64_INCONSISTENT`
 */
export function findDirectory(view: DataView): DirectoryPlace | Issue {
  const at = lastEndRecord(view);
  if (at === null)
    return { code: "NOT_A_ZIP", message: "The file is not a ZIP: its end record is missing. Send a ZIP file." };
  if (at + END_BYTES + view.getUint16(at + 20, true) !== view.byteLength) {
    return { code: "ZIP_TRAILING_DATA", message: "The archive is followed by other data. Create the ZIP again." };
  }
  if (hidesArchive(new Uint8Array(view.buffer, view.byteOffset + at + END_BYTES, view.byteLength - at - END_BYTES))) {
    return {
      code: "ZIP_COMMENT",
      message: "The comment of the archive contains ZIP records. Create the ZIP without a comment.",
    };
  }
  const short: EndFields = {
    disk: view.getUint16(at + 4, true),
    directoryDisk: view.getUint16(at + 6, true),
    countHere: view.getUint16(at + 8, true),
    count: view.getUint16(at + 10, true),
    size: view.getUint32(at + 12, true),
    offset: view.getUint32(at + 16, true),
  };
  const long = readZip64(view, at);
  if (long === "broken" || (long === null ? needsZip64(short) : !agree(short, long))) {
    return {
      code: "ZIP64_INCONSISTENT",
      message: "The ZIP64 records are missing, damaged or inconsistent. Create the ZIP again.",
    };
  }
  return place(long ?? short, long === null ? at : at - LOCATOR_BYTES - END64_BYTES);
}

/** Whether a comment contains bytes that some reader could take for a record: `PK` and the rest of a signature. */
export function hidesArchive(comment: Uint8Array): boolean {
  return comment.some((byte, at) => {
    if (byte !== 0x50 || comment[at + 1] !== 0x4b) return false;
    const [third, fourth] = [comment[at + 2], comment[at + 3]];
    return SIGNATURE_ENDS.some(([a, b]) => a === third && b === fourth);
  });
}

const SIGNATURE_ENDS = [
  [1, 2],
  [3, 4],
  [5, 6],
  [6, 6],
  [6, 7],
] as const;

function place(fields: EndFields, end: number): DirectoryPlace | Issue {
  if (fields.disk !== 0 || fields.directoryDisk !== 0) {
    return { code: "ZIP_MULTI_DISK", message: "The archive is split into parts. Create a ZIP in one part." };
  }
  if (fields.countHere !== fields.count) {
    return {
      code: "ZIP_COUNT_MISMATCH",
      message: "The end record contains two different entry counts. Create the ZIP again.",
    };
  }
  if (fields.offset + fields.size !== end) {
    const message =
      "The central directory is not at the position in the end record: data was added, removed or hidden. Create the ZIP again.";
    return { code: "ZIP_DIRECTORY_MISPLACED", message };
  }
  return { offset: fields.offset, end, count: fields.count };
}

/** Returns the offset of the last end record. Readers search for the signature backwards, so only the last one counts. */
function lastEndRecord(view: DataView): number | null {
  const first = Math.max(0, view.byteLength - END_BYTES - 0xffff);
  for (let at = view.byteLength - END_BYTES; at >= first; at--) {
    if (view.getUint32(at, true) === END_SIGNATURE) return at;
  }
  return null;
}

function readZip64(view: DataView, endAt: number): EndFields | "broken" | null {
  const locator = endAt - LOCATOR_BYTES;
  if (locator < 0 || view.getUint32(locator, true) !== LOCATOR_SIGNATURE) return null;
  const at = locator - END64_BYTES;
  const whole =
    at >= 0 &&
    view.getUint32(locator + 4, true) === 0 &&
    view.getBigUint64(locator + 8, true) === BigInt(at) &&
    view.getUint32(locator + 16, true) === 1 &&
    view.getUint32(at, true) === END64_SIGNATURE &&
    view.getBigUint64(at + 4, true) === BigInt(END64_BYTES - 12);
  if (!whole) return "broken";
  return {
    disk: view.getUint32(at + 16, true),
    directoryDisk: view.getUint32(at + 20, true),
    countHere: Number(view.getBigUint64(at + 24, true)),
    count: Number(view.getBigUint64(at + 32, true)),
    size: Number(view.getBigUint64(at + 40, true)),
    offset: Number(view.getBigUint64(at + 48, true)),
  };
}

function needsZip64(short: EndFields): boolean {
  return (
    [short.disk, short.directoryDisk, short.countHere, short.count].includes(IN_ZIP64_SHORT) ||
    [short.size, short.offset].includes(IN_ZIP64)
  );
}

function agree(short: EndFields, long: EndFields): boolean {
  const same = (a: number, b: number, marker: number) => a === b || a === marker;
  return (
    same(short.disk, long.disk, IN_ZIP64_SHORT) &&
    same(short.directoryDisk, long.directoryDisk, IN_ZIP64_SHORT) &&
    same(short.countHere, long.countHere, IN_ZIP64_SHORT) &&
    same(short.count, long.count, IN_ZIP64_SHORT) &&
    same(short.size, long.size, IN_ZIP64) &&
    same(short.offset, long.offset, IN_ZIP64)
  );
}
