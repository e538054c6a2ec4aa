// What a skill's code may ask of the gateway, and nothing else. Every argument comes from code that may lie about everything.

import { RpcTarget } from "cloudflare:workers";
import { isRunPath } from "../domain/code/run-path";
import type { DroppedReason } from "../domain/code/script-files";
import { PART_FILES, SCRIPT_FILES } from "../domain/code/script-limits";
import { DURATIONS } from "../domain/durations";
import { isJsonObject, type JsonObject, type JsonValue, utf8Bytes } from "../domain/json";
import { CODE_LIMITS } from "../domain/limits";
import { QUESTION_LIMITS } from "../domain/questions/limits";
import type { BrowserLink } from "./browser-link";

/** How a run went that has no answer, for operators: what the code itself says of a failure is the caller's alone. */
export interface HostEnding {
  outcome: "failed" | "timeout" | "cancelled" | "stopped";
  /** Why it was ended, by us or by the runtime. */
  reason?: string;
  ms: number;
}

/** What came of a part of a run that was done elsewhere. */
export interface SubRunResult {
  exit: number;
  stdout: string;
  stderr: string;
  /** New and changed files, and those that are gone, by full path. */
  files: { path: string; bytes: Uint8Array }[];
  removed: string[];
}

/** What stands behind the host of one call. */
export interface HostParts {
  /** A file of the skill's own package; `null` when it has none of this path. */
  readFile(path: string): Promise<Uint8Array | null>;
  log(text: string): void;
  /** Told when the code did not answer: it failed, took too long, was cancelled or was ended. */
  ended(ending: HostEnding): void;
  browserLink: BrowserLink;
  /** When the call ends, in milliseconds since the epoch. It comes nearer when the isolate is ready. */
  deadline: number;
  /** Does a part of the run in another language; absent where nothing may be asked for. What is asked may be anything. */
  execute?(ask: unknown, files: unknown, line: HostCall): Promise<SubRunResult>;
  /** The run that this one is a part of: they are counted together, and all that a part wrote goes back. */
  whole?: HostCall;
}

/** One call's state, on our side. The isolate has only the `Host`. */
export class HostCall {
  readonly output = { stdout: "", stderr: "" };
  /** What a script wrote, by full path; and what of it there is no room for. */
  readonly files = new Map<string, Uint8Array>();
  readonly left = new Map<string, DroppedReason>();
  /** The isolate has booted, and has everything that it needs. */
  readonly ready = Promise.withResolvers<void>();
  begun: number | null = null;
  readonly over = Promise.withResolvers<void>();
  /** It asked for something when its time was over: a clock that had no turn yet need not ring. */
  readonly late = Promise.withResolvers<void>();
  /** Why the call was stopped from this side. */
  readonly stopped = Promise.withResolvers<string>();
  readonly removed = new Set<string>();
  readonly counts: { calls: number; logged: number; read: number };
  isOpen = true;

  constructor(readonly parts: HostParts) {
    this.counts = parts.whole?.counts ?? { calls: 0, logged: 0, read: 0 };
  }

  close(): void {
    this.isOpen = false;
    this.over.resolve();
  }

  /** Counts a call, and refuses it when the tool's time is over or there are too many. */
  enter(): void {
    if (this.isOpen && Date.now() > this.parts.deadline) this.late.resolve();
    if (!this.isOpen || Date.now() > this.parts.deadline) throw new Error("The call has ended.");
    if (++this.counts.calls <= CODE_LIMITS.hostCalls) return;
    const reason = `it called the gateway more than ${CODE_LIMITS.hostCalls} times`;
    this.stopped.resolve(reason);
    throw new Error(reason);
  }
}

/** Answers are told, not thrown: what a guest can make a host throw, it could make the runtime log without end. */
export type HostReply<T> = { value: T } | { error: string };

/** The only object that crosses into an isolate. Its methods are all that can be reached through it. */
export class Host extends RpcTarget {
  readonly #line: HostCall;

  constructor(line: HostCall) {
    super();
    this.#line = line;
  }

  /** Resolves when the call is over, so that what still runs of it ends with it. */
  async over(): Promise<void> {
    await this.#line.over.promise;
  }

  /** A file as text, or with the encoding `bytes` as it is. */
  readFile(path: unknown, encoding: unknown): Promise<HostReply<string | Uint8Array>> {
    return this.#tell(async (line) => {
      if (typeof path !== "string") throw new TypeError("The path of readFile is not a text.");
      if (encoding !== undefined && encoding !== "utf8" && encoding !== "utf-8" && encoding !== "bytes")
        throw new TypeError("readFile accepts the encodings 'utf8' and 'bytes'.");
      const bytes = await line.parts.readFile(path.replace(/^\.\//, ""));
      if (bytes === null) throw new Error(`The skill has no file '${path.slice(0, 300)}'.`);
      line.counts.read += bytes.length;
      if (line.counts.read > CODE_LIMITS.readBytes) throw new Error("The call read too much data.");
      return encoding === "bytes" ? bytes : new TextDecoder().decode(bytes);
    });
  }

