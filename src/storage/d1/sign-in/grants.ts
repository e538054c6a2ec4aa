// Stores grants and their tokens in D1. A batch cannot branch, so each statement contains its own conditions, with the database's clock.

import { and, desc, eq, isNull, lt, type SQL, sql } from "drizzle-orm";
import { GRANT_LIMITS } from "../../../domain/sign-in/limits";
import { preRegisteredClientName } from "../../../domain/sign-in/pre-registered";
import type { Database } from "../database";
import { now as databaseNow, keys } from "../schema/registry";
import { grantCodes, grants, grantTokens } from "../schema/sign-in";
import { preRegisteredClients } from "../schema/sign-in-pages";

export type GrantRow = typeof grants.$inferSelect;

/** SQL: the key that the row depends on is valid, or there is none. */
const keyCounts = (keyId: typeof grants.keyId | typeof grantCodes.keyId): SQL =>
  sql`(${keyId} IS NULL OR EXISTS (SELECT 1 FROM ${keys} WHERE ${keys.id} = ${keyId} AND ${keys.revokedAt} IS NULL
    AND (${keys.expiresAt} IS NULL OR ${keys.expiresAt} > ${databaseNow})))`;

const LIVE = sql`${grants.endedAt} IS NULL AND ${grants.expiresAt} > ${databaseNow} AND ${grants.idleUntil} > ${databaseNow}
  AND ${keyCounts(grants.keyId)}`;

/** A grant, whether it is valid, and the database's time. */
export interface GrantState extends GrantRow {
  isLive: boolean;
  now: number;
}

export async function readGrant(db: Database, id: string): Promise<GrantState | null> {
  const [found] = await db.batch([seen(db, id)]);
  return seenIn(found);
}

function seen(db: Database, id: string) {
  return db
    .select({
      grant: grants,
      isLive: sql<number>`(${LIVE})`.as("is_live"),
      now: sql<number>`${databaseNow}`.as("now"),
    })
    .from(grants)
    .where(eq(grants.id, id));
}

function seenIn([row]: Awaited<ReturnType<typeof seen>>): GrantState | null {
  return row === undefined ? null : { ...row.grant, isLive: row.isLive === 1, now: row.now };
}

/** An access token before it is stored. */
export interface NewToken {
  id: string;
  hash: string;
  life: number;
}

/** The code to exchange and the proofs presented with it. */
export interface Redemption {
  hash: string;
  clientId: string;
  redirectUri: string;
  challenge: string;
  /** The user whose grants are counted. */
  userId: string;
  /** Id of this attempt, which becomes the id of the grant. */
  grantId: string;
  refresh: { hash: string; derivedWith: string };
  token: NewToken;
  /** Milliseconds until the grant ends, and until it ends without a refresh. */
  life: number;
  idle: number;
}

/**
 * Exchanges a code for a grant. Returns `null` if the proofs do not match, if the code has expired or was exchanged, or if its key is no
 * longer valid. A wrong verifier leaves the code unchanged. If the user has too many grants, the least recently refreshed ones end.
 */
export async function redeemCode(db: Database, asked: Redemption): Promise<GrantState | null> {
  const { hash, grantId, refresh } = asked;
  const known = preRegisteredClientName(asked.clientId);
  const taken = sql`${grantCodes.hash} = ${hash} AND ${grantCodes.claimedBy} = ${grantId}`;
  const [, , , , found] = await db.batch([
    db
      .update(grantCodes)
      .set({ claimedBy: grantId })
      .where(
        and(
          eq(grantCodes.hash, hash),
          eq(grantCodes.clientId, asked.clientId),
          eq(grantCodes.redirectUri, asked.redirectUri),
          eq(grantCodes.challenge, asked.challenge),
          isNull(grantCodes.claimedBy),
          sql`${grantCodes.expiresAt} > ${databaseNow}`,
          // An admin may have removed the client after it authenticated.
          known === null
            ? undefined
            : sql`EXISTS (SELECT 1 FROM ${preRegisteredClients} WHERE ${preRegisteredClients.name} = ${known})`,
        ),
      ),
    // Values by position: the columns in the order of the schema.
    db.insert(grants).select(
      sql`SELECT ${grantId}, user_id, via, via_id, key_id, claimed, client_id, client_name, resource, ${databaseNow},
        min(${databaseNow} + ${asked.life}, coalesce(grant_until, ${databaseNow} + ${asked.life})), ${databaseNow} + ${asked.idle},
        ${refresh.hash}, 0, ${refresh.derivedWith}, NULL, NULL, -1, NULL, NULL, NULL
        FROM ${grantCodes} WHERE ${taken} AND ${keyCounts(grantCodes.keyId)}`,
    ),
    tokenFor(db, asked.token, sql`${grants.id} = ${grantId}`),
    db
      .update(grants)
      .set({ endedAt: databaseNow, endedBy: "too_many" })
      .where(
        sql`${grants.id} IN (SELECT id FROM grants AS own WHERE own.user_id = ${asked.userId} AND own.ended_at IS NULL
          AND EXISTS (SELECT 1 FROM grants AS made WHERE made.id = ${grantId})
          ORDER BY own.idle_until DESC, own.id DESC LIMIT -1 OFFSET ${GRANT_LIMITS.perUser})`,
      ),
    seen(db, grantId),
  ]);
  return seenIn(found);
}

