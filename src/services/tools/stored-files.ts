// Lists, downloads, deletes and expires files that scripts wrote in a conversation.

import * as z from "zod";
import { filesSince } from "../../domain/access/quota";
import { decodeCursor, pageOf } from "../../domain/cursor";
import { GatewayError } from "../../domain/errors";
import { REQUEST_LIMITS } from "../../domain/limits";
import type { Settings } from "../../domain/settings/settings";
import {
  deleteRunFiles,
  existingRunFiles,
  expiredRunFiles,
  listRunFiles,
  type RunFileRow,
  readRunFiles,
} from "../../storage/d1/conversation/run-files";
import { deleteRunObjects, listRunObjects, openRunFile } from "../../storage/r2/run-files";
import type { Context } from "../context";
import { conversationNotFound } from "../session";

const DAY_MS = 24 * 60 * 60_000;
/** Number of expired files deleted at once. */
const SWEPT = 500;

/** Returns a file's download URL. A later call refers to the file by its id. */
export function addressOf(conversation: string, id: string): string {
  return `/api/v1/conversations/${encodeURIComponent(conversation)}/files/${id}`;
}

/** Returns when a file expires. */
export function endOf(context: Context, { createdAt }: RunFileRow): number {
  return createdAt + context.settings.FILE_DAYS * DAY_MS;
}

const cursorSchema = z.lazy(() => z.object({ createdAt: z.number(), id: z.string() }));

/** Returns a page of the files of one of the caller's conversations, newest first. */
export async function listFiles(
  context: Context,
  conversation: string,
  limit: number = REQUEST_LIMITS.listLimit,
  cursor: string | undefined,
): Promise<{ rows: RunFileRow[]; nextCursor: string | null }> {
  const place = { userId: context.caller.principal.userId, conversation };
  const page = {
    since: filesSince(context.settings, context.now()),
    limit: limit + 1,
    after: decodeCursor(cursor, cursorSchema),
  };
  const rows = await listRunFiles(context.db, place, page);
  if (rows === null) throw conversationNotFound();
  const { page: shown, nextCursor } = pageOf(rows, limit, ({ createdAt, id }) => ({ createdAt, id }));
  return { rows: shown, nextCursor };
}

/** Returns a file of one of the caller's conversations. Other files are reported as not found. */
export async function findFileOf(context: Context, conversation: string, id: string): Promise<RunFileRow> {
  const place = { userId: context.caller.principal.userId, conversation };
  const [row] = await readRunFiles(context.db, place, [id], filesSince(context.settings, context.now()));
  if (row === undefined) throw fileNotFound();
  return row;
}

/** Returns a file's bytes as a stream. */
export async function openFile(context: Context, row: RunFileRow): Promise<ReadableStream> {
  const body = await openRunFile(context.packages, context.timings, row.object);
  if (body === null) throw fileNotFound();
  return body;
}

/** Deletes a file: first the object, so that a failure can be retried. */
export async function deleteFile(context: Context, conversation: string, id: string): Promise<void> {
  const row = await findFileOf(context, conversation, id);
  await deleteRunObjects(context.packages, context.timings, [row.object]);
  await deleteRunFiles(context.db, [row.id]);
}

/**
 * Deletes expired files, rows without a conversation, and objects without a row (left if a conversation ends while a script runs, or if an
 * object arrives after its request gave up). A row is written before its object, so an object without a row is never a new one. Returns the
 * number of files.
 */
export async function sweepFiles(
  context: Pick<Context, "db" | "packages" | "timings" | "now"> & { settings: Pick<Settings, "FILE_DAYS"> },
): Promise<number> {
  const { db, packages: bucket, timings } = context;
  const remove = async (files: readonly { object: string; id: string }[]) => {
    if (files.length === 0) return 0;
    await deleteRunObjects(
      bucket,
      timings,
      files.map(({ object }) => object),
    );
    await deleteRunFiles(
      db,
      files.map(({ id }) => id),
    );
    return files.length;
  };
  let swept = 0;
  for (let some = SWEPT; some === SWEPT; ) {
    some = await remove(await expiredRunFiles(db, filesSince(context.settings, context.now()), SWEPT));
    swept += some;
  }
  let cursor: string | null = null;
  do {
    const page = await listRunObjects(bucket, timings, cursor);
    const ids = page.objects.map(({ id }) => id);
    const living = ids.length === 0 ? new Set() : await existingRunFiles(db, ids);
    const dead = page.objects.filter(({ id }) => !living.has(id));
    swept += await remove(dead.map(({ key, id }) => ({ object: key, id })));
    cursor = page.cursor;
  } while (cursor !== null);
  return swept;
}

function fileNotFound(): GatewayError {
  return new GatewayError("not_found", "FILE_NOT_FOUND", "File not found in this conversation. It may have expired.");
}
