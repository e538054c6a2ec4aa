// The use cases' context, made of the Worker's bindings. The Worker and the conversation's object make theirs here.

import { makeId } from "../domain/id";
import { PARALLEL } from "../domain/limits";
import { settingsFrom } from "../domain/settings";
import { Slots } from "../sandbox/slots";
import type { Caller, Context } from "../services/context";
import { type Database, openDatabase, type Timings } from "../storage/d1/database";

interface ContextParts {
  /** Asked again where it is a function: in an object, another request may bring newer facts of its user. */
  caller: Caller | (() => Caller);
  /** The D1 session that queries go to. Left out: one of a replica that has come as far as the caller's `asOf`, else the primary's. */
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
  const who = typeof caller === "function" ? caller : () => caller;
  let opened: { asOf: string | null; db: Database } | null = null;
  let nearest: Database | null = null;
  return {
    get caller() {
      return who();
    },
    browserLink,
    get db() {
      const { asOf } = who();
      if (opened === null || (session === undefined && opened.asOf !== asOf))
        opened = { asOf, db: openDatabase(session ?? env.DB.withSession(asOf ?? "first-primary"), timings) };
      return opened.db;
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