/** The presented refresh token and its successor. */
export interface Rotation {
  grantId: string;
  shown: string;
  successor: { hash: string; derivedWith: string };
  token: NewToken;
  idle: number;
}

/**
 * Replaces the presented refresh token with its successor if it is the valid one, and adds an access token if it is valid or the previous
 * one. Returns the grant afterwards: if the presented token is now `previous`, the exchange succeeded.
 */
export async function rotateGrant(db: Database, asked: Rotation): Promise<GrantState | null> {
  const { grantId, shown, successor, token } = asked;
  const [, , , , found] = await db.batch([
    db
      .update(grants)
      .set({
        previous: sql`${grants.current}`,
        current: successor.hash,
        generation: sql`${grants.generation} + 1`,
        derivedWith: successor.derivedWith,
        rotatedAt: databaseNow,
        idleUntil: sql`${databaseNow} + ${asked.idle}`,
      })
      .where(and(eq(grants.id, grantId), eq(grants.current, shown), LIVE)),
    // While the successor is unused, this response may be the first that arrives.
    db
      .update(grants)
      .set({ rotatedAt: databaseNow })
      .where(
        and(eq(grants.id, grantId), eq(grants.previous, shown), sql`${grants.arrived} < ${grants.generation}`, LIVE),
      ),
    tokenFor(db, token, sql`${grants.id} = ${grantId} AND ${grants.previous} = ${shown} AND ${LIVE}`),
    // Limits the access tokens of a host that refreshes repeatedly.
    db.delete(grantTokens).where(
      sql`${grantTokens.id} IN (SELECT id FROM grant_tokens AS own WHERE own.grant_id = ${grantId}
          ORDER BY own.created_at DESC, own.id DESC LIMIT -1 OFFSET ${GRANT_LIMITS.tokens})`,
    ),
    seen(db, grantId),
  ]);
  return seenIn(found);
}

function tokenFor(db: Database, { id, hash, life }: NewToken, which: SQL) {
  return db.insert(grantTokens).select(
    sql`SELECT ${id}, ${grants.id}, ${grants.generation}, ${hash}, ${databaseNow},
      min(${databaseNow} + ${life}, ${grants.expiresAt}) FROM ${grants} WHERE ${which}`,
  );
}

/** Ends a grant with all its tokens immediately. Returns `false` if there is no such live grant. */
export async function endGrant(db: Database, id: string, why: string): Promise<boolean> {
  const [rows] = await db.batch([
    db
      .update(grants)
      .set({ endedAt: databaseNow, endedBy: why })
      .where(and(eq(grants.id, id), isNull(grants.endedAt)))
      .returning({ id: grants.id }),
  ]);
  return rows.length > 0;
}

/** Ends all grants of a user, and codes that were not exchanged yet. Returns their number. */
export async function endGrantsOf(db: Database, userId: string, why: string): Promise<number> {
  const [rows] = await db.batch([
    db
      .update(grants)
      .set({ endedAt: databaseNow, endedBy: why })
      .where(and(eq(grants.userId, userId), isNull(grants.endedAt)))
      .returning({ id: grants.id }),
    db.delete(grantCodes).where(and(eq(grantCodes.userId, userId), isNull(grantCodes.claimedBy))),
  ]);
  return rows.length;
}

/** Returns the grant of an access token, or `null`. */
export async function readTokenGrant(db: Database, tokenId: string) {
  const found = await db
    .select({ id: grants.id, userId: grants.userId, clientId: grants.clientId, hash: grantTokens.hash })
    .from(grantTokens)
    .innerJoin(grants, eq(grants.id, grantTokens.grantId))
    .where(eq(grantTokens.id, tokenId));
  return found[0] ?? null;
}

/** Returns live grants of one user or of everybody, newest first, after the cursor `(createdAt, id)`. */
export function listGrants(
  db: Database,
  userId: string | null,
  limit: number,
  after: { createdAt: number; id: string } | null,
): Promise<GrantRow[]> {
  const older =
    after === null ? undefined : sql`(${grants.createdAt}, ${grants.id}) < (${after.createdAt}, ${after.id})`;
  const whose = userId === null ? undefined : eq(grants.userId, userId);
  return db
    .select()
    .from(grants)
    .where(and(LIVE, whose, older))
    .orderBy(desc(grants.createdAt), desc(grants.id))
    .limit(limit);
}

/** Deletes tokens, and grants with their tokens, that ended before these times. */
export async function deleteExpiredGrants(db: Database, before: { tokens: number; grants: number }): Promise<void> {
  await db.batch([
    db.delete(grantTokens).where(lt(grantTokens.expiresAt, before.tokens)),
    db.delete(grants).where(lt(grants.endedAt, before.grants)),
    db.delete(grants).where(lt(grants.idleUntil, before.grants)),
  ]);
}
