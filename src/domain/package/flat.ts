// Writes the archive for clients of other registries: the files of the canonical ZIP, deflated, without a folder around them.

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
 * Creates the flat archive of a canonical ZIP. The deflated bytes depend on the runtime, and clients pin the digest, so the caller creates
 * an archive once and stores it.
 */
export async function flatArchive(canonical: Uint8Array, files: readonly PackageFile[]): Promise<FlatArchive> {
  return archiveOf(await deflatedFiles(canonical, files, ""));
}

/** Returns the files of a canonical ZIP as archive items below this folder (`""`, or a path that ends with a slash). */
export async function deflatedFiles(
  canonical: Uint8Array,
  files: readonly PackageFile[],
  folder: string,
): Promise<ZipItem[]> {
  const items: ZipItem[] = [];
  // One file at a time: each deflate stream buffers a copy of its pending output.
  for (const { path, offset, size, mode } of files)
    items.push(await deflatedItem(folder + path, canonical.subarray(offset, offset + size), mode));
  return items;
}

/** Returns a file as an archive item, deflated if that is smaller. */
export async function deflatedItem(path: string, bytes: Uint8Array, mode: ZipItem["mode"] = 0o644): Promise<ZipItem> {
  const deflated = await deflate(bytes);
  const isSmaller = deflated.length < bytes.length;
  return {
    ...{ path, name: path, size: bytes.length, mode, crc: crc32(bytes) },
    ...(isSmaller ? { stored: deflated, method: 8 as const } : { stored: bytes, method: 0 as const }),
  };
}

/** Creates an archive of these items. */
export async function archiveOf(items: readonly ZipItem[]): Promise<FlatArchive> {
  const { zip } = writeZip(items);
  return { bytes: zip, sha256: await sha256Hex(zip) };
}

async function deflate(bytes: Uint8Array): Promise<Uint8Array> {
  // A copy, because the runtime may detach the buffer, which belongs to the package.
  const deflated = new Blob([bytes.slice()]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(deflated).arrayBuffer());
}
