// Creates the context of use cases from the Worker's bindings, for the Worker and for Durable Objects.

import { PARALLEL } from "../domain/code/script-limits";
import { makeId } from "../domain/id";
import { settingsFrom } from "../domain/settings/settings";
import type { TraceContext } from "../domain/telemetry/trace-context";
import { Slots } from "../sandbox/slots";
import { memoryOf } from "../services/access/identity-cache";
import type { BookmarkedSession, IdentityStores } from "../services/access/identity-lookup";
import type { Caller, Context } from "../services/context";
import type { OpenImport } from "../services/imports/api";
import { sendDueEvents } from "../services/webhooks/send";
import { type Database, guardSession, openDatabase, type SessionWatch, type Timings } from "../storage/d1/database";
import { announceEvent } from "./events";
import { counterIn } from "./metrics/counter";
import { tracingIn } from "./metrics/traces";

/** The caller, and the D1 session it was read with. */
export interface CallerWithSession {
  /** A function is called repeatedly: in a Durable Object, another request may bring a newer identity. */
  caller: Caller | (() => Caller);
  /** The D1 session for queries. Default: a replica that has reached the caller's `asOf`, otherwise the primary. */
  session?: D1DatabaseSession | undefined;
}

interface ContextParts extends CallerWithSession {
  timings?: Timings;
  later: Context["later"];
  /** Maximum delay of counts; default: as in the Worker. */
  countsMs?: number;
  /** The caller's trace. */
  trace?: TraceContext | null | undefined;
  browserLink?: Context["browserLink"];
  inquire?: Context["inquire"];
  host?: Context["host"];
  origin?: string | undefined;
  waitForSignIn?: Context["waitForSignIn"];
  /** Reads the caller from the primary; absent if that was done. */
  askPrimary?: (() => Promise<CallerWithSession>) | undefined;
}

/** A context with the D1 facts for the response. */
export interface RequestContext extends Context {
  /** The bookmark for the response. */
  reached(): string | null;
}

/** Creates the context of one request. D1 is opened on first use, because most requests only call the conversation's object. */
export function makeContext(
  env: Env,
  {
    timings = { storage: 0 },
    later,
    countsMs,
    trace = null,
    browserLink,
    inquire,
    host,
    origin,
    waitForSignIn,
    askPrimary,
    ...told
  }: ContextParts,
): RequestContext {
  let seen: CallerWithSession = told;
  let opened: { asOf: string | null; session: D1DatabaseSession; db: Database } | null = null;
  let nearest: Database | null = null;
  let primary: Database | null = null;
  let farther = askPrimary;
  const count = counterIn(env, later, countsMs);
  const who = () => (typeof seen.caller === "function" ? seen.caller() : seen.caller);
  return {
    browserLink,
    inquire,
    host,
    origin,
    waitForSignIn,
    get caller() {
      return who();
    },
    get db() {
      const { asOf } = who();
      if (opened === null || (seen.session === undefined && opened.asOf !== asOf)) {
        const session = seen.session ?? env.DB.withSession(asOf ?? "first-primary");
        const isPrimary = seen.session !== undefined || asOf === null;
        opened = { asOf, session, db: openDatabase(session, timings, watchOver(env, session, isPrimary)) };
      }
      return opened.db;
    },
    get nearest() {
      if (nearest === null) {
        const any = env.DB.withSession("first-unconstrained");
        nearest = openDatabase(any, timings, watchOver(env, any, false));
      }
      return nearest;
    },
    get primary() {
      if (primary === null) {
        const session = env.DB.withSession("first-primary");
        primary = openDatabase(session, timings, watchOver(env, session, true));
      }
      return primary;
    },
    async makeCertain() {
      if (farther === undefined) return false;
      const next = farther;
      farther = undefined;
      seen = await next();
      opened = null;
      return true;
    },
    reached: () => (opened?.session ?? seen.session)?.getBookmark() ?? who().asOf,
    packages: env.PACKAGES,
    assets: env.ASSETS,
    loader: env.LOADER,
    slots: new Slots(PARALLEL.request),
    settings: settingsFrom(env),
    timings,
    later,
    count,
    tracing: tracingIn(env, { later, count, isObject: countsMs !== undefined }, trace),
    sendEvents(scope) {
      return sendDueEvents(this, scope);
    },
    announceEvent: (seq) => announceEvent(env, seq),
    now: () => Date.now(),
    newId: newId,
  };
}

/** Connects a session's writes to this isolate's cache, and retries statements on the primary if a replica lacks a migration. */
function watchOver(env: Env, session: D1DatabaseSession, isPrimary: boolean): SessionWatch {
  const wrote = (isDone: boolean) => memoryOf(env.DB).wrote(isDone ? session.getBookmark() : null);
  return isPrimary ? { wrote } : { wrote, primary: () => env.DB.withSession("first-primary") };
}

/** Returns where identities are read. Background work is passed to `later`. */
export function identityStoresOf(
  env: Env,
  timings: Timings,
  later: (work: Promise<void>) => void,
): IdentityStores & { far: Far } {
  const far = datedSession(env, "first-primary", timings);
  return {
    memory: memoryOf(env.DB),
    settings: settingsFrom(env),
    now: () => Date.now(),
    replica: (asOf) => datedSession(env, asOf === "" ? "first-unconstrained" : asOf, timings),
    primary: () => far,
    renewed: () => datedSession(env, "first-primary", { storage: 0 }),
    later,
    far,
  };
}

/** The primary's session with its raw D1 session. */
type Far = BookmarkedSession & { raw: D1DatabaseSession };

function datedSession(env: Env, constraint: string, timings: Timings): Far {
  const raw = env.DB.withSession(constraint);
  const primary = constraint === "first-primary" ? {} : { primary: () => env.DB.withSession("first-primary") };
  return { raw, session: guardSession(raw, timings, primary), bookmark: () => raw.getBookmark() };
}

/** Returns D1's primary, for reads that must be current and for background jobs. */
export function primaryDatabase(env: Env, timings: Timings = { storage: 0 }): Database {
  return openDatabase(env.DB.withSession("first-primary"), timings);
}

/** Returns the primary for writes that can invalidate cached identities. */
export function watchedPrimary(env: Env): Database {
  const session = env.DB.withSession("first-primary");
  return openDatabase(session, { storage: 0 }, watchOver(env, session, true));
}

/** Returns a new id that sorts by time. */
export function newId(prefix: string): string {
  return makeId(prefix, Date.now(), crypto.getRandomValues(new Uint8Array(10)));
}

/** Returns the object of an import. */
export function importObjects(env: Env): OpenImport {
  return (id) => env.IMPORTS.getByName(id);
}
