// Creates the context of a use case: a caller, the pool's real D1 and R2, and optionally storage that fails.

import { env } from "cloudflare:workers";
import type { Principal } from "../../src/domain/access/access";
import { PARALLEL } from "../../src/domain/code/script-limits";
import { makeId } from "../../src/domain/id";
import { parseSettings } from "../../src/domain/settings/settings";
import { Slots } from "../../src/sandbox/slots";
import type { Context } from "../../src/services/context";
import { tracingInto } from "../../src/services/telemetry/tracing";
import { openDatabase } from "../../src/storage/d1/database";
import type { Faults } from "./faults";
import { forgetting } from "./isolate";

export interface ContextOptions {
  principal?: Partial<Principal>;
  settings?: Record<string, string>;
  faults?: Faults;
  now?: () => number;
}

export function contextOf(userId: string, options: ContextOptions = {}): Context {
  const { settings } = parseSettings(options.settings ?? {});
  if (settings === null) throw new Error("bad settings");
  const timings = { storage: 0 };
  const session = env.DB.withSession("first-primary");
  const principal: Principal = { userId, role: "user", groups: [], scopes: [], keyId: "test", ...options.principal };
  const db = openDatabase(options.faults?.session(session) ?? session, timings, forgetting);
  return {
    caller: { principal, counters: {}, asOf: null, requestId: "test", stale: false },
    db,
    nearest: db,
    primary: db,
    packages: options.faults?.bucket(env.PACKAGES) ?? env.PACKAGES,
    assets: env.ASSETS,
    slots: new Slots(PARALLEL.request),
    settings,
    timings,
    later: (work) => void work,
    count: () => undefined,
    tracing: tracingInto(null, 1, null),
    sendEvents: async () => undefined,
    announceEvent: async () => undefined,
    now: options.now ?? (() => Date.now()),
    newId: (prefix) => makeId(prefix, Date.now(), crypto.getRandomValues(new Uint8Array(10))),
  };
}
