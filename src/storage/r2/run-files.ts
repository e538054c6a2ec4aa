// Stores files of scripts in R2: `runs/<conversation>/<call>/<id>`. The first two parts are digests, so a key contains no user.

import { guarded, type Timings } from "../d1/database";

const PREFIX = "runs/";
/** Maximum number of keys that R2 lists or deletes in one call. */
const PAGE = 1_000;

/** The key of a file's object. */
export function runFileKey(conversation: string, call: string, id: string): string {
  return `${PREFIX}${conversation}/${call}/${id}`;
}

export async function putRunFile(bucket: R2Bucket, timings: Timings, key: string, bytes: Uint8Array): Promise<void> {
  const httpMetadata = { contentType: "application/octet-stream" };
  await guarded(timings, () => bucket.put(key, bytes, { httpMetadata }));
}

/** The bytes of a file; `null` if the object was deleted. */
export async function readRunFile(bucket: R2Bucket, timings: Timings, key: string): Promise<Uint8Array | null> {
  return guarded(timings, async () => (await bucket.get(key))?.bytes() ?? null);
}

/** A byte range of a file, shortened at its end; `null` if the object was deleted. */
export async function readRunFileRange(
  bucket: R2Bucket,
  timings: Timings,
  key: string,
  range: { offset: number; length: number },
): Promise<Uint8Array | null> {
  return guarded(timings, async () => (await bucket.get(key, { range }))?.bytes() ?? null);
}

/** Opens a file for streaming; `null` if the object was deleted. */
export async function openRunFile(bucket: R2Bucket, timings: Timings, key: string): Promise<ReadableStream | null> {
  return guarded(timings, async () => (await bucket.get(key))?.body ?? null);
}

/** Returns one page of all files. `cursor` is `null` on the last page. */
export async function listRunObjects(
  bucket: R2Bucket,
  timings: Timings,
  cursor: string | null,
): Promise<{ objects: { key: string; id: string }[]; cursor: string | null }> {
  const page = await guarded(timings, () =>
    bucket.list({ prefix: PREFIX, limit: PAGE, ...(cursor === null ? {} : { cursor }) }),
  );
  const objects = page.objects.map(({ key }) => ({ key, id: key.slice(key.lastIndexOf("/") + 1) }));
  return { objects, cursor: page.truncated ? page.cursor : null };
}

/** Deletes objects by key; missing ones count as deleted. */
export async function deleteRunObjects(bucket: R2Bucket, timings: Timings, keys: readonly string[]): Promise<void> {
  for (let start = 0; start < keys.length; start += PAGE) {
    await guarded(timings, () => bucket.delete(keys.slice(start, start + PAGE)));
  }
}
