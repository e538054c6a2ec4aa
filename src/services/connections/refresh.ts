// Keeps access tokens usable. A lease in D1 lets one attempt of all isolates refresh an expired token, while the others wait for its result.

import type { ConnectionEnd } from "../../domain/connections/connection";
import { connectionPlace } from "../../domain/connections/connection";
import { CONNECTION_TIMES } from "../../domain/connections/limits";
import { refusalIn } from "../../domain/errors";
import { Recent } from "../../domain/recent";
import {
  type ConnectionRow,
  claimLease,
  endConnection,
  releaseLease,
  storeRefreshed,
} from "../../storage/d1/servers/connections";
import { IssuerRefusal, refreshTokens, type UpstreamTokens } from "../../upstream/authorization";
import { UpstreamFault } from "../../upstream/fault";
import { audited } from "../audit";
import type { Context } from "../context";
import { seal } from "../secrets/encryption";
import { openConnection } from "./tokens";

/** The newest rows that this isolate has read, by id: a refresh raises no counter. */
const newest = new Recent<string, ConnectionRow>(1_000);

/** OAuth errors after which a refresh token never works again. */
const FINAL = new Set(["invalid_grant", "invalid_client", "unauthorized_client"]);
/** Number of attempts to store refreshed tokens. If they are lost, the user may have to sign in again. */
const STORE_ATTEMPTS = 3;

/**
 * Returns an access token of a connection, refreshed if needed; `null` if the connection has ended, and the user must sign in again.
 *
 * @param rejected the token that the server rejected, if it rejected one
 * @throws UpstreamFault if the issuer does not respond
 */
export async function usableToken(
  context: Context,
  row: ConnectionRow,
  rejected: string | null,
): Promise<string | null> {
  if (row.state !== "active") return null;
  const known = newest.get(row.id);
  const current = known !== undefined && known.generation > row.generation ? known : row;
  const access = await accessOf(context, current);
  if (access !== null && access !== rejected && isFresh(context, current)) return access;
  return refreshed(context, current, rejected);
}

/** Whether a token is not about to expire. */
function isFresh({ now }: Context, { expiresAt }: ConnectionRow): boolean {
  return expiresAt === null || expiresAt - CONNECTION_TIMES.early > now();
}

async function accessOf(context: Context, row: ConnectionRow): Promise<string | null> {
  return (await openConnection(context, row))?.secrets.access ?? null;
}

/** Refreshes the tokens, or waits for another attempt that does. */
async function refreshed(context: Context, row: ConnectionRow, rejected: string | null): Promise<string | null> {
  const lease = context.newId("lea");
  const until = context.now() + CONNECTION_TIMES.leaseWait;
  for (let pause: number = CONNECTION_TIMES.leasePoll; ; pause = Math.min(2 * pause, CONNECTION_TIMES.leasePollMost)) {
    const { isMine, row: now } = await claimLease(context.db, row, lease, CONNECTION_TIMES.lease);
    if (now === null || now.state !== "active") return null;
    if (now.generation > row.generation) {
      newest.set(now.id, now);
      return accessOf(context, now);
    }
    if (isMine) return refreshWithLease(context, now, lease, rejected);
    if (context.now() + pause > until)
      throw new UpstreamFault("timeout", "its sign-in is being renewed and the issuer does not respond");
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

async function refreshWithLease(
  context: Context,
  row: ConnectionRow,
  lease: string,
  rejected: string | null,
): Promise<string | null> {
  const live = await openConnection(context, row);
  if (live === null) return end(context, row, "unreadable");
  const { client, access, refresh } = live.secrets;
  const isRejected = access === rejected;
  const isNew = row.refreshedAt !== null && context.now() - row.refreshedAt < CONNECTION_TIMES.rejectedAgain;
  if (isRejected && isNew) return end(context, row, "rejected");
  if (refresh === null) return end(context, row, isRejected ? "rejected" : "expired");
  let tokens: UpstreamTokens;
  try {
    tokens = await refreshTokens(row.endpoints, { client, refresh, resource: row.resource }, __DEVELOPMENT__);
  } catch (error) {
    if (error instanceof IssuerRefusal && FINAL.has(error.code)) return end(context, row, "invalid_grant");
    await releaseLease(context.db, row.id, lease);
    // Refreshed before its end, so it is still valid.
    if (!isRejected && (row.expiresAt ?? Number.POSITIVE_INFINITY) > context.now()) return access;
    if (error instanceof UpstreamFault)
      throw new UpstreamFault(error.kind, `its sign-in cannot be renewed: ${error.message}`);
    if (error instanceof IssuerRefusal)
      throw new UpstreamFault("protocol", `its sign-in cannot be renewed: ${error.message}`);
    throw error;
  }
  const secrets = { client, access: tokens.access, refresh: tokens.refresh ?? refresh };
  const sealed = await seal(context.settings, connectionPlace(row), JSON.stringify(secrets));
  const stored = await storeSafely(context, row, lease, {
    ...sealed,
    granted: tokens.scope ?? row.granted,
    life: tokens.life,
  });
  if (stored !== null) newest.set(stored.id, stored);
  return tokens.access;
}

async function storeSafely(
  context: Context,
  row: ConnectionRow,
  lease: string,
  tokens: Parameters<typeof storeRefreshed>[3],
): Promise<ConnectionRow | null> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await storeRefreshed(context.db, row, lease, tokens);
    } catch (error) {
      if (refusalIn(error)?.code !== "unavailable" || attempt >= STORE_ATTEMPTS) throw error;
    }
  }
}

async function end(context: Context, row: ConnectionRow, why: ConnectionEnd): Promise<null> {
  const recorded = audited(context, "connection.end", row.id, { after: { why }, when: "was" });
  await endConnection(recorded, row, why);
  newest.delete(row.id);
  return null;
}
