// Long results as resources: `result:<file>?offset=<bytes>&limit=<bytes>`. A character belongs to the range in which it begins, so
// consecutive ranges contain the whole text.

import { LIBRARY_LIMITS } from "./limits";

export interface ResultRange {
  /** The stored file with the whole result. */
  file: string;
  /** In bytes. */
  offset: number;
  limit: number;
}

/** Bytes after a range that its last character may need. */
export const RANGE_MARGIN = 3;

/** Whether a URI names a stored result. */
export function isResultUri(uri: string): boolean {
  return uri.startsWith("result:");
}

/** Returns the range that a URI names; `null` if it names none. */
export function readResultUri(uri: string): ResultRange | null {
  const parts = /^result:(fil_[0-9a-f]{32})(?:\?offset=(\d{1,10})&limit=(\d{1,10}))?$/.exec(uri);
  if (parts === null) return null;
  const [, file = "", offset = "0", limit = `${LIBRARY_LIMITS.rangeBytes}`] = parts;
  const range = { file, offset: Number(offset), limit: Number(limit) };
  return range.limit >= 1 && range.limit <= LIBRARY_LIMITS.rangeBytesMost ? range : null;
}

export function resultUri({ file, offset, limit }: ResultRange): string {
  return `result:${file}?offset=${offset}&limit=${limit}`;
}

/** Returns the characters that begin in the first `limit` bytes. `read` can have `RANGE_MARGIN` more. */
export function charactersIn(read: Uint8Array, limit: number): Uint8Array {
  const from = firstCharacter(read, 0);
  const to = read.length <= limit ? read.length : firstCharacter(read, limit);
  return read.subarray(Math.min(from, to), to);
}

/** Returns where the next character begins, at or after this position: continuation bytes are `10xxxxxx`. */
function firstCharacter(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && ((bytes[at] ?? 0) & 0xc0) === 0x80) at++;
  return at;
}
