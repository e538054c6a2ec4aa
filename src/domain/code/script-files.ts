// Reads the input files of a script call, and reports the files that the script wrote.

import { decodeBase64, encodeBase64 } from "../base64";
import type { Issue } from "../errors";
import type { JsonObject } from "../json";
import { mediaTypeOf } from "../media-type";
import { checkCollisions } from "../package/collisions";
import { checkPath } from "../package/path";
import { exactText } from "../text";
import { estimateTokens } from "../tokens";
import { SCRIPT_FILES } from "./script-limits";

/** A file in a call, with its content in one of three forms. */
export interface RequestedFile {
  path: string;
  text?: string | null | undefined;
  base64?: string | null | undefined;
  /** The id or URL of a file that an earlier call of the conversation stored. */
  kept?: string | null | undefined;
}

/** An input file of a script by its absolute path, with its bytes or the id of the stored file. */
export interface InputFile {
  path: string;
  content: { bytes: Uint8Array } | { kept: string };
  /** The field in the call, for messages. */
  field: string;
}

const IN_WORKSPACE = `${SCRIPT_FILES.workspace}/`;

/** Reads the files of a call. Issues: all `PATH_*` and `FILE_*` that apply. Use `given` only if there are none. */
export function readInputFiles(asked: readonly RequestedFile[]): { given: InputFile[]; issues: Issue[] } {
  if (asked.length > SCRIPT_FILES.inFiles) {
    const message = `Too many files (limit ${SCRIPT_FILES.inFiles}). Pass fewer files.`;
    return { given: [], issues: [{ code: "FILE_TOO_MANY", message, path: "files" }] };
  }
  const issues: Issue[] = [];
  const given: InputFile[] = [];
  const placed: { path: string; directory: boolean }[] = [];
  for (const [index, file] of asked.entries()) {
    const field = `files.${index}`;
    // Results name files by their path in the run, so models use that path here too.
    const inside = file.path.startsWith(IN_WORKSPACE) ? file.path.slice(IN_WORKSPACE.length) : file.path;
    const checked = checkPath(inside);
    const wrong: Pick<Issue, "code" | "message">[] = [...checked.issues];
    if (checked.directory) wrong.push(IS_FOLDER);
    if (checked.path.split("/").includes("__proto__")) wrong.push(RESERVED);
    issues.push(...wrong.map(({ code, message }) => ({ code, message, path: `${field}.path` })));
    if (wrong.length === 0) placed.push(checked);
    const content = contentOf(file);
    if ("code" in content) issues.push({ ...content, path: field });
    else given.push({ path: IN_WORKSPACE + checked.path, content, field });
  }
  issues.push(...checkCollisions(placed).issues);
  const bytes = given.reduce((sum, { content }) => sum + ("bytes" in content ? content.bytes.length : 0), 0);
  if (bytes > SCRIPT_FILES.inBytes) issues.push(inputFilesTooLarge());
  return { given, issues };
}

const IS_FOLDER = { code: "PATH_IS_FOLDER", message: "The path ends with a slash. Use the path of a file." };
/** Python's file system stores names in plain objects, where a file with this name is lost. */
const RESERVED = { code: "PATH_RESERVED", message: "The file name `__proto__` is reserved. Use another name." };

function contentOf({ text, base64, kept }: RequestedFile): InputFile["content"] | Pick<Issue, "code" | "message"> {
  const ways = [text, base64, kept].filter((way) => way !== undefined && way !== null);
  if (ways.length !== 1)
    return {
      code: "FILE_CONTENT",
      message: "The content of the file is missing or ambiguous. Send exactly one of `text`, `base64` and `kept`.",
    };
  if (typeof text === "string") return { bytes: new TextEncoder().encode(text) };
  if (typeof kept === "string") return { kept: kept.slice(kept.lastIndexOf("/") + 1) };
  try {
    return { bytes: decodeBase64(base64 ?? "") };
  } catch {
    return { code: "FILE_BASE64", message: "The content is not valid base64. Encode it again, or send `text`." };
  }
}

/** Returns the issue for input files that exceed the total limit. */
export function inputFilesTooLarge(): Issue {
  const message = `Files too large (limit ${SCRIPT_FILES.inBytes / 1_048_576} MiB together). Pass less data.`;
  return { code: "FILE_TOO_LARGE", message, path: "files" };
}

