// Finds the caller's connections to MCP servers, and their access tokens.

import { userScope } from "../../domain/access/access";
import { type ConnectionSecrets, connectionSecretsSchema } from "../../domain/connections/authorization-server";
import { type ConnectedServer, connectionPlace } from "../../domain/connections/connection";
import { CONNECTION_TIMES } from "../../domain/connections/limits";
import { Recent } from "../../domain/recent";
import { type ConnectionRow, connectionsOfUser } from "../../storage/d1/servers/connections";
import type { Context } from "../context";
import { keyIds, unseal } from "../secrets/encryption";

/** A connection with its decrypted tokens. */
export interface OpenedConnection {
  row: ConnectionRow;
  secrets: ConnectionSecrets;
}

interface Cached {
  at: number;
  rows: readonly ConnectionRow[];
}

/** By user, change counter and keys. Changes raise the counter. */
const cached = new Recent<string, Cached>(500);

/** Returns the caller's connection to a server; `null` if there is none for this URL, or only a pending one. */
export async function connectionTo(
  context: Context,
  { scope, server }: ConnectedServer,
  url: string,
): Promise<ConnectionRow | null> {
  const fresh = noted.get(notedKey(context, { scope, server }));
  if (fresh?.url === url) return fresh;
  const rows = await connectionsOf(context);
  const used = rows.filter(({ state }) => state !== "pending");
  return used.find((row) => row.scope === scope && row.server === server && row.url === url) ?? null;
}

/** Connections that began during a request, whose caller still has the counter from before. */
const noted = new Recent<string, ConnectionRow>(200);

function notedKey({ caller }: Context, { scope, server }: ConnectedServer): string {
  const { userId } = caller.principal;
  return JSON.stringify([userId, caller.counters[userScope(userId)] ?? 0, scope, server]);
}

/** Makes a connection that has just begun count for the rest of this request. Later requests have a newer counter. */
export function noteConnection(context: Context, row: ConnectionRow): void {
  noted.set(notedKey(context, row), row);
}

/** Starts reading the caller's connections, so that the request does not wait for them after other reads. */
export function readConnectionsAhead(context: Context): void {
  connectionsOf(context).catch(() => undefined);
}

/** The reads of requests that have not ended. */
const reading = new WeakMap<Context, Promise<readonly ConnectionRow[]>>();

async function connectionsOf(context: Context): Promise<readonly ConnectionRow[]> {
  const { principal, counters } = context.caller;
  const counter = counters[userScope(principal.userId)];
  // Connecting raises the counter: a user without one has no connections.
  if (counter === undefined) return [];
  const key = JSON.stringify([principal.userId, counter]);
  const before = cached.get(key);
  if (before !== undefined && context.now() - before.at < CONNECTION_TIMES.cache) return before.rows;
  const running = reading.get(context);
  if (running !== undefined) return running;
  const read = connectionsOfUser(context.db, principal.userId)
    .then((rows) => {
      cached.set(key, { at: context.now(), rows });
      return rows;
    })
    .finally(() => reading.delete(context));
  reading.set(context, read);
  return read;
}

/** Decrypted tokens by connection, generation and keys. */
const opened = new Recent<string, ConnectionSecrets>(1_000);

/** Returns a connection's tokens; `null` if no key of this deployment encrypted them. */
export async function openConnection(
  { settings }: Pick<Context, "settings">,
  row: ConnectionRow,
): Promise<OpenedConnection | null> {
  const key = JSON.stringify([row.id, row.generation, row.keyId, await keyIds(settings)]);
  const before = opened.get(key);
  if (before !== undefined) return { row, secrets: before };
  const text = await unseal(settings, connectionPlace(row), row);
  if (text === null) return null;
  const secrets = connectionSecretsSchema.parse(JSON.parse(text));
  opened.set(key, secrets);
  return { row, secrets };
}
