// The context of a use case: the caller, storage and the clock. Code below this layer never receives `Env`.

import type { Principal } from "../domain/access/access";
import type { Count } from "../domain/metrics/families";
import type { AskingServer } from "../domain/questions/question";
import type { ClientCapabilities } from "../domain/servers/memory";
import type { Settings } from "../domain/settings/settings";
import type { Tracing } from "../domain/telemetry/tracing";
import type { BrowserLink } from "../sandbox/browser-link";
import type { Slots } from "../sandbox/slots";
import type { Database, Timings } from "../storage/d1/database";
import type { Counters } from "../storage/d1/keys";
import type { CallQuestionHandler, CallWithQuestions } from "../upstream/server-questions";

/** The identity of a request, as read from D1 now or a moment ago. Passed unchanged to the conversation's object. */
export interface Caller {
  principal: Principal;
  counters: Counters;
  /** The D1 bookmark of that read; `null` if nothing was read. Later bookmarks sort after earlier ones. */
  asOf: string | null;
  requestId: string;
  /** D1 does not answer, and this isolate read the principal within the last minute. Only reads of conversations are allowed. */
  stale: boolean;
}

/** The tool call that asks. Question ids are derived from the turn, the call's id and an ordinal. */
export interface LinkCall {
  skillName: string;
  turn: number;
  callId: string;
  /** Aborted when nothing waits for the call any more. */
  signal: AbortSignal;
}

export interface Context {
  caller: Caller;
  /** D1 as of `caller.asOf` or later: a replica that is recent enough, or the primary. Writes go to the primary. */
  db: Database;
  /** The nearest replica, however old. Only for immutable rows; what it lacks may exist in `db`. */
  nearest: Database;
  /** D1's primary, for what must apply from the next run on, such as a revoked approval. */
  primary: Database;
  packages: R2Bucket;
  assets: Fetcher;
  /** Absent if the account has no Worker Loader. */
  loader?: WorkerLoader | undefined;
  /** Limits the isolates of skill code running for this request. A conversation has its own limit. */
  slots: Slots;
  /**
   * Reads the caller from the primary if it was cached or read from a replica; afterwards `caller` and `db` are the primary's. Returns
   * `false` if they already were. Must be called before a refusal, because a refusal must not be based on old data.
   */
  makeCertain?: (() => Promise<boolean>) | undefined;
  /** Connects a tool call to the pages of its conversation. Absent outside of conversations. */
  browserLink?: ((call: LinkCall) => BrowserLink) | undefined;
  /** What the calling MCP host can be asked. */
  host?: ClientCapabilities | undefined;
  /** Answers questions of a server during a call. Absent outside of conversations. */
  inquire?: ((call: CallWithQuestions, server: AskingServer) => CallQuestionHandler) | undefined;
  /** The gateway's public origin, for links. Absent in background work. */
  origin?: string | undefined;
  /** Waits until a user may have signed in to a server, at most this number of milliseconds. Absent outside of conversations. */
  waitForSignIn?: ((ms: number) => Promise<void>) | undefined;
  settings: Settings;
  timings: Timings;
  /** Counts metrics; does nothing if metrics are off. */
  count: Count;
  /** Starts spans of traces; passes on the caller's trace if traces are off. */
  tracing: Tracing;
  /** Continues work after the response. Failures do not affect the request. */
  later(work: Promise<void>): void;
  /** Sends queued events to the webhooks of an owner. */
  sendEvents(scope: string): Promise<void>;
  /** Tells open streams that an event with this number was stored. Never fails. */
  announceEvent(seq: number): Promise<void>;
  /** Milliseconds since the epoch. */
  now(): number;
  /** Returns a new id such as `skl_0J9…`: sorted by time, 26 characters after the prefix. */
  newId(prefix: string): string;
}
