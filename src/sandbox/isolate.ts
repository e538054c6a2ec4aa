// One run in an isolate of the Worker Loader: no network, no bindings, a deadline that is kept from outside. The only folder
// that touches the loader is this one.

import type { Runnable } from "../domain/code/stored";
import { sha256Hex } from "../domain/digest";
import type { JsonObject, JsonValue } from "../domain/json";
import { CODE_LIMITS } from "../domain/limits";
import { LOOP_MODULE, LOOP_SOURCE } from "./event-loop";
import { ENTRY_MODULE, HARNESS_MODULE, harnessSource } from "./harness";
import { Host, HostCall, type HostParts } from "./host";
import { instrument, TICK_MODULE, TICK_SOURCE } from "./instrument";

const COMPATIBILITY_DATE = "2026-10-20";
/** No Node: less to reach, and a script must say what it reads. Async context tells the output of two runs apart. */
const COMPATIBILITY_FLAGS = ["no_nodejs_compat", "no_nodejs_compat_v2", "nodejs_als"];

/** The code of one entry, for one user. */
export interface IsolateCode {
  /** Identity of the modules: the digest of the package they were made from. */
  digest: string;
  /** The entry's path in the package, and how it is run. */
  path: string;
  as: "provider" | "script";
  config: JsonObject;
  /** Whose module state it is; empty for what is the same for everybody. */
  userId: string;
  /** Called only when there is no such isolate yet. A text says why the code cannot run. */
  load(): Promise<Runnable | string>;
}

export type Outcome =
  | { kind: "answer"; value: JsonValue }
  /** The code failed, and said so. */
  | { kind: "failed"; message: string }
  | { kind: "timeout" }
  | { kind: "cancelled" }
  /** Ended by us, or by the runtime. */
  | { kind: "stopped"; reason: string };

export interface Run {
  line: HostCall;
  outcome: Outcome;
  ms: number;
}

/** Isolates that broke: the loader would go on giving the broken one, so the next call asks for another. */
const generations = new Map<string, number>();
const GENERATIONS = 1_000;

/** What an isolate answers: JSON text in one of these shapes, if nobody bent the harness. */
type Harness = { run(ask: string, host: Host): Promise<unknown> };

/**
 * Runs `ask` in the isolate of this code and waits for its answer, its end or `ms`. Never throws for what the code does; what
 * `load` throws, goes on.
 */
export async function runIsolated(
  loader: WorkerLoader,
  code: IsolateCode,
  ask: JsonObject,
  host: Omit<HostParts, "deadline">,
  ms: number,
  signal?: AbortSignal,
): Promise<Run> {
  const began = Date.now();
  const line = new HostCall({ ...host, deadline: began + ms });
  const id = await idOf(code);
  const generation = generations.get(id) ?? 0;
  let failure: unknown = null;
  const load = async (): Promise<WorkerLoaderWorkerCode> => {
    try {
      return await workerCode(await code.load());
    } catch (error) {
      failure = error;
      throw error;
    }
  };
  const timer = Promise.withResolvers<Outcome>();
  const timeout = setTimeout(() => timer.resolve({ kind: "timeout" }), ms);
  const cancel = () => timer.resolve({ kind: "cancelled" });
  signal?.addEventListener("abort", cancel, { once: true });
  if (signal?.aborted) cancel();
  try {
    const outcome = await Promise.race([
      enter(loader, `${id}.${generation}`, load, JSON.stringify({ ...ask }), new Host(line)).catch((error): Outcome => {
        renew(id, generation);
        if (failure instanceof UnfitCode) return { kind: "failed", message: failure.message };
        if (failure !== null) throw failure;
        return { kind: "stopped", reason: reasonOf(error) };
      }),
      timer.promise,
      line.stopped.promise.then((reason): Outcome => ({ kind: "stopped", reason })),
    ]);
    const ms = Date.now() - began;
    if (outcome.kind !== "answer")
      host.ended({ outcome: outcome.kind, ...(outcome.kind === "stopped" ? { reason: outcome.reason } : {}), ms });
    return { line, outcome, ms };
  } finally {
    clearTimeout(timeout);
    signal?.removeEventListener("abort", cancel);
    line.close();
  }
}

