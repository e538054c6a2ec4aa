// The archive that clients of other registries take: the same files as in the canonical ZIP, without a folder around them, deflated.

import { crc32 } from "../crc32";
import { sha256Hex } from "../digest";
import { writeZip, type ZipItem } from "./canonical";
import type { PackageFile } from "./skill";

export interface FlatArchive {
  bytes: Uint8Array;
  /** Lower-case hex. */
  sha256: string;
}

/**
 * Makes the flat archive of a canonical ZIP. Which bytes deflating gives is the runtime's to say, so an archive is made once and kept:
 * its digest is what clients lock.
 */
export async function flatArchive(canonical: Uint8Array, files: readonly PackageFile[]): Promise<FlatArchive> {
  return archiveOf(await deflatedFiles(canonical, files, ""));
}

/** The files of a canonical ZIP as they lie in an archive, below this folder (`""`, or with a slash at its end). */
export async function deflatedFiles(
  canonical: Uint8Array,
  files: readonly PackageFile[],
  folder: string,
): Promise<ZipItem[]> {
  const items: ZipItem[] = [];
  // One at a time: deflating holds a copy of what it has not handed on.
  for (const { path, offset, size, mode } of files)
    items.push(await deflatedItem(folder + path, canonical.subarray(offset, offset + size), mode));
  return items;
}

/** A file as it lies in an archive: deflated where that makes it smaller. */
export async function deflatedItem(path: string, bytes: Uint8Array, mode: ZipItem["mode"] = 0o644): Promise<ZipItem> {
  const deflated = await deflate(bytes);
  const isSmaller = deflated.length < bytes.length;
  return {
    ...{ path, name: path, size: bytes.length, mode, crc: crc32(bytes) },
    ...(isSmaller ? { stored: deflated, method: 8 as const } : { stored: bytes, method: 0 as const }),
  };
}

/** The archive of these files. */
export async function archiveOf(items: readonly ZipItem[]): Promise<FlatArchive> {
  const { zip } = writeZip(items);
  return { bytes: zip, sha256: await sha256Hex(zip) };
}

async function deflate(bytes: Uint8Array): Promise<Uint8Array> {
  // A copy: the runtime may take the buffer over, and it is the package's.
  const deflated = new Blob([bytes.slice()]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(deflated).arrayBuffer());
}
