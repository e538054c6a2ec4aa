// Renewing tokens in two isolates that share only the database, and after attempts that were killed at any point.

import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Context } from "../../src/services/context";
import { type ConnectionRow, connectionsOfUser } from "../../src/storage/d1/servers/connections";
import { connect, connected, connectionsOf, type ProtectedServer } from "../support/connections";
import { contextOf } from "../support/context";
import { fetchWith } from "../support/proxy";
import { gatewayServers } from "../support/servers";

beforeEach(() => gatewayServers({}));
afterEach(() => vi.restoreAllMocks());

/** The context of a user, with the key that `vitest.config.ts` sets. */
const as = (user: string) =>
  contextOf(user, { settings: { SECRETS_KEY: "c2VjcmV0cyBvZiB0aGUgcG9vbCBhcmUgbm90IHNlY3I=" } });

type Isolate = typeof import("../../src/services/connections/refresh");

const FILE = "../../src/services/connections/refresh.ts";
/** Two isolates: with another query the module is loaded again, with its own memory. */
const { [FILE]: one } = import.meta.glob<Isolate>("../../src/services/connections/refresh.ts", {
  query: { isolate: "one" },
  eager: true,
});
const { [FILE]: other } = import.meta.glob<Isolate>("../../src/services/connections/refresh.ts", {
  query: { isolate: "other" },
  eager: true,
});
if (one === undefined || other === undefined) throw new Error(`${FILE} not found.`);
const ISOLATES = [one, other] as const;

async function rowOf(user: string): Promise<ConnectionRow> {
  const [row] = await connectionsOfUser(as(user).db, user);
  if (row === undefined) throw new Error("There is no connection.");
  return row;
}

const refreshes = async (server: ProtectedServer) =>
  (await server.log()).tokens.filter(({ grant_type }) => grant_type === "refresh_token").length;

/** Ends the access token, so that no isolate uses an earlier state. */
async function expire({ name }: ProtectedServer): Promise<void> {
  await env.DB.batch([
    env.DB.prepare("UPDATE connections SET expires_at = 1 WHERE server = ?").bind(name),
    env.DB.prepare("UPDATE counters SET value = value + 1"),
  ]);
}

it.each([true, false])("is done once by 25 calls in each of two isolates (rotating: %s)", async (rotates) => {
  const { server, user } = await connected({ rotates, delay: 100 });
  const [one, other] = ISOLATES;
  expect(one.usableToken).not.toBe(other.usableToken);
  for (let round = 1; round <= 3; round++) {
    await expire(server);
    const row = await rowOf(user);
    const calls = Array.from({ length: 50 }, (_, n) => (n % 2 ? one : other).usableToken(as(user), row, null));
    const tokens = new Set(await Promise.all(calls));
    expect(tokens.size).toBe(1);
    expect([...tokens][0]).toMatch(/^at-/);
    expect(await refreshes(server)).toBe(round);
  }
});

/** The points at which an attempt is killed, and whether a rotated refresh token is lost there: the issuer has replaced it, D1 has not. */
const POINTS = [
  { at: "claim", side: "before", loses: false },
  { at: "claim", side: "after", loses: false },
  { at: "issuer", side: "before", loses: false },
  { at: "issuer", side: "after", loses: true },
  { at: "store", side: "before", loses: true },
  { at: "store", side: "after", loses: false },
] as const;
type Point = (typeof POINTS)[number];

/** Runs one attempt up to a point, at which it stops for ever. */
async function killed({ usableToken }: Isolate, user: string, point: Point): Promise<void> {
  const reached = Promise.withResolvers<void>();
  const stop = async (at: Point["at"], side: Point["side"]) => {
    if (point.at !== at || point.side !== side) return;
    reached.resolve();
    await new Promise<never>(() => undefined);
  };
  const row = await rowOf(user);
  const context = as(user);
  const real = globalThis.fetch;
  const spied = vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    await stop("issuer", "before");
    const answer = await real(input, init);
    await stop("issuer", "after");
    return answer;
  });
  const ended = usableToken({ ...context, db: stoppable(context.db, stop) }, row, null).then(() => {
    throw new Error("The attempt was not killed.");
  });
  await Promise.race([reached.promise, ended]);
  spied.mockRestore();
}

/** A database whose first batch claims the lease and whose second one stores the tokens. */
function stoppable(db: Context["db"], stop: (at: Point["at"], side: Point["side"]) => Promise<void>): Context["db"] {
  let batches = 0;
  return new Proxy(db, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      if (name !== "batch") return value.bind(target);
      return async (...statements: unknown[]) => {
        const at = batches++ === 0 ? "claim" : "store";
        await stop(at, "before");
        const rows: unknown = await value.apply(target, statements);
        await stop(at, "after");
        return rows;
      };
    },
  });
}

async function calls(server: ProtectedServer, key: string): Promise<string> {
  const answer = await fetchWith(key)(`https://gateway.test/mcp/servers/${server.name}`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "whoami", arguments: {} } }),
  });
  return answer.text();
}

it.each([true, false])(
  "loses no grant that the issuer still accepts in 100 kills (rotating: %s)",
  { timeout: 300_000 },
  async (rotates) => {
    const { server, key, user } = await connected({ rotates });
    for (let kill = 0; kill < 100; kill++) {
      const point = POINTS[kill % POINTS.length];
      const where = ISOLATES[kill % ISOLATES.length];
      if (point === undefined || where === undefined) throw new Error("unreachable");
      await expire(server);
      await killed(where, user, point);
      // The time of the lease passes.
      await env.DB.prepare("UPDATE connections SET lease_until = 1 WHERE lease IS NOT NULL").run();
      const text = await calls(server, key);
      const { state, ended_by: endedBy } = (await connectionsOf(key))[0] ?? {};
      const shown = { kill, point, text: /you are account|sign in/.exec(text)?.[0], state, endedBy };
      if (rotates && point.loses) {
        expect(shown).toEqual({ kill, point, text: "sign in", state: "ended", endedBy: "invalid_grant" });
        await (await connect(server, key)).text();
      } else expect(shown).toEqual({ kill, point, text: "you are account", state: "active", endedBy: undefined });
    }
  },
);