  log(text: unknown): Promise<HostReply<null>> {
    return this.#tell((line) => {
      if (typeof text !== "string") throw new TypeError("The message of log is not a text.");
      if (++line.counts.logged <= CODE_LIMITS.logLines) line.parts.log(text.slice(0, CODE_LIMITS.logChars));
      return null;
    });
  }

  emit(action: unknown, payload: unknown): Promise<HostReply<null>> {
    return this.#tell((line) => {
      line.parts.browserLink.emit(actionOf(action), payloadOf(payload));
      return null;
    });
  }

  /** Asks the page. It ends a second before the call does, so that the tool can still say what happened. Tells JSON text. */
  request(
    action: unknown,
    payload: unknown,
    timeoutMs: unknown,
    requireClient?: unknown,
    answerSchema?: unknown,
  ): Promise<HostReply<string>> {
    return this.#tell(async (line) => {
      if (timeoutMs !== undefined && !(typeof timeoutMs === "number" && timeoutMs > 0))
        throw new TypeError("timeout_ms of request is not a number of milliseconds.");
      if (requireClient !== undefined && typeof requireClient !== "boolean")
        throw new TypeError("require_client of request is not true or false.");
      const asked = {
        action: actionOf(action),
        payload: payloadOf(payload),
        requireClient: requireClient ?? false,
        answerSchema: answerSchema === undefined ? undefined : schemaOf(answerSchema),
      };
      const left = line.parts.deadline - DURATIONS.requestMargin - Date.now();
      if (left <= 0) return JSON.stringify({ success: false, error: "No time is left to ask the user." });
      const answer = await line.parts.browserLink.request({ ...asked, timeoutMs: Math.min(timeoutMs ?? left, left) });
      return JSON.stringify(answer);
    });
  }

  /** Told when the harness is ready: the code's own time begins. */
  async begin(): Promise<void> {
    this.#line.begun ??= Date.now();
    this.#line.ready.resolve();
  }

  /** A file that a script has written. What is too much is named and not kept. */
  put(path: unknown, bytes: unknown): Promise<HostReply<boolean>> {
    return this.#tell((line) => {
      if (typeof path !== "string" || !isRunPath(path)) throw new TypeError("A file has a full path.");
      const isPart = line.parts.whole !== undefined;
      if (bytes === null && isPart && line.removed.size < SCRIPT_FILES.entries) {
        line.removed.add(path);
        return true;
      }
      if (!(bytes instanceof Uint8Array)) throw new TypeError("A file is bytes.");
      const { outFileBytes, outBytes, outFiles } = isPart ? PART_FILES : SCRIPT_FILES;
      const total = [...line.files.values()].reduce((sum, file) => sum + file.length, bytes.length);
      if (bytes.length <= outFileBytes && total <= outBytes && line.files.size < outFiles) {
        line.files.set(path, bytes);
        return true;
      }
      const reason = bytes.length > outFileBytes ? "TOO_LARGE" : "TOO_MANY";
      if (line.left.size < SCRIPT_FILES.outFiles) line.left.set(path, reason);
      return false;
    });
  }

  /** A part of a script in another language, as JSON, with the files as they are. */
  execute(ask: unknown, files: unknown): Promise<HostReply<SubRunResult>> {
    return this.#tell((line) => {
      if (line.parts.execute === undefined) throw new Error("Scripts cannot be started here.");
      return line.parts.execute(ask, files, line);
    });
  }

  /** Output of a script. */
  async write(stream: unknown, text: unknown): Promise<void> {
    const line = this.#line;
    if (!line.isOpen || typeof text !== "string" || (stream !== "stdout" && stream !== "stderr")) return;
    line.output[stream] = (line.output[stream] + text).slice(0, CODE_LIMITS.outputChars + 1);
  }

  async #tell<T>(answer: (line: HostCall) => T | Promise<T>): Promise<HostReply<T>> {
    try {
      this.#line.enter();
      return { value: await answer(this.#line) };
    } catch (error) {
      return { error: error instanceof Error ? error.message : "The operation failed." };
    }
  }
}

function actionOf(action: unknown): string {
  if (typeof action === "string" && /^[\w.:/-]{1,128}$/.test(action)) return action;
  throw new TypeError("The action is not valid. Use 1-128 of A-Za-z0-9_.:/-.");
}

function payloadOf(payload: unknown): JsonValue {
  if (typeof payload !== "string") throw new TypeError("The payload is not JSON.");
  if (payload.length > CODE_LIMITS.payloadChars)
    throw new RangeError(`Payload too large (limit ${CODE_LIMITS.payloadChars} characters).`);
  return JSON.parse(payload);
}

function schemaOf(text: unknown): JsonObject {
  const { schemaBytes } = QUESTION_LIMITS;
  const schema: unknown = typeof text === "string" && utf8Bytes(text) <= schemaBytes ? JSON.parse(text) : null;
  if (isJsonObject(schema)) return schema;
  throw new TypeError(`answer_schema of request is not a JSON Schema object (limit ${schemaBytes / 1024} KiB).`);
}
