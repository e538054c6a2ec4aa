// The object's side of a request: what use cases get, made of its bindings.

import { makeId } from "../domain/id";
import { settingsFrom } from "../domain/settings";
import type { Context } from "../services/context";
import type { Ask } from "../services/conversation";
import { type Database, openDatabase, type Timings } from "../storage/database";

export function contextOf(env: Env, ask: Ask): Context {
  const timings = { storage: 0 };
  return {
    caller: ask.caller,
    db: primary(env, timings),
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
