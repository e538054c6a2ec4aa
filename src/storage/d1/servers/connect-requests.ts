// Stores sign-ins to MCP servers in progress, and the gateway's registrations at issuers. The deciding statements check all conditions with
// the database's clock, so a link is used once.

import { and, desc, eq, gt, isNull, lt, ne, or, type SQL, sql } from "drizzle-orm";
import { CONNECTION_TIMES } from "../../../domain/connections/limits";
import type { Database } from "../database";
import { connections, connectRequests, upstreamClients } from "../schema/connections";
import { now as databaseNow } from "../schema/registry";

export type ConnectRequestRow = typeof connectRequests.$inferSelect;
export type NewConnectRequest = Omit<
  ConnectRequestRow,
  "stage" | "browser" | "stateHash" | "tries" | "createdAt" | "expiresAt"
>;

/** Stores a sign-in in progress. Returns its end; `null` if the user has too many. */
export async function insertConnectRequest(db: Database, row: NewConnectRequest, most: number): Promise<number | null> {
  const pending = sql`SELECT count(*) FROM ${connectRequests} WHERE ${connectRequests.userId} = ${row.userId}
    AND ${connectRequests.stage} <> 'done' AND ${connectRequests.expiresAt} > ${databaseNow}`;
  const [made] = await db.batch([
    db
      .insert(connectRequests)
      .select(
        sql`SELECT ${row.id}, ${row.userId}, ${row.scope}, ${row.server}, ${row.url}, ${row.issuer}, ${row.resource},
          ${JSON.stringify(row.endpoints)}, ${row.keyId}, ${row.iv}, ${row.ciphertext}, ${row.wanted}, ${row.returnTo},
          ${row.conversation}, ${row.question}, 'open', NULL, NULL, 0, ${databaseNow}, ${databaseNow} + ${CONNECTION_TIMES.request}
          WHERE (${pending}) < ${most}`,
      )
      .returning({ expiresAt: connectRequests.expiresAt }),
  ]);
  return made[0]?.expiresAt ?? null;
}

/** Returns a sign-in to this server that no browser has finished, if it is not about to expire. */
export async function openConnectRequest(
  db: Database,
  { userId, scope, server, url }: Pick<ConnectRequestRow, "userId" | "scope" | "server" | "url">,
): Promise<Pick<ConnectRequestRow, "id" | "expiresAt"> | null> {
  const [row] = await db
    .select({ id: connectRequests.id, expiresAt: connectRequests.expiresAt })
    .from(connectRequests)
    .where(
      and(
        ...[eq(connectRequests.userId, userId), eq(connectRequests.scope, scope), eq(connectRequests.server, server)],
        ...[eq(connectRequests.url, url), ne(connectRequests.stage, "done"), isNull(connectRequests.returnTo)],
        gt(connectRequests.expiresAt, sql`${databaseNow} + ${CONNECTION_TIMES.reusable}`),
      ),
    )
    .orderBy(desc(connectRequests.id))
    .limit(1);
  return row ?? null;
}

/** Returns a sign-in that a browser can continue. After one browser was redirected to the issuer, only that one can. */
export async function readConnectRequest(
  db: Database,
  id: string,
  browser: string | null,
): Promise<ConnectRequestRow | null> {
  const [row] = await db.select().from(connectRequests).where(continuable(id, browser));
  return row ?? null;
}

/** Counts one more attempt with a key. Returns `false` if there were already `most`. */
export async function countConnectAttempt(
  db: Database,
  { id, browser }: { id: string; browser: string },
  most: number,
): Promise<boolean> {
  const rows = await db
    .update(connectRequests)
    .set({ tries: sql`${connectRequests.tries} + 1` })
    .where(and(continuable(id, browser), lt(connectRequests.tries, most)))
    .returning({ id: connectRequests.id });
  return rows.length > 0;
}

