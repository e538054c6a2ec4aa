// Passes files into and out of a script. Input can refer to files stored by earlier calls; output is stored if there is a conversation.
// Loaded with the first script that has files.

import { fileRoom, filesSince } from "../../domain/access/quota";
import {
  type DroppedFile,
  fileNotStored,
  type InputFile,
  inputFilesTooLarge,
  type RequestedFile,
  readInputFiles,
  type WrittenFile,
} from "../../domain/code/script-files";
import { SCRIPT_FILES } from "../../domain/code/script-limits";
import { sha256Hex } from "../../domain/digest";
import { type Issue, refusalIn } from "../../domain/errors";
import type { ScriptRun } from "../../sandbox/executor";
import type { RunFile } from "../../sandbox/isolate";
import {
  deleteRunFiles,
  type FileRoom,
  type RunFileRow,
  readRunFiles,
  reserveRunFiles,
} from "../../storage/d1/conversation/run-files";
import { putRunFile, readRunFile, runFileKey } from "../../storage/r2/run-files";
import type { Context } from "../context";
import type { Session } from "../session";
import { addressOf } from "./stored-files";

/** Number of objects read or written in parallel; a request has six connections. */
const LANES = 4;
/** Hex digits of a digest, enough to be unique. */
const DIGITS = 32;

/** Returns the input files of a call, or all issues. */
export async function resolveInputFiles(
  context: Context,
  session: Pick<Session, "userId" | "id"> | null,
  asked: readonly RequestedFile[],
): Promise<{ files: RunFile[] } | { issues: Issue[] }> {
  const { given, issues } = readInputFiles(asked);
  const rows = new Map<string, RunFileRow>();
  const ids = given.flatMap(({ content }) => ("kept" in content ? [content.kept] : []));
  if (ids.length > 0 && session !== null) {
    const found = await readRunFiles(context.db, placeOf(session), ids, filesSince(context.settings, context.now()));
    for (const row of found) rows.set(row.id, row);
  }
  const missing = given.filter(({ content }) => "kept" in content && !rows.has(content.kept));
  const size = ({ content }: InputFile) =>
    "kept" in content ? (rows.get(content.kept)?.size ?? 0) : content.bytes.length;
  const bytes = given.reduce((sum, file) => sum + size(file), 0);
  const all = [...issues, ...missing.map(({ field }) => fileNotStored(field))];
  if (bytes > SCRIPT_FILES.inBytes && !all.some(({ code }) => code === inputFilesTooLarge().code))
    all.push(inputFilesTooLarge());
  if (all.length > 0) return { issues: all };
  const files = await inLanes(given, async ({ path, content, field }) => {
    if ("bytes" in content) return { file: { path, bytes: content.bytes } };
    const object = rows.get(content.kept)?.object ?? "";
    const read = await readRunFile(context.packages, context.timings, object);
    return read === null ? { issue: fileNotStored(field) } : { file: { path, bytes: read } };
  });
  const gone = files.flatMap(({ issue }) => issue ?? []);
  return gone.length > 0 ? { issues: gone } : { files: files.flatMap(({ file }) => file ?? []) };
}

/** A call whose files are stored, with what identifies it when it is repeated. */
export interface StoredFilesCall {
  userId: string;
  conversation: string;
  /** Creation time of the conversation, which distinguishes it from a deleted one with the same id. */
  created: number;
  call: readonly unknown[];
}

/** Identifies a call of a turn. A repeated turn is a different one. */
export function callWithStoredFiles(session: Session, callId: string, request: object): StoredFilesCall {
  const { userId, id, store, state } = session;
  const call = [store.passes(), state.turn, callId, request];
  return { userId, conversation: id, created: store.created(), call };
}

/**
 * Stores the files of a run while there is room: first the row, then the object, so that a failure in between leaves a row, which expires.
 * The same call has the same ids. Files that are not stored have a reason. A cancelled run stores nothing.
 *
 * @param folder the common folder, if it has its own limit
 */
export async function storeWrittenFiles(
  context: Context,
  call: StoredFilesCall | null,
  run: Pick<ScriptRun, "files" | "left" | "reason">,
  folder?: FileRoom["folder"],
): Promise<{ written: WrittenFile[]; left: DroppedFile[] }> {
  if (call === null || run.files.length === 0 || run.reason === "cancelled")
    return { written: run.files.map((file) => ({ ...file, kept: null })), left: [...run.left] };
  const rows = await rowsFor(context, call, run.files);
  const reserved = await reserve(context, rows, folder);
  const left: DroppedFile[] = [];
  const written = await inLanes(run.files, async (file, index) => {
    const row = rows[index];
    const reason =
      row === undefined || reserved === null ? "UNAVAILABLE" : reserved.has(row.id) ? null : "QUOTA_EXCEEDED";
    if (row === undefined || reason !== null || !(await isPut(context, row, file.bytes))) {
      left.push({ path: file.path, reason: reason ?? "UNAVAILABLE" });
      return [];
    }
    return [{ ...file, kept: { id: row.id, address: addressOf(row.conversation, row.id) } }];
  });
  return { written: written.flat(), left: [...left, ...run.left] };
}

async function rowsFor(context: Context, call: StoredFilesCall, files: readonly RunFile[]): Promise<RunFileRow[]> {
  const { userId, conversation, created } = call;
  const owner = await nameOf([userId, conversation, created]);
  const run = await nameOf([owner, ...call.call]);
  const createdAt = context.now();
  return Promise.all(
    files.map(async ({ path, bytes }) => {
      const id = `fil_${await nameOf([run, path])}`;
      const object = runFileKey(owner, run, id);
      return { id, userId, conversation, object, path, size: bytes.length, createdAt };
    }),
  );
}

/** Returns a unique name that does not reveal its parts. */
async function nameOf(parts: readonly unknown[]): Promise<string> {
  return (await sha256Hex(JSON.stringify(parts))).slice(0, DIGITS);
}

/** Returns the ids of rows that fit; `null` if D1 does not answer: the script has run, and its result is returned. */
async function reserve(
  context: Context,
  rows: readonly RunFileRow[],
  folder: FileRoom["folder"],
): Promise<Set<string> | null> {
  try {
    return await reserveRunFiles(context.db, rows, {
      since: filesSince(context.settings, context.now()),
      most: fileRoom(context.settings),
      ...(folder === undefined ? {} : { folder }),
    });
  } catch (error) {
    if (refusalIn(error)?.code === "unavailable") return null;
    throw error;
  }
}

/** Stores a file's bytes. On failure its row is deleted; if the bytes arrive nevertheless, the sweep deletes them. */
async function isPut(context: Context, row: RunFileRow, bytes: Uint8Array): Promise<boolean> {
  try {
    await putRunFile(context.packages, context.timings, row.object, bytes);
    return true;
  } catch (error) {
    if (refusalIn(error)?.code !== "unavailable") throw error;
    // A row that cannot be deleted expires.
    await deleteRunFiles(context.db, [row.id]).catch((later) => {
      if (refusalIn(later)?.code !== "unavailable") throw later;
    });
    return false;
  }
}

function placeOf({ userId, id }: Pick<Session, "userId" | "id">) {
  return { userId, conversation: id };
}

/** Runs `act` for each element, a few at a time, and returns the results in order. */
async function inLanes<T, R>(list: readonly T[], act: (one: T, index: number) => Promise<R>): Promise<R[]> {
  const answers: R[] = [];
  for (let at = 0; at < list.length; at += LANES) {
    answers.push(...(await Promise.all(list.slice(at, at + LANES).map((one, index) => act(one, at + index)))));
  }
  return answers;
}
