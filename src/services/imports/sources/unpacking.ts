// Decompresses a tar.gz as a stream, and packs files into an upload ZIP.

import { crc32 } from "../../../domain/crc32";
import { TarFault } from "../../../domain/imports/tar";
import { writeZip, type ZipItem } from "../../../domain/package/canonical";

/** Bytes decompressed at once. Even at gzip's maximum ratio of about 1000, the result is small. */
const PIECE_BYTES = 16 * 1024;

/** Yields the bytes of a gzip stream. */
export async function* gunzipped(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const pieces = new TransformStream<Uint8Array, Uint8Array<ArrayBuffer>>({
    transform(chunk, controller) {
      for (let at = 0; at < chunk.length; at += PIECE_BYTES) controller.enqueue(chunk.slice(at, at + PIECE_BYTES));
    },
  });
  try {
    yield* body.pipeThrough(pieces).pipeThrough(new DecompressionStream("gzip"));
  } catch (error) {
    if (error instanceof TarFault) throw error;
    throw new TarFault(
      "SOURCE_INVALID",
      "The archive cannot be unpacked: it is damaged or not a tar.gz. Check the URL.",
    );
  }
}

export function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

/** A file extracted from an archive. */
export interface ExtractedFile {
  path: string;
  bytes: Uint8Array;
  isExecutable: boolean;
}

/** Returns files as an upload ZIP. Whether they form a skill is checked later. */
export function zipOf(files: readonly ExtractedFile[]): Uint8Array {
  const items = files.map(
    ({ path, bytes, isExecutable }): ZipItem => ({
      ...{ path, name: path, stored: bytes, size: bytes.length, crc: crc32(bytes), method: 0 },
      mode: isExecutable ? 0o755 : 0o644,
    }),
  );
  return writeZip(items).zip;
}