/** Binds a sign-in to the browser that is redirected to the issuer. Going back and starting again replaces the state. */
export async function sendToIssuer(
  db: Database,
  { id, browser }: { id: string; browser: string },
  sent: Pick<ConnectRequestRow, "stateHash" | "keyId" | "iv" | "ciphertext">,
): Promise<boolean> {
  const rows = await db
    .update(connectRequests)
    .set({ stage: "sent", browser, ...sent })
    .where(continuable(id, browser))
    .returning({ id: connectRequests.id });
  return rows.length > 0;
}

/** Consumes the sign-in that a browser returns with; `null` if state or browser do not match, or it was used. */
export async function consumeConnectRequest(
  db: Database,
  { id, browser, stateHash }: { id: string; browser: string; stateHash: string },
): Promise<ConnectRequestRow | null> {
  const [row] = await db
    .update(connectRequests)
    .set({ stage: "done" })
    .where(
      and(
        ...[eq(connectRequests.id, id), eq(connectRequests.browser, browser), eq(connectRequests.stateHash, stateHash)],
        ...[eq(connectRequests.stage, "sent"), gt(connectRequests.expiresAt, databaseNow)],
      ),
    )
    .returning();
  return row ?? null;
}

/** Deletes expired sign-ins. */
export async function deleteExpiredConnectRequests(db: Database, before: number): Promise<void> {
  await db.delete(connectRequests).where(lt(connectRequests.expiresAt, before));
}

function continuable(id: string, browser: string | null): SQL | undefined {
  const isOpen = eq(connectRequests.stage, "open");
  const isTheirs =
    browser === null ? undefined : and(eq(connectRequests.stage, "sent"), eq(connectRequests.browser, browser));
  return and(eq(connectRequests.id, id), gt(connectRequests.expiresAt, databaseNow), or(isOpen, isTheirs));
}

export type UpstreamClientRow = typeof upstreamClients.$inferSelect;

/** Returns the gateway's registration at an issuer, unless its secret has expired. */
export async function readUpstreamClient(
  db: Database,
  issuer: string,
  redirectUri: string,
): Promise<UpstreamClientRow | null> {
  const [row] = await db
    .select()
    .from(upstreamClients)
    .where(
      and(
        ...[eq(upstreamClients.issuer, issuer), eq(upstreamClients.redirectUri, redirectUri)],
        or(isNull(upstreamClients.expiresAt), gt(upstreamClients.expiresAt, databaseNow)),
      ),
    );
  return row ?? null;
}

/** Stores a registration. One of two concurrent registrations stays; an expired one is replaced. Returns the stored one. */
export async function putUpstreamClient(
  db: Database,
  row: Omit<UpstreamClientRow, "createdAt">,
): Promise<UpstreamClientRow | null> {
  const { keyId, iv, ciphertext, expiresAt } = row;
  const [, stored] = await db.batch([
    db
      .insert(upstreamClients)
      .values(row)
      .onConflictDoUpdate({
        target: [upstreamClients.issuer, upstreamClients.redirectUri],
        set: { keyId, iv, ciphertext, expiresAt, createdAt: databaseNow },
        setWhere: lt(upstreamClients.expiresAt, databaseNow),
      }),
    db
      .select()
      .from(upstreamClients)
      .where(and(eq(upstreamClients.issuer, row.issuer), eq(upstreamClients.redirectUri, row.redirectUri))),
  ]);
  return stored[0] ?? null;
}

/** Deletes a registration that the issuer no longer accepts. */
export async function deleteUpstreamClient(db: Database, issuer: string, redirectUri: string): Promise<void> {
  await db
    .delete(upstreamClients)
    .where(and(eq(upstreamClients.issuer, issuer), eq(upstreamClients.redirectUri, redirectUri)));
}

/** Deletes registrations that are older than this and belong to no issuer of a connection or of a sign-in in progress. */
export async function deleteUnusedUpstreamClients(db: Database, before: number): Promise<void> {
  await db
    .delete(upstreamClients)
    .where(
      and(
        lt(upstreamClients.createdAt, before),
        sql`NOT EXISTS (SELECT 1 FROM ${connections} AS c WHERE c.issuer = ${upstreamClients.issuer})`,
        sql`NOT EXISTS (SELECT 1 FROM ${connectRequests} AS r WHERE r.issuer = ${upstreamClients.issuer})`,
      ),
    );
}
