// Stores canonical ZIPs in R2: one object per publish attempt, never overwritten, named after its version.

import { type StoredCode, storedCodeSchema } from "../../domain/code/compiled";
import type { FlatArchive } from "../../domain/package/flat";
import { guarded, type Timings } from "../d1/database";

const PREFIX = "packages/";
/** Maximum number of keys that R2 deletes or lists in one call. */
const PAGE = 1_000;

/** An object in a list. */
export interface StoredPackage {
  key: string;
  versionId: string;
  /** Milliseconds since the epoch. */
  uploaded: number;
}

export function packageKey(versionId: string): string {
  return `${PREFIX}${versionId}.zip`;
}

function codeKey(versionId: string): string {
  return `${PREFIX}${versionId}.modules.json`;
}

/** Archives of a version for other clients: its files alone, and as a plugin. */
export type ArchiveKind = "flat" | "plugin";

function archiveKey(versionId: string, kind: ArchiveKind): string {
  return `${PREFIX}${versionId}.${kind}.zip`;
}

/** Returns every key that a version can have. */
export function packageKeys(versionId: string): string[] {
  return [packageKey(versionId), codeKey(versionId), archiveKey(versionId, "flat"), archiveKey(versionId, "plugin")];
}

/**
 * Stores an archive of a version unless one exists: the digest of the first one counts. Returns `false` if one exists. R2 checks the bytes
 * against the digest.
 */
export async function putArchive(
  bucket: R2Bucket,
  timings: Timings,
  versionId: string,
  { bytes, sha256 }: FlatArchive,
  kind: ArchiveKind = "flat",
): Promise<boolean> {
  const options = { sha256, httpMetadata: { contentType: "application/zip" }, onlyIf: { etagDoesNotMatch: "*" } };
  return (await guarded(timings, () => bucket.put(archiveKey(versionId, kind), bytes, options))) !== null;
}

/** Returns an archive of a version; `null` if there is none. */
export async function openArchive(
  bucket: R2Bucket,
  timings: Timings,
  versionId: string,
  kind: ArchiveKind = "flat",
): Promise<R2ObjectBody | null> {
  return guarded(timings, () => bucket.get(archiveKey(versionId, kind)));
}

/** Stores a version's code, which is read only when an isolate is created. */
export async function putCode(bucket: R2Bucket, timings: Timings, versionId: string, code: StoredCode): Promise<void> {
  const httpMetadata = { contentType: "application/json" };
  await guarded(timings, () => bucket.put(codeKey(versionId), JSON.stringify(code), { httpMetadata }));
}

/** A version's code; `null` if it has none or it was deleted. */
export async function readStoredCode(
  bucket: R2Bucket,
  timings: Timings,
  versionId: string,
): Promise<StoredCode | null> {
  const text = await guarded(timings, async () => (await bucket.get(codeKey(versionId)))?.text() ?? null);
  return text === null ? null : storedCodeSchema.parse(JSON.parse(text));
}

/** Stores a ZIP; R2 checks the bytes against the digest. */
export async function putPackage(
  bucket: R2Bucket,
  timings: Timings,
  versionId: string,
  zip: Uint8Array,
  sha256: string,
): Promise<void> {
  const httpMetadata = { contentType: "application/zip" };
  await guarded(timings, () => bucket.put(packageKey(versionId), zip, { sha256, httpMetadata }));
}

/** Stores all objects of a version in R2. */
export async function putVersion(
  bucket: R2Bucket,
  timings: Timings,
  versionId: string,
  { zip, sha256, code }: { zip: Uint8Array; sha256: string; code: StoredCode | null },
): Promise<void> {
  await Promise.all([
    putPackage(bucket, timings, versionId, zip, sha256),
    code === null ? null : putCode(bucket, timings, versionId, code),
  ]);
}

/** Opens a byte range of a version's ZIP for streaming; `null` if the object was deleted with its skill. */
export async function openPackageRange(
  bucket: R2Bucket,
  timings: Timings,
  versionId: string,
  offset: number,
  length: number,
): Promise<ReadableStream | null> {
  // R2 rejects an empty range, and an empty file needs no reading.
  if (length === 0) return new Blob([]).stream();
  const object = await guarded(timings, () => bucket.get(packageKey(versionId), { range: { offset, length } }));
  return object?.body ?? null;
}

/** A byte range of a version's ZIP; `null` if the object was deleted. */
export async function readPackageRange(
  bucket: R2Bucket,
  timings: Timings,
  versionId: string,
  offset: number,
  length: number,
): Promise<Uint8Array | null> {
  if (length === 0) return new Uint8Array();
  return guarded(timings, async () => {
    const object = await bucket.get(packageKey(versionId), { range: { offset, length } });
    return object === null ? null : object.bytes();
  });
}

/** A version's whole ZIP; `null` if the object was deleted. */
export async function readWholePackage(
  bucket: R2Bucket,
  timings: Timings,
  versionId: string,
): Promise<Uint8Array | null> {
  return guarded(timings, async () => (await bucket.get(packageKey(versionId)))?.bytes() ?? null);
}

/** Returns one page of all packages. `cursor` is `null` on the last page. */
export async function listPackages(
  bucket: R2Bucket,
  timings: Timings,
  cursor: string | null,
): Promise<{ packages: StoredPackage[]; cursor: string | null }> {
  const page = await guarded(timings, () =>
    bucket.list({ prefix: PREFIX, limit: PAGE, ...(cursor === null ? {} : { cursor }) }),
  );
  const packages = page.objects.map(({ key, uploaded }) => ({
    key,
    versionId: key.slice(PREFIX.length).split(".", 1)[0] ?? "",
    uploaded: uploaded.getTime(),
  }));
  return { packages, cursor: page.truncated ? page.cursor : null };
}

/** Deletes objects by key; missing ones count as deleted. */
export async function deletePackages(bucket: R2Bucket, timings: Timings, keys: readonly string[]): Promise<void> {
  for (let start = 0; start < keys.length; start += PAGE) {
    await guarded(timings, () => bucket.delete(keys.slice(start, start + PAGE)));
  }
}
