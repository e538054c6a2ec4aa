// Implements the only interface from skill code to the gateway. All arguments are untrusted.

import { RpcTarget } from "cloudflare:workers";
import { RequestRefused } from "../domain/code/network";
import { isRunPath } from "../domain/code/run-path";
import type { DroppedReason } from "../domain/code/script-files";
import { PART_FILES, SCRIPT_FILES } from "../domain/code/script-limits";
import { DURATIONS } from "../domain/durations";
import { isJsonObject, type JsonObject, type JsonValue, utf8Bytes } from "../domain/json";
import { CODE_LIMITS } from "../domain/limits";
import { QUESTION_LIMITS } from "../domain/questions/limits";
import type { BrowserLink } from "./browser-link";

/** The end of a run without a result, for operators. The error message of the code itself is returned to the caller only. */
export interface HostEnding {
  outcome: "failed" | "timeout" | "cancelled" | "stopped";
  /** Why the gateway or the runtime ended it. */
  reason?: string;
  ms: number;
}

/** The result of a part of a run in another executor. */
export interface SubRunResult {
  exit: number;
  stdout: string;
  stderr: string;
  /** New and changed files, and the absolute paths of deleted ones. */
  files: { path: string; bytes: Uint8Array }[];
  removed: string[];
}

/** A response to skill code. */
export interface CodeResponse {
  status: number;
  statusText: string;
  headers: [string, string][];
  body: Uint8Array;
  url: string;
}

/** Sends requests of skill code to the hosts that its skill declares. */
export interface HostNetwork {
  /** The variables of the code: placeholders by name. */
  env: Readonly<Record<string, string>>;
  /** Sends a request, which is untrusted. Throws with a message for the code. */
  send(asked: unknown, signal: AbortSignal): Promise<CodeResponse>;
}

/** The dependencies of one call's host. */
export interface HostParts {
  /** Returns a file of the skill's package, or `null` if it does not exist. */
  readFile(path: string): Promise<Uint8Array | null>;
  log(text: string): void;
  /** Called if the code did not return a result: it failed, timed out, was cancelled or was stopped. */
  ended(ending: HostEnding): void;
  browserLink: BrowserLink;
  /** Absent if the skill declares no host. */
  network?: HostNetwork;
  /** Deadline of the call, in milliseconds since the epoch. Shortened when the isolate is ready. */
  deadline: number;
  /** Runs a part of the run in another language. Absent if this is not allowed. The arguments are untrusted. */
  execute?(ask: unknown, files: unknown, line: HostCall): Promise<SubRunResult>;
  /** The run that this one is a part of. They share counters, and all files written by a part are returned to it. */
  whole?: HostCall;
}

/** The gateway's state of one call. The isolate only has the `Host`. */
export class HostCall {
  readonly output = { stdout: "", stderr: "" };
  /** Files written by a script, by absolute path, and those dropped because of a limit. */
  readonly files = new Map<string, Uint8Array>();
  readonly left = new Map<string, DroppedReason>();
  /** Resolves when the isolate has started and received all its input. */
  readonly ready = Promise.withResolvers<void>();
  begun: number | null = null;
  readonly over = Promise.withResolvers<void>();
  /** Resolves if the code calls the host after its deadline, even if the timer has not fired yet. */
  readonly late = Promise.withResolvers<void>();
  /** The reason why the gateway stopped the call. */
  readonly stopped = Promise.withResolvers<string>();
  readonly removed = new Set<string>();
  readonly counts: { calls: number; logged: number; read: number };
  readonly #end = new AbortController();
  isOpen = true;

  constructor(readonly parts: HostParts) {
    this.counts = parts.whole?.counts ?? { calls: 0, logged: 0, read: 0 };
  }

  /** Aborted at the end of the call. */
  get ended(): AbortSignal {
    return this.#end.signal;
  }

  close(): void {
    this.isOpen = false;
    this.over.resolve();
    this.#end.abort();
  }

  /** Counts a call. Throws if the deadline has passed or there are too many calls. */
  enter(): void {
    if (this.isOpen && Date.now() > this.parts.deadline) this.late.resolve();
    if (!this.isOpen || Date.now() > this.parts.deadline) throw new Error("The call has ended.");
    if (++this.counts.calls <= CODE_LIMITS.hostCalls) return;
    const reason = `it called the gateway more than ${CODE_LIMITS.hostCalls} times`;
    this.stopped.resolve(reason);
    throw new Error(reason);
  }
}

/** Errors are returned instead of thrown. Otherwise code could cause unlimited log entries in the runtime. */
export type HostReply<T> = { value: T } | { error: string; isRefused?: boolean };

/** The only object that is passed into an isolate. Code in it can reach its methods only. */
export class Host extends RpcTarget {
  readonly #line: HostCall;

  constructor(line: HostCall) {
    super();
    this.#line = line;
  }

  /** Resolves when the call is over, so that work still running in the isolate ends. */
  async over(): Promise<void> {
    await this.#line.over.promise;
  }

  /** Returns a file as text, or as bytes with the encoding `bytes`. */
  readFile(path: unknown, encoding: unknown): Promise<HostReply<string | Uint8Array>> {
    return this.#tell(async (line) => {
      if (typeof path !== "string") throw new TypeError("The path of readFile must be a string.");
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
      if (typeof text !== "string") throw new TypeError("The message of log must be a string.");
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

  /**
   * Sends a question to the page. Times out one second before the call does, so that the tool can still return a result. Returns JSON text.
   */
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

  /** Called when the harness is ready. The code's own time limit starts. */
  async begin(): Promise<void> {
    this.#line.begun ??= Date.now();
    this.#line.ready.resolve();
  }

  /** Stores a file that a script has written. Files over the limit are reported by name only. */
  put(path: unknown, bytes: unknown): Promise<HostReply<boolean>> {
    return this.#tell((line) => {
      if (typeof path !== "string" || !isRunPath(path)) throw new TypeError("A file has a full path.");
      const isPart = line.parts.whole !== undefined;
      if (bytes === null && isPart && line.removed.size < SCRIPT_FILES.entries) {
        line.removed.add(path);
        return true;
      }
      if (!(bytes instanceof Uint8Array)) throw new TypeError("The content of a file must be a Uint8Array.");
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

  /** Sends a request to a declared host. */
  fetch(asked: unknown): Promise<HostReply<CodeResponse>> {
    return this.#tell(async (line) => {
      const { network } = line.parts;
      if (network === undefined)
        throw new RequestRefused(
          "There is no network. Code reaches the hosts that its skill declares as `network` in SKILL.md.",
        );
      return network.send(asked, line.ended);
    });
  }

  /** Runs a part of a script in another language, with the current files. Returns JSON. */
  execute(ask: unknown, files: unknown): Promise<HostReply<SubRunResult>> {
    return this.#tell((line) => {
      if (line.parts.execute === undefined) throw new Error("Scripts cannot be started here.");
      return line.parts.execute(ask, files, line);
    });
  }

  /** Receives output of a script. */
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
      const message = error instanceof Error ? error.message : "The operation failed.";
      return { error: message, ...(error instanceof RequestRefused ? { isRefused: true } : {}) };
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
