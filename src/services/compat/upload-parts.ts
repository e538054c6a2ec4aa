// Accepts files that a client uploads one by one with tickets and then publishes together. A ticket belongs to its user and is valid for
// exactly the announced size and digest.

import { COMPAT_LIMITS } from "../../domain/compat/limits";
import { crc32 } from "../../domain/crc32";
import { sha256Hex } from "../../domain/digest";
import { GatewayError, invalid } from "../../domain/errors";
import { PACKAGE_LIMITS } from "../../domain/limits";
import { writeZip, type ZipItem } from "../../domain/package/canonical";
import {
  deleteExpiredParts,
  deleteUploadParts,
  readUploadParts,
  reservePart,
  type UploadPart,
} from "../../storage/d1/compat/upload-parts";
import { deletePartObjects, expiredPartObjects, putPart, readPart } from "../../storage/r2/upload-parts";
import type { Context } from "../context";
import type { SweepContext } from "../registry/sweep";

/** Number of parts read in parallel. */
const BESIDE = 6;

/** A file as the client announces it. */
export interface PartFile {
  path: string;
  size: number;
  sha256: string;
  /** Id of its upload ticket. */
  id: string;
}

/** Creates a ticket for a file of this size and digest. */
export async function reserveUpload(context: Context, size: number, sha256: string): Promise<string> {
  if (size > PACKAGE_LIMITS.fileBytes)
    throw tooLarge(`File too large (limit ${PACKAGE_LIMITS.fileBytes / 1_048_576} MiB).`);
  const id = context.newId("upl");
  const createdAt = context.now();
  const part = { id, userId: context.caller.principal.userId, sha256, size, createdAt };
  const { parts, partBytes: bytes } = COMPAT_LIMITS;
  if (await reservePart(context.db, part, { since: createdAt - COMPAT_LIMITS.partsMs, parts, bytes })) return id;
  const message = `Too many uploaded files wait to be published (limit ${parts} files, ${bytes} bytes). They expire within an hour.`;
  throw new GatewayError("conflict", "TOO_MANY_UPLOADS", message, { limit: parts });
}

/** Returns the announced file of a ticket. No more than its size is read. */
export async function findUpload(context: Context, id: string): Promise<UploadPart> {
  const [part] = await readUploadParts(context.db, context.caller.principal.userId, [id], sinceOf(context));
  if (part === undefined) throw noTicket();
  return part;
}

/** Stores the bytes of a ticket. */
export async function storeUpload(context: Context, part: UploadPart, bytes: Uint8Array): Promise<void> {
  if (bytes.length !== part.size || (await sha256Hex(bytes)) !== part.sha256) {
    const message = "The uploaded bytes do not match the ticket. Request a new ticket.";
    throw invalid([{ code: "PART_DIFFERS", message }]);
  }
  await putPart(context.packages, context.timings, part.id, bytes);
}

/** Returns the files of these tickets as a ZIP with one folder. */
export async function zipOfUploads(context: Context, folder: string, files: readonly PartFile[]): Promise<Uint8Array> {
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  if (files.length > COMPAT_LIMITS.partsOfSkill)
    throw tooLarge(`Too many files (limit ${COMPAT_LIMITS.partsOfSkill}).`);
  if (bytes > PACKAGE_LIMITS.unpackedBytes)
    throw tooLarge(`Skill too large (limit ${PACKAGE_LIMITS.unpackedBytes / 1_048_576} MiB).`);
  const found = await readUploadParts(
    context.db,
    context.caller.principal.userId,
    files.map(({ id }) => id),
    sinceOf(context),
  );
  const byId = new Map(found.map((part) => [part.id, part]));
  const read = async ({ path, size, sha256, id }: PartFile): Promise<ZipItem> => {
    const part = byId.get(id);
    const isThat = part !== undefined && part.size === size && part.sha256 === sha256;
    const stored = isThat ? await readPart(context.packages, context.timings, id) : null;
    if (stored === null) throw noTicket(path);
    return { path, name: `${folder}/${path}`, stored, size, crc: crc32(stored), mode: 0o644, method: 0 };
  };
  const items: ZipItem[] = [];
  for (let at = 0; at < files.length; at += BESIDE)
    items.push(...(await Promise.all(files.slice(at, at + BESIDE).map(read))));
  return writeZip(items).zip;
}

/** Deletes used tickets: objects first, so that what remains after a failure is still counted. */
export async function deleteUploads(context: Context, ids: readonly string[]): Promise<void> {
  const userId = context.caller.principal.userId;
  const own = (await readUploadParts(context.db, userId, ids, sinceOf(context))).map(({ id }) => id);
  if (own.length === 0) return;
  await deletePartObjects(context.packages, context.timings, own);
  await deleteUploadParts(context.db, own);
}

/** Deletes expired uploads that were not published, including those of erased users, and their rows. Returns the number of objects. */
export async function sweepParts({ db, packages, timings, now }: SweepContext): Promise<number> {
  const before = now() - 2 * COMPAT_LIMITS.partsMs;
  let deleted = 0;
  for (;;) {
    const old = await expiredPartObjects(packages, timings, before);
    await deletePartObjects(packages, timings, old);
    deleted += old.length;
    if (old.length === 0) break;
  }
  await deleteExpiredParts(db, before);
  return deleted;
}

const sinceOf = (context: Context) => context.now() - COMPAT_LIMITS.partsMs;

function noTicket(path?: string): GatewayError {
  const what = path === undefined ? "Upload not found" : `'${path}' was not uploaded with this ticket`;
  return new GatewayError(
    "not_found",
    "UPLOAD_NOT_FOUND",
    `${what}. Tickets expire within an hour. Upload the file again.`,
  );
}

function tooLarge(message: string): GatewayError {
  return new GatewayError("too_large", "PACKAGE_TOO_LARGE", message);
}
