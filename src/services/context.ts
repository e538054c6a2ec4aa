// What a use case gets: who calls, where things are stored, and the clock. `Env` never travels below this line.

import type { Principal } from "../domain/access/access";
import type { Count } from "../domain/metrics/families";
import type { AskingServer } from "../domain/questions/question";
import type { ClientCapabilities } from "../domain/servers/memory";
import type { Settings } from "../domain/settings/settings";
import type { BrowserLink } from "../sandbox/browser-link";
import type { Slots } from "../sandbox/slots";
import type { Database, Timings } from "../storage/d1/database";
import type { Counters } from "../storage/d1/keys";
import type { CallQuestionHandler, CallWithQuestions } from "../upstream/server-questions";

/** A request's identity: what one read of D1 told, now or a moment ago. It is handed to the conversation's object as it is. */
export interface Caller {
  principal: Principal;
  counters: Counters;
  /** The D1 bookmark of the read that told all this; `null` where nothing was read. Later ones sort after earlier ones, as text. */
  asOf: string | null;
  requestId: string;
  /** D1 was down and the principal is one this isolate saw within the last minute: reads of conversations only. */
  stale: boolean;
}

/** Which tool call asks: ids of its questions are derived from the turn, the call's id and their ordinal. */
export interface LinkCall {
  skillName: string;
  turn: number;
  callId: string;
  /** Aborted when nobody waits for the call any more. */
  signal: AbortSignal;
}

export interface Context {
  caller: Caller;
  /** D1 as it was when `caller.asOf` was read, or later: by a replica that has come so far, or the primary. Writes go to the primary. */
  db: Database;
  /** The nearest replica, however old: only for rows that never change. What it does not have, `db` or the primary may. */
  nearest: Database;
  packages: R2Bucket;
  assets: Fetcher;
  /** Absent where the account has no Worker Loader. */
  loader?: WorkerLoader | undefined;
  /** How many isolates of skill code may be in flight for this request; those of a conversation are its session's. */
  slots: Slots;
  /**
   * Asks the primary who calls, where that was known from before or from a replica; from then on `caller` and `db` are the primary's.
   * `false`: they were already. A refusal may be told only then, since a no must not be old.
   */
  makeCertain?: (() => Promise<boolean>) | undefined;
  /** The way from a tool call to the pages of its conversation. Absent outside conversations. */
  browserLink?: ((call: LinkCall) => BrowserLink) | undefined;
  /** What the MCP host that calls can be asked. */
  host?: ClientCapabilities | undefined;
  /** Who answers what a server asks in the middle of a call. Absent outside conversations. */
  inquire?: ((call: CallWithQuestions, server: AskingServer) => CallQuestionHandler) | undefined;
  settings: Settings;
  timings: Timings;
  /** Counts what operators want to know; nothing, where metrics are off. */
  count: Count;
  /** Goes on with work that the request does not wait for; its failures are its own. */
  later(work: Promise<void>): void;
  /** Milliseconds since the epoch. */
  now(): number;
  /** A fresh id such as `skl_0J9…`: time-ordered, 26 characters after the prefix. */
  newId(prefix: string): string;
}
