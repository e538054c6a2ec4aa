// A source's archive while it is being unpacked, in R2: `imports/<import>/<run>`. Archives left by a run are deleted by the clean-up.

import { guarded, type Timings } from "../d1/database";

const PREFIX = "imports/";
/** The size of an upload's parts. R2 requires all but the last to have the same size, and a minimum. */
const PART_BYTES = 8 * 1024 * 1024;
const HEAD = { offset: 0, length: 4 };

export function importArchiveKey(importId: string, run: number): string {
  return `${PREFIX}${importId}/${run}`;
}

/** Stores a stream while it arrives. At most one part is in memory. */
export async function storeImportArchive(
  bucket: R2Bucket,
  timings: Timings,
  key: string,
  body: AsyncIterable<Uint8Array>,
): Promise<void> {
  const upload = await guarded(timings, () => bucket.createMultipartUpload(key));
  const parts: R2UploadedPart[] = [];
  let part = new Uint8Array(PART_BYTES);
  let filled = 0;
  const send = async () => {
    const [number, bytes] = [parts.length + 1, part.subarray(0, filled)];
    parts.push(await guarded(timings, () => upload.uploadPart(number, bytes)));
    part = new Uint8Array(PART_BYTES);
    filled = 0;
  };
  try {
    for await (const piece of body) {
      for (let at = 0; at < piece.length; ) {
        const room = piece.subarray(at, at + PART_BYTES - filled);
        part.set(room, filled);
        filled += room.length;
        at += room.length;
        if (filled === PART_BYTES) await send();
      }
    }
    if (filled > 0 || parts.length === 0) await send();
    await guarded(timings, () => upload.complete(parts));
  } catch (error) {
    // If the abort fails, R2 ends the upload by itself.
    await guarded(timings, () => upload.abort()).catch(() => undefined);
    throw error;
  }
}

/** Opens an archive and detects its format; `null` if it does not exist. */
export async function openImportArchive(
  bucket: R2Bucket,
  timings: Timings,
  key: string,
): Promise<{ head: Uint8Array; size: number; body: ReadableStream<Uint8Array> } | null> {
  const head = await guarded(timings, async () => (await bucket.get(key, { range: HEAD }))?.bytes() ?? null);
  const found = head === null ? null : await guarded(timings, () => bucket.get(key));
  return head === null || found === null ? null : { head, size: found.size, body: found.body };
}

/** Deletes all archives of an import. */
export async function dropImportArchives(bucket: R2Bucket, timings: Timings, importId: string): Promise<void> {
  const { objects } = await guarded(timings, () => bucket.list({ prefix: `${PREFIX}${importId}/` }));
  if (objects.length > 0) await guarded(timings, () => bucket.delete(objects.map(({ key }) => key)));
}

/** Deletes archives older than this. Returns their number. */
export async function sweepImportArchives(bucket: R2Bucket, timings: Timings, before: number): Promise<number> {
  let swept = 0;
  for (let cursor: string | undefined; ; ) {
    const after = cursor === undefined ? {} : { cursor };
    const page = await guarded(timings, () => bucket.list({ prefix: PREFIX, ...after }));
    const old = page.objects.filter(({ uploaded }) => uploaded.getTime() < before).map(({ key }) => key);
    if (old.length > 0) await guarded(timings, () => bucket.delete(old));
    swept += old.length;
    if (!page.truncated) return swept;
    cursor = page.cursor;
  }
}
