// Runs code in an isolate of the Worker Loader, without network and bindings, with a deadline enforced from outside. Only this folder uses
// the loader.

import type { Language } from "../domain/code/language";
import { sha256Hex } from "../domain/digest";
import { DURATIONS } from "../domain/durations";
import type { JsonObject, JsonValue } from "../domain/json";
import { CODE_LIMITS } from "../domain/limits";
import { Host, HostCall, type HostParts } from "./host";
import { holdIsolate } from "./local-isolates";
import { NO_SLOT, type Slots } from "./slots";

/** The code of an isolate. */
export interface IsolateCode {
  /** Everything that distinguishes isolates: the harness, the package, the user. The loader reuses an isolate with the same id. */
  id: readonly string[];
  language: Language;
  /** Called only if there is no such isolate yet. Returns a string with the reason if the code cannot run. */
  load(): Promise<WorkerLoaderWorkerCode | string>;
}

/** The loader, and the limit on concurrent isolates. */
export interface Isolates {
  loader: WorkerLoader;
  slots: Slots;
}

export type Outcome =
  | { kind: "answer"; value: JsonValue }
  /** The code returned an error. */
  | { kind: "failed"; message: string }
  | { kind: "timeout" }
  | { kind: "cancelled" }
  /** Ended by the gateway or the runtime. */
  | { kind: "stopped"; reason: string }
  /** Never started: too many calls are running. */
  | { kind: "busy"; reason: string };

export interface Run {
  line: HostCall;
  outcome: Outcome;
  ms: number;
}

/** Counters of broken isolates: the loader would return the broken one again, so the next call uses another id. */
const generations = new Map<string, number>();
const GENERATIONS = 1_000;

/** The end of a response from an isolate that must not be reused: it has grown too large or has stuck work. */
const SPENT = ',"spent":true}';

/** The isolate's interface. It returns JSON text in one of these forms, unless skill code modified the harness. */
type Harness = { run(ask: string, host: Host, files: readonly RunFile[]): Promise<unknown> };

/** A file sent to or received from an isolate. */
export interface RunFile {
  /** Absolute path, such as `/workspace/report.md`. */
  path: string;
  bytes: Uint8Array;
}

export interface IsolateAsk {
  ask: JsonObject;
  files?: readonly RunFile[];
  /** Time limit in milliseconds after the code has started. */
  ms: number;
}

/**
 * Runs a request in the isolate of this code and waits for its result or its end. Never throws because of the code, but passes on errors of
 * `load`. All timers run outside the isolate. The code's time starts when the isolate reports that it is ready, or at the latest
 * `DURATIONS.start` after the request. Nothing that the isolate reports extends it.
 */
export async function runIsolated(
  { loader, slots }: Isolates,
  code: IsolateCode,
  { ask, files = [], ms }: IsolateAsk,
  host: Omit<HostParts, "deadline">,
  signal?: AbortSignal,
): Promise<Run> {
  const id = await sha256Hex(JSON.stringify(code.id));
  const release = await slots.take(id, signal);
  const generation = generations.get(id) ?? 0;
  const local =
    __LOCAL_RUNTIME__ && release !== null ? await holdIsolate(loader, code.language, `${id}.${generation}`) : undefined;
  const name = local?.name ?? `${id}.${generation}`;
  const began = Date.now();
  const line = new HostCall({ ...host, deadline: began + DURATIONS.start + ms });
  if (release === null) {
    const outcome: Outcome = signal?.aborted ? { kind: "cancelled" } : { kind: "busy", reason: NO_SLOT };
    return { line, outcome, ms: 0 };
  }
  const spent = () => {
    local?.spend();
    renew(id, generation);
  };
  let failure: unknown = null;
  const load = async (): Promise<WorkerLoaderWorkerCode> => {
    try {
      const made = await code.load();
      if (typeof made === "string") throw new UnrunnableCode(made);
      return local?.endable(made) ?? made;
    } catch (error) {
      failure = error;
      throw error;
    }
  };
  const timer = Promise.withResolvers<Outcome>();
  const late = () => timer.resolve({ kind: "timeout" });
  let timeout = setTimeout(late, DURATIONS.start + ms);
  void line.late.promise.then(late);
  void line.ready.promise.then(() => {
    line.parts.deadline = Math.min(line.parts.deadline, Date.now() + ms);
    clearTimeout(timeout);
    timeout = setTimeout(late, line.parts.deadline - Date.now());
  });
  const cancel = () => timer.resolve({ kind: "cancelled" });
  signal?.addEventListener("abort", cancel, { once: true });
  if (signal?.aborted) cancel();
  try {
    const answered = callIsolate(loader, name, load, JSON.stringify(ask), new Host(line), files, spent).catch(
      (error): Outcome => {
        spent();
        if (failure instanceof UnrunnableCode) return { kind: "failed", message: failure.message };
        if (failure !== null) throw failure;
        return { kind: "stopped", reason: reasonOf(error) };
      },
    );
    const outcome = await Promise.race([
      answered,
      timer.promise,
      line.stopped.promise.then((reason): Outcome => ({ kind: "stopped", reason })),
    ]);
    const took = Date.now() - (line.begun ?? began);
    if (outcome.kind === "timeout" || outcome.kind === "cancelled") {
      line.close();
      if (!(await settles(answered))) spent();
    }
    if (outcome.kind !== "answer" && outcome.kind !== "busy")
      host.ended({
        outcome: outcome.kind,
        ...(outcome.kind === "stopped" ? { reason: outcome.reason } : {}),
        ms: took,
      });
    return { line, outcome, ms: took };
  } finally {
    clearTimeout(timeout);
    signal?.removeEventListener("abort", cancel);
    line.close();
    local?.leave();
    release();
  }
}

