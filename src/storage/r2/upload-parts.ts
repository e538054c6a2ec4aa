// Stores files that are uploaded one by one before they are published together: `uploads/<id>`. A key contains no user.

import { guarded, type Timings } from "../d1/database";

const PREFIX = "uploads/";
/** Maximum number of keys that R2 lists or deletes in one call. */
const PAGE = 1_000;

const keyOf = (id: string) => PREFIX + id;

export async function putPart(bucket: R2Bucket, timings: Timings, id: string, bytes: Uint8Array): Promise<void> {
  await guarded(timings, () => bucket.put(keyOf(id), bytes));
}

/** The bytes of a part; `null` if they were never sent or were deleted. */
export async function readPart(bucket: R2Bucket, timings: Timings, id: string): Promise<Uint8Array | null> {
  return guarded(timings, async () => (await bucket.get(keyOf(id)))?.bytes() ?? null);
}

/** Deletes parts by id; missing ones count as deleted. */
export async function deletePartObjects(bucket: R2Bucket, timings: Timings, ids: readonly string[]): Promise<void> {
  for (let start = 0; start < ids.length; start += PAGE) {
    const keys = ids.slice(start, start + PAGE).map(keyOf);
    await guarded(timings, () => bucket.delete(keys));
  }
}

/** Returns the ids of parts stored before a time, with or without a row. */
export async function expiredPartObjects(bucket: R2Bucket, timings: Timings, before: number): Promise<string[]> {
  const { objects } = await guarded(timings, () => bucket.list({ prefix: PREFIX, limit: PAGE }));
  return objects.filter(({ uploaded }) => uploaded.getTime() < before).map(({ key }) => key.slice(PREFIX.length));
}
