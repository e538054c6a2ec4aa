// The use cases' context, made of the Worker's bindings. The Worker and the conversation's object make theirs here.

import { makeId } from "../domain/id";
import { PARALLEL } from "../domain/limits";
import { settingsFrom } from "../domain/settings";
import { Slots } from "../sandbox/slots";
import type { Caller, Context } from "../services/context";
import { type Database, openDatabase, type Timings } from "../storage/d1/database";

interface ContextParts {
  caller: Caller;
  /** The D1 session that queries go to; the primary's where it is left out. Opened with the first query. */
  session?: D1DatabaseSession;
  timings?: Timings;
  browserLink?: Context["browserLink"];
  /** Those of a conversation, which its requests share. */
  slots?: Slots;
}

/** A context for one request. D1 is opened when it is first asked: most requests ask nothing but the conversation's object. */
export function makeContext(
  env: Env,
  { caller, session, timings = { storage: 0 }, browserLink, slots = new Slots(PARALLEL.request) }: ContextParts,
): Context {
  let database: Database | null = null;
  let nearest: Database | null = null;
  return {
    caller,
    browserLink,
    get db() {
      database ??= session === undefined ? primaryDatabase(env, timings) : openDatabase(session, timings);
      return database;
    },
    get nearest() {
      nearest ??= openDatabase(env.DB.withSession("first-unconstrained"), timings);
      return nearest;
    },
    packages: env.PACKAGES,
    assets: env.ASSETS,
    loader: env.LOADER,
    slots,
    settings: settingsFrom(env),
    timings,
    now: () => Date.now(),
    newId: freshId,
  };
}

/** D1's primary: for what must be known and not guessed, and for what no request asked for. */
export function primaryDatabase(env: Env, timings: Timings = { storage: 0 }): Database {
  return openDatabase(env.DB.withSession("first-primary"), timings);
}

/** A fresh id that sorts by time. */
export function freshId(prefix: string): string {
  return makeId(prefix, Date.now(), crypto.getRandomValues(new Uint8Array(10)));
}