/** Whether an isolate responds after its call was ended. An isolate that does not respond is not reused. */
async function settles(answered: Promise<unknown>): Promise<boolean> {
  const patience = Promise.withResolvers<boolean>();
  const timeout = setTimeout(() => patience.resolve(false), DURATIONS.lastWord);
  const ended = answered.then(
    () => true,
    () => true,
  );
  const isSettled = await Promise.race([ended, patience.promise]);
  clearTimeout(timeout);
  return isSettled;
}

async function callIsolate(
  loader: WorkerLoader,
  id: string,
  load: () => Promise<WorkerLoaderWorkerCode>,
  ask: string,
  host: Host,
  files: readonly RunFile[],
  spent: () => void,
): Promise<Outcome> {
  const limits = { cpuMs: CODE_LIMITS.cpuMs, subRequests: CODE_LIMITS.hostCalls + 100 };
  const entrypoint = loader.get(id, load).getEntrypoint(undefined, { limits }) as unknown as Harness;
  const answer = await entrypoint.run(ask, host, files);
  if (typeof answer === "string" && answer.endsWith(SPENT)) spent();
  return outcomeOf(answer);
}

/** Parses a response. Skill code may have written it. */
function outcomeOf(answer: unknown): Outcome {
  if (typeof answer !== "string") {
    if (typeof answer === "object" && answer !== null && Symbol.dispose in answer)
      (answer as Disposable)[Symbol.dispose]();
    return { kind: "stopped", reason: "it returned a value that is not JSON" };
  }
  if (answer.length > CODE_LIMITS.answerChars)
    return { kind: "stopped", reason: `it returned too much data (limit ${CODE_LIMITS.answerChars} characters)` };
  let read: JsonValue;
  try {
    // This key is dropped because a later copy of the object could change its prototype.
    read = JSON.parse(answer, (key, value) => (key === "__proto__" ? undefined : value));
    if (isDeeper(read, CODE_LIMITS.answerDepth))
      return { kind: "stopped", reason: "it returned a value that is nested too deeply" };
  } catch {
    return { kind: "stopped", reason: "it returned a value that is not JSON" };
  }
  if (typeof read !== "object" || read === null || Array.isArray(read))
    return { kind: "stopped", reason: "it returned a value that is not JSON" };
  if (read.over === true) return { kind: "timeout" };
  if (read.ok === true) return { kind: "answer", value: read.value ?? null };
  return { kind: "failed", message: typeof read.message === "string" ? read.message.slice(0, 2_000) : "It failed." };
}

/** Whether JSON is nested deeper than `levels`. */
function isDeeper(value: JsonValue, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}

/** Code that fails on every attempt to run it. */
export class UnrunnableCode extends Error {}

function renew(id: string, generation: number): void {
  if ((generations.get(id) ?? 0) !== generation) return;
  generations.set(id, generation + 1);
  const [oldest] = generations.keys();
  if (generations.size > GENERATIONS && oldest !== undefined) generations.delete(oldest);
}

/** Returns the runtime's reason for ending an isolate, without details for operators. */
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  if (message.includes("would never generate a response")) return "it waits for a promise that never settles";
  return message.replace(/^Failed to start Worker:\s*/, "").slice(0, 1_000);
}
