// The object's side of a request: what use cases get, made of its bindings.

import { makeId } from "../domain/id";
import { settingsFrom } from "../domain/settings";
import type { Context } from "../services/context";
import type { Target } from "../services/conversation/api";
import { type Database, openDatabase, type Timings } from "../storage/d1/database";

export function contextOf(env: Env, ask: Target, door?: Context["door"]): Context {
  const timings = { storage: 0 };
  let database: Database | null = null;
  return {
    caller: ask.caller,
    door,
    // Most calls find all they need in the object.
    get db() {
      database ??= primary(env, timings);
      return database;
    },
    packages: env.PACKAGES,
    assets: env.ASSETS,
    loader: env.LOADER,
    settings: settingsFrom(env),
    timings,
    now: () => Date.now(),
    newId: (prefix) => makeId(prefix, Date.now(), crypto.getRandomValues(new Uint8Array(10))),
  };
}

/** D1's primary, for what no request asked for. */
export function primary(env: Env, timings: Timings = { storage: 0 }): Database {
  return openDatabase(env.DB.withSession("first-primary"), timings);
}
