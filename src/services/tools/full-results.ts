// Stores results that are too long to be returned as files of the conversation, readable in ranges. Loaded with the first one.

import { filesSince } from "../../domain/access/quota";
import { invalid } from "../../domain/errors";
import type { JsonObject } from "../../domain/json";
import { LIBRARY_LIMITS } from "../../domain/servers/library/limits";
import { charactersIn, RANGE_MARGIN, readResultUri, resultUri } from "../../domain/servers/library/ranges";
import type { WholeResult } from "../../domain/servers/result";
import type { ToolResult } from "../../domain/tool";
import { readRunFiles } from "../../storage/d1/conversation/run-files";
import { readRunFileRange } from "../../storage/r2/run-files";
import type { Context } from "../context";
import type { Session } from "../session";
import { type StoredFilesCall, storeWrittenFiles } from "./script-files";

const FOLDER = { path: "results/", most: LIBRARY_LIMITS.resultsBytes };
const TYPES = { "text/plain": "txt", "application/json": "json" } as const;

/** Returns a cut result with a note on where to read the rest, or why it is not stored. */
export async function withFullResultLink(
  context: Context,
  call: StoredFilesCall,
  tool: string,
  { text, mediaType }: WholeResult,
  result: ToolResult,
): Promise<ToolResult> {
  const bytes = new TextEncoder().encode(text);
  const path = `${FOLDER.path}${tool.replace(/[^\w-]/g, "_").slice(0, 64)}.${TYPES[mediaType]}`;
  const run = { files: [{ path, bytes }], left: [], reason: null };
  const { written, left } = await storeWrittenFiles(context, call, run, FOLDER);
  const noteText = noteFor(context, written[0]?.kept?.id ?? null, left[0]?.reason);
  const note = `(The complete result has ${bytes.length} bytes of ${mediaType}. ${noteText})`;
  return { ...result, content: [...result.content, { type: "text", text: note }] };
}

/** The note: where the full result is, or why it was not stored and how to make room. */
function noteFor({ settings }: Context, file: string | null, reason: string | undefined): string {
  if (file !== null) {
    const first = resultUri({ file, offset: 0, limit: LIBRARY_LIMITS.rangeBytes });
    return `Read it in ranges as the resource ${first}, or pass it to a script as the stored file ${file}.`;
  }
  if (reason !== "QUOTA_EXCEEDED") return "It was not stored because storage did not respond.";
  const most = FOLDER.most / 1_048_576;
  return (
    `It was not stored because a limit was reached (${most} MiB of long results per conversation, ` +
    `${settings.QUOTA_FILES_MIB} MiB of files per user). Ask the tool for less, or delete files of the conversation.`
  );
}

/** Returns a range of a full result, in the format of `resources/read`; `null` if it does not exist or has expired. */
export async function readFullResult(context: Context, session: Session, uri: string): Promise<JsonObject | null> {
  const range = readResultUri(uri);
  const most = LIBRARY_LIMITS.rangeBytesMost;
  const problem = (message: string) => invalid([{ code: "INVALID_RANGE", message, path: "uri" }]);
  if (range === null)
    throw problem(
      `The address is not valid. Use result:<file>?offset=<bytes>&limit=<bytes> (limit ${most} bytes at once).`,
    );
  const place = { userId: session.userId, conversation: session.id };
  const since = filesSince(context.settings, context.now());
  const [row] = await readRunFiles(context.db, place, [range.file], since);
  if (!row?.path.startsWith(FOLDER.path)) return null;
  const { offset, limit } = range;
  if (offset >= row.size)
    throw problem(`Offset out of range (the result has ${row.size} bytes). Use a smaller offset.`);
  const length = Math.min(limit + RANGE_MARGIN, row.size - offset);
  const read = await readRunFileRange(context.packages, context.timings, row.object, { offset, length });
  if (read === null) return null;
  const next = offset + limit;
  const meta: JsonObject = { size: row.size };
  if (next < row.size) meta.next = resultUri({ ...range, offset: next });
  const mimeType = row.path.endsWith(TYPES["application/json"]) ? "application/json" : "text/plain";
  const text = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true }).decode(charactersIn(read, limit));
  return { contents: [{ uri, mimeType, text, _meta: meta }] };
}
