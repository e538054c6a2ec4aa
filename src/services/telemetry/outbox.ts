// Holds an isolate's finished spans and sends them to the collector. Nothing waits for it; spans that an ending isolate holds, or that the
// collector does not accept in time, are lost and counted.

import { sha256Hex } from "../../domain/digest";
import type { Count } from "../../domain/metrics/families";
import { exportOutcome, exportRequest, rejectedIn, retryDelay } from "../../domain/telemetry/otlp";
import { type Attributes, type FinishedSpan, TRACE_LIMITS, withinLimits } from "../../domain/telemetry/span";
import { faultIn } from "../../upstream/fault";
import { guardedFetch } from "../../upstream/fetch";

/** Where an isolate's spans go. */
export interface TraceSink {
  /** The URL for traces. */
  url: string;
  headers: Readonly<Record<string, string>>;
  resource: Attributes;
  /** Continues work after the response. */
  later(work: Promise<void>): void;
  /** Maximum delay for batching, in milliseconds. */
  waitMs: number;
  now(): number;
  count: Count;
}

/** Time for one request to the collector. */
const EXPORT_MS = 10_000;
const ANSWER_BYTES = 65_536;
/** If the request that should send is gone, another one sends after this time. */
const LATE_MS = 5_000;

/** Shared by all requests of the isolate. */
const queue: FinishedSpan[] = [];
const state = { due: 0, busyUntil: 0, notBefore: 0, failures: 0 };

/** Adds a span and triggers sending. Synchronous; never fails. */
export function exportSpan(sink: TraceSink, span: FinishedSpan): void {
  if (queue.length >= TRACE_LIMITS.queue) {
    sink.count("trace_spans", ["dropped"]);
    return;
  }
  queue.push(withinLimits(span));
  const now = sink.now();
  const isFull = queue.length >= TRACE_LIMITS.batch;
  if (now < Math.max(state.notBefore, state.busyUntil) || (!isFull && now < state.due + LATE_MS)) return;
  state.due = now + (isFull ? 0 : sink.waitMs);
  sink.later(isFull ? sendSpans(sink) : sleep(sink.waitMs).then(() => sendSpans(sink)));
}

/** Sends the queued spans, unless another request sends or the collector asked to wait. */
export async function sendSpans(sink: TraceSink): Promise<void> {
  while (queue.length > 0) {
    const now = sink.now();
    if (now < Math.max(state.notBefore, state.busyUntil)) return;
    // Ends by itself, in case this request is gone before its answer.
    state.busyUntil = now + EXPORT_MS + LATE_MS;
    const batch = queue.splice(0, TRACE_LIMITS.batch);
    const outcome = await send(sink, batch);
    state.busyUntil = 0;
    if (outcome.wait === null) {
      state.failures = 0;
      count(sink, "exported", batch.length - outcome.rejected);
      count(sink, "rejected", outcome.rejected);
      continue;
    }
    state.failures++;
    state.notBefore = sink.now() + retryDelay(state.failures, outcome.wait.retryAfter, sink.now());
    const room = Math.max(0, TRACE_LIMITS.queue - queue.length);
    queue.unshift(...batch.slice(0, room));
    count(sink, "dropped", batch.length - room);
  }
  state.due = 0;
}

/** The result of an attempt. `wait`: the batch is sent again. */
type Sent = { wait: null; rejected: number } | { wait: { retryAfter: string | null } };

async function send({ url, headers, resource }: TraceSink, batch: readonly FinishedSpan[]): Promise<Sent> {
  try {
    const users = await digestsOf(batch.map(({ user }) => user));
    const body = JSON.stringify(exportRequest(batch, resource, (user) => users.get(user)));
    const init = { method: "POST", headers: { ...headers, "content-type": "application/json" }, body };
    const guard = { development: __DEVELOPMENT__, headersMs: null, totalMs: EXPORT_MS, bytes: ANSWER_BYTES };
    const response = await guardedFetch(url, init, { ...guard, origins: [new URL(url).origin], redirects: 0 });
    const outcome = exportOutcome(response.status);
    if (outcome === "accepted") return { wait: null, rejected: rejectedIn(await answerOf(response), batch.length) };
    await response.body?.cancel();
    if (outcome === "refused") return { wait: null, rejected: batch.length };
    return { wait: { retryAfter: response.headers.get("retry-after") } };
  } catch (error) {
    // It redirects, which is final. Otherwise it is down, or does not answer in time.
    const isFinal = faultIn(error)?.kind === "refused";
    return isFinal ? { wait: null, rejected: batch.length } : { wait: { retryAfter: null } };
  }
}

/** Returns the body of an accepted request; `null` if it is not JSON, which is no reason to send again. */
async function answerOf(response: Response): Promise<unknown> {
  try {
    return JSON.parse(await response.text());
  } catch {
    return null;
  }
}

/** Returns the values of `user.id`: a collector stores them for longer than the gateway stores the user. */
async function digestsOf(users: readonly string[]): Promise<Map<string, string>> {
  const known = [...new Set(users)].filter((user) => user !== "");
  return new Map(await Promise.all(known.map(async (user) => [user, await tracedUserId(user)] as const)));
}

/** Returns the id under which traces contain a user. */
export async function tracedUserId(user: string): Promise<string> {
  return (await sha256Hex(`trace ${user}`)).slice(0, 32);
}

function count(sink: TraceSink, outcome: string, spans: number): void {
  if (spans > 0) sink.count("trace_spans", [outcome], spans);
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Empties the queue and forgets failures, for tests. */
export function resetTraces(): void {
  queue.length = 0;
  Object.assign(state, { due: 0, busyUntil: 0, notBefore: 0, failures: 0 });
}
