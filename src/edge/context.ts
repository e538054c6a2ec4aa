// The use cases' context, made of the Worker's bindings. The Worker and the conversation's object make theirs here.

import { PARALLEL } from "../domain/code/script-limits";
import { makeId } from "../domain/id";
import { settingsFrom } from "../domain/settings/settings";
import { Slots } from "../sandbox/slots";
import { memoryOf } from "../services/access/identity-cache";
import type { BookmarkedSession, IdentityStores } from "../services/access/identity-lookup";
import type { Caller, Context } from "../services/context";
import type { OpenImport } from "../services/imports/api";
import { type Database, guardSession, openDatabase, type SessionWatch, type Timings } from "../storage/d1/database";
import { counterIn } from "./metrics/counter";

/** Who calls, and the D1 session that was asked. */
export interface CallerWithSession {
  /** Asked again where it is a function: in an object, another request may bring newer facts of its user. */
  caller: Caller | (() => Caller);
  /** The D1 session that queries go to. Left out: one of a replica that has come as far as the caller's `asOf`, else the primary's. */
  session?: D1DatabaseSession | undefined;
}

interface ContextParts extends CallerWithSession {
  timings?: Timings;
  later: Context["later"];
  /** How long what is counted may wait to be sent; left out: as long as in the Worker. */
  countsMs?: number;
  browserLink?: Context["browserLink"];
  inquire?: Context["inquire"];
  host?: Context["host"];
  /** Asks the primary who calls; absent where that was done. */
  askPrimary?: (() => Promise<CallerWithSession>) | undefined;
}

/** A context with what its answer says of D1. */
export interface RequestContext extends Context {
  /** The bookmark that the answer carries. */
  reached(): string | null;
}

/** A context for one request. D1 is opened when it is first asked: most requests ask nothing but the conversation's object. */
export function makeContext(
  env: Env,
  { timings = { storage: 0 }, later, countsMs, browserLink, inquire, host, askPrimary, ...told }: ContextParts,
): RequestContext {
  let seen: CallerWithSession = told;
  let opened: { asOf: string | null; session: D1DatabaseSession; db: Database } | null = null;
  let nearest: Database | null = null;
  let farther = askPrimary;
  const who = () => (typeof seen.caller === "function" ? seen.caller() : seen.caller);
  return {
    browserLink,
    inquire,
    host,
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
    count: counterIn(env, later, countsMs),
    now: () => Date.now(),
    newId: newId,
  };
}

/** What a session's writes tell this isolate, and where a replica that lacks a migration sends its statements. */
function watchOver(env: Env, session: D1DatabaseSession, isPrimary: boolean): SessionWatch {
  const wrote = (isDone: boolean) => memoryOf(env.DB).wrote(isDone ? session.getBookmark() : null);
  return isPrimary ? { wrote } : { wrote, primary: () => env.DB.withSession("first-primary") };
}

/** Where identities are found; what goes on beside the request is handed to `later`. */
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

/** The primary's session, of which more can be asked. */
type Far = BookmarkedSession & { raw: D1DatabaseSession };

function datedSession(env: Env, constraint: string, timings: Timings): Far {
  const raw = env.DB.withSession(constraint);
  const primary = constraint === "first-primary" ? {} : { primary: () => env.DB.withSession("first-primary") };
  return { raw, session: guardSession(raw, timings, primary), bookmark: () => raw.getBookmark() };
}

/** D1's primary: for what must be known and not guessed, and for what no request asked for. */
export function primaryDatabase(env: Env, timings: Timings = { storage: 0 }): Database {
  return openDatabase(env.DB.withSession("first-primary"), timings);
}

/** The same for what may end what this isolate remembers of somebody. */
export function watchedPrimary(env: Env): Database {
  const session = env.DB.withSession("first-primary");
  return openDatabase(session, { storage: 0 }, watchOver(env, session, true));
}

/** A fresh id that sorts by time. */
export function newId(prefix: string): string {
  return makeId(prefix, Date.now(), crypto.getRandomValues(new Uint8Array(10)));
}

/** From an import's id to its object. */
export function importObjects(env: Env): OpenImport {
  return (id) => env.IMPORTS.getByName(id);
}