/** Returns the issue for a file that is not stored for this conversation, even if another conversation has a file with this id. */
export function fileNotStored(field: string): Issue {
  const message = "File not found in this conversation. Use the `id` or `address` of a stored file.";
  return { code: "FILE_NOT_KEPT", message, path: `${field}.kept` };
}

/** Reasons why a written file is not returned. */
export const DROPPED_REASONS = {
  TOO_LARGE: `larger than ${SCRIPT_FILES.outFileBytes / 1_048_576} MiB`,
  TOO_MANY: `more than ${SCRIPT_FILES.outFiles} files or ${SCRIPT_FILES.outBytes / 1_048_576} MiB in one run`,
  QUOTA_EXCEEDED: "the user's storage for files is full; delete files first",
  NO_CONVERSATION: "too large to return without a conversation",
  UNAVAILABLE: "storage did not respond",
} as const;

export type DroppedReason = keyof typeof DROPPED_REASONS;

/** A file that a script wrote and that is not returned. */
export interface DroppedFile {
  path: string;
  reason: DroppedReason;
}

/** A file that a script wrote, and its stored copy if there is one. */
export interface WrittenFile {
  path: string;
  bytes: Uint8Array;
  kept: { id: string; address: string } | null;
}

/** The report about files: as data, and as text for the model, which includes short text files. */
export interface FilesReport {
  data: { files: JsonObject[]; left: JsonObject[] };
  /** Empty if there are no files to report. */
  words: string[];
  /** Text contents for the model, by path. */
  shown: { path: string; text: string }[];
}

/**
 * Reports the files of a run. Text is included up to a limit. The bytes of files that are not stored are included too, because no other
 * copy exists. Those that do not fit are dropped.
 */
export function describeFiles(written: readonly WrittenFile[], left: readonly DroppedFile[]): FilesReport {
  const report: FilesReport = { data: { files: [], left: [] }, words: [], shown: [] };
  const dropped = [...left];
  let room: number = SCRIPT_FILES.inlineBytes;
  let tokens: number = SCRIPT_FILES.shownTokens;
  for (const { path, bytes, kept } of written) {
    const type = mediaTypeOf(path);
    const text = bytes.length > room ? null : plainText(bytes);
    const base64 = text !== null || kept !== null || bytes.length > (room * 3) / 4 ? null : encodeBase64(bytes);
    if (text === null && base64 === null && kept === null) {
      dropped.push({ path, reason: "NO_CONVERSATION" });
      continue;
    }
    room -= text === null ? (base64?.length ?? 0) : bytes.length;
    const inline: JsonObject = text !== null ? { text } : base64 !== null ? { base64 } : {};
    report.data.files.push({ path, size: bytes.length, type, ...(kept ?? {}), ...inline });
    report.words.push(`- ${path}: ${bytes.length} bytes, ${type}${kept === null ? "" : `, kept as ${kept.id}`}`);
    // A text-based picture such as SVG is of little use to a model and would be read again in every later step.
    if (text === null || text === "" || type.startsWith("image/")) continue;
    const cost = tokensWithin(text, tokens);
    if (cost === null) continue;
    tokens -= cost;
    report.shown.push({ path, text });
  }
  if (report.data.files.some(({ id }) => id !== undefined)) report.words.push(AGAIN);
  for (const { path, reason } of dropped) {
    report.data.left.push({ path, reason });
    report.words.push(`- ${path}: not kept, ${DROPPED_REASONS[reason]}`);
  }
  return report;
}

/** Included if a file was stored, because a short tool description does not mention this field. */
const AGAIN = 'A later script gets a kept file by `files: [{ "path": "…", "kept": "fil_…" }]`.';

/** Decodes bytes as text that encodes to the same bytes. Returns `null` if they are not UTF-8 or contain NUL. */
function plainText(bytes: Uint8Array): string | null {
  return bytes.includes(0) ? null : exactText(bytes);
}

/** Returns the number of tokens of a text, or `null` if it exceeds `most`. Long texts are rejected without counting. */
function tokensWithin(text: string, most: number): number | null {
  const tokens = text.length > most * CHARS_PER_TOKEN ? null : estimateTokens(text);
  return tokens === null || tokens > most ? null : tokens;
}

/** More characters per token than any text shown to a model has. */
const CHARS_PER_TOKEN = 8;