async function enter(
  loader: WorkerLoader,
  id: string,
  load: () => Promise<WorkerLoaderWorkerCode>,
  ask: string,
  host: Host,
): Promise<Outcome> {
  const limits = { cpuMs: CODE_LIMITS.cpuMs, subRequests: CODE_LIMITS.hostCalls + 100 };
  const entrypoint = loader.get(id, load).getEntrypoint(undefined, { limits }) as unknown as Harness;
  const answer = await entrypoint.run(ask, host);
  return outcomeOf(answer);
}

/** Reads an answer. Skill code may have written it. */
function outcomeOf(answer: unknown): Outcome {
  if (typeof answer !== "string") {
    if (typeof answer === "object" && answer !== null && Symbol.dispose in answer)
      (answer as Disposable)[Symbol.dispose]();
    return { kind: "stopped", reason: "it answered something that is no JSON" };
  }
  if (answer.length > CODE_LIMITS.answerChars)
    return { kind: "stopped", reason: `it answered more than ${CODE_LIMITS.answerChars} characters` };
  let read: JsonValue;
  try {
    // A key of this name is harmless until somebody copies it; nobody needs it.
    read = JSON.parse(answer, (key, value) => (key === "__proto__" ? undefined : value));
    if (isDeeper(read, CODE_LIMITS.answerDepth))
      return { kind: "stopped", reason: "it answered something nested too deeply" };
  } catch {
    return { kind: "stopped", reason: "it answered something that is no JSON" };
  }
  if (typeof read !== "object" || read === null || Array.isArray(read))
    return { kind: "stopped", reason: "it answered something that is no JSON" };
  if (read.over === true) return { kind: "timeout" };
  if (read.ok === true) return { kind: "answer", value: read.value ?? null };
  return { kind: "failed", message: typeof read.message === "string" ? read.message.slice(0, 2_000) : "It failed." };
}

/** Whether JSON is nested deeper than so many levels. */
function isDeeper(value: JsonValue, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}

/** Code that cannot run whenever it is tried. */
class UnfitCode extends Error {}

async function workerCode(code: Runnable | string): Promise<WorkerLoaderWorkerCode> {
  if (typeof code === "string") throw new UnfitCode(code);
  const modules: Record<string, WorkerLoaderModule> = {
    [HARNESS_MODULE]: { js: harnessSource(__DEVELOPMENT__) },
    [LOOP_MODULE]: { js: LOOP_SOURCE },
  };
  modules[ENTRY_MODULE] = { js: `export const entry = ${JSON.stringify(`../${code.entry}`)};` };
  if (__DEVELOPMENT__) modules[TICK_MODULE] = { js: TICK_SOURCE };
  for (const [name, source] of Object.entries(code.sources)) {
    if (name.endsWith(".json")) modules[name] = { json: JSON.parse(source) };
    else modules[name] = { js: __DEVELOPMENT__ ? await ticking(source, name) : source };
  }
  return {
    compatibilityDate: COMPATIBILITY_DATE,
    compatibilityFlags: COMPATIBILITY_FLAGS,
    mainModule: HARNESS_MODULE,
    modules,
    globalOutbound: null,
    env: {},
  };
}

async function ticking(source: string, name: string): Promise<string> {
  try {
    return await instrument(source, name);
  } catch (error) {
    throw new UnfitCode(error instanceof RangeError ? `${name} is nested too deeply.` : String(error));
  }
}

/** Of everything that is the same for all isolates of this gateway. */
let harnessDigest: string | undefined;

/** A loader goes on with the isolate of an id it has seen, so the id holds everything that makes a difference. */
async function idOf({ digest, path, as, config, userId }: IsolateCode): Promise<string> {
  harnessDigest ??= await sha256Hex(harnessSource(__DEVELOPMENT__) + LOOP_SOURCE + TICK_SOURCE);
  return sha256Hex(
    JSON.stringify([harnessDigest, COMPATIBILITY_DATE, COMPATIBILITY_FLAGS, digest, path, as, config, userId]),
  );
}

function renew(id: string, generation: number): void {
  if ((generations.get(id) ?? 0) !== generation) return;
  generations.set(id, generation + 1);
  const [oldest] = generations.keys();
  if (generations.size > GENERATIONS && oldest !== undefined) generations.delete(oldest);
}

/** What the runtime says when it ends an isolate, without what is meant for operators. */
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  if (message.includes("would never generate a response")) return "it waits for something that never comes";
  return message.replace(/^Failed to start Worker:\s*/, "").slice(0, 1_000);
}
