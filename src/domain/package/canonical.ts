// Writes ZIPs deterministically: equal files give equal bytes. The canonical ZIP stores every file uncompressed.

/** A file to store. `path` is relative to the skill's folder. */
export interface CanonicalFile {
  path: string;
  bytes: Uint8Array;
  /** The CRC-32 of the bytes. */
  crc: number;
  mode: 0o644 | 0o755;
}

/** The ZIP, and the offset of each file's bytes in it. */
export interface CanonicalZip {
  zip: Uint8Array;
  offsets: ReadonlyMap<string, number>;
}

const LOCAL_BYTES = 30;
const CENTRAL_BYTES = 46;
const END_BYTES = 22;
/** Version 2.0, which is enough for plain files. */
const VERSION = 20;
const UNIX = 3 << 8;
const UTF8_NAME = 1 << 11;
/** 1980-01-01 at midnight, the first date that ZIP can represent. */
const DATE = (1 << 5) | 1;
const REGULAR = 0o100000;

/** Orders paths by UTF-16 code units, independent of locale. */
export function byPath(a: { path: string }, b: { path: string }): number {
  return a.path < b.path ? -1 : a.path > b.path ? 1 : 0;
}

/**
 * Writes the canonical ZIP: sorted by path, wrapped in `<name>/`, stored, without folders, extra fields, comments and descriptors. The
 * caller has checked the files against `PACKAGE_LIMITS`, so every field fits 32 bits.
 */
export function writeCanonical(name: string, files: readonly CanonicalFile[]): CanonicalZip {
  const items = files.map(({ path, bytes, crc, mode }) => {
    return { path, name: `${name}/${path}`, stored: bytes, size: bytes.length, crc, mode, method: 0 } as const;
  });
  return writeZip(items);
}

/** A file in the form in which a ZIP contains it. */
export interface ZipItem {
  /** Sort key, and the key in `offsets`. */
  path: string;
  name: string;
  /** The bytes after compression. */
  stored: Uint8Array;
  /** Size before compression, in bytes. */
  size: number;
  crc: number;
  mode: 0o644 | 0o755;
  /** 0: stored. 8: deflated. */
  method: 0 | 8;
}

/** Writes a ZIP of these files, sorted by path, without folders, extra fields, comments and descriptors. All files have the same date. */
export function writeZip(files: readonly ZipItem[]): CanonicalZip {
  const encoder = new TextEncoder();
  const items = files.toSorted(byPath).map((file) => ({ ...file, name: encoder.encode(file.name) }));
  const dataBytes = items.reduce((sum, { name, stored }) => sum + LOCAL_BYTES + name.length + stored.length, 0);
  const directoryBytes = items.reduce((sum, { name }) => sum + CENTRAL_BYTES + name.length, 0);

  const zip = new Uint8Array(dataBytes + directoryBytes + END_BYTES);
  const view = new DataView(zip.buffer);
  const offsets = new Map<string, number>();
  let at = 0;
  let central = dataBytes;
  for (const item of items) {
    view.setUint32(at, 0x04034b50, true);
    writeCommon(view, at + 4, item);
    zip.set(item.name, at + LOCAL_BYTES);

    view.setUint32(central, 0x02014b50, true);
    view.setUint16(central + 4, UNIX | VERSION, true);
    writeCommon(view, central + 6, item);
    view.setUint32(central + 38, ((REGULAR | item.mode) << 16) >>> 0, true);
    view.setUint32(central + 42, at, true);
    zip.set(item.name, central + CENTRAL_BYTES);
    central += CENTRAL_BYTES + item.name.length;

    at += LOCAL_BYTES + item.name.length;
    offsets.set(item.path, at);
    zip.set(item.stored, at);
    at += item.stored.length;
  }
  view.setUint32(central, 0x06054b50, true);
  view.setUint16(central + 8, items.length, true);
  view.setUint16(central + 10, items.length, true);
  view.setUint32(central + 12, directoryBytes, true);
  view.setUint32(central + 16, dataBytes, true);
  return { zip, offsets };
}

/** Writes the fields that the local header and the central record share, in their common order. The rest stays zero. */
function writeCommon(view: DataView, at: number, item: Omit<ZipItem, "name"> & { name: Uint8Array }): void {
  view.setUint16(at, VERSION, true);
  view.setUint16(at + 2, UTF8_NAME, true);
  view.setUint16(at + 4, item.method, true);
  view.setUint16(at + 8, DATE, true);
  view.setUint32(at + 10, item.crc, true);
  view.setUint32(at + 14, item.stored.length, true);
  view.setUint32(at + 18, item.size, true);
  view.setUint16(at + 22, item.name.length, true);
}
