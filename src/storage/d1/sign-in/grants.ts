// Grants and their tokens in D1. A batch cannot branch, so each statement says itself what must hold, by the database's clock.

import { and, desc, eq, isNull, lt, type SQL, sql } from "drizzle-orm";
import { GRANT_LIMITS } from "../../../domain/sign-in/limits";
import { preRegisteredClientName } from "../../../domain/sign-in/pre-registered";
import type { Database } from "../database";
import { now as databaseNow, keys } from "../schema/registry";
import { grantCodes, grants, grantTokens } from "../schema/sign-in";
import { preRegisteredClients } from "../schema/sign-in-pages";

export type GrantRow = typeof grants.$inferSelect;

/** Whether the key that a row dies with still counts; true where there is none. */
const keyCounts = (keyId: typeof grants.keyId | typeof grantCodes.keyId): SQL =>
  sql`(${keyId} IS NULL OR EXISTS (SELECT 1 FROM ${keys} WHERE ${keys.id} = ${keyId} AND ${keys.revokedAt} IS NULL
    AND (${keys.expiresAt} IS NULL OR ${keys.expiresAt} > ${databaseNow})))`;

const LIVE = sql`${grants.endedAt} IS NULL AND ${grants.expiresAt} > ${databaseNow} AND ${grants.idleUntil} > ${databaseNow}
  AND ${keyCounts(grants.keyId)}`;

/** A grant with whether it counts, and what time it is. */
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

/** Whose code it is, and what must be shown with it. */
export interface Redemption {
  hash: string;
  clientId: string;
  redirectUri: string;
  challenge: string;
  /** Whose grants are counted. */
  userId: string;
  /** This attempt to exchange it, which is the id of the grant. */
  grantId: string;
  refresh: { hash: string; derivedWith: string };
  token: NewToken;
  /** Milliseconds until the grant ends, and until it does if it is not refreshed. */
  life: number;
  idle: number;
}

/**
 * Exchanges a code for a grant: `null` where something else was shown than the code asks for, where its time is over or its key does
 * not count any more, or where somebody has exchanged it. A wrong verifier leaves the code as it is. Of too many grants of a user
 * those end that were refreshed longest ago.
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
          // An admin may have removed the program since it has proven itself.
          known === null
            ? undefined
            : sql`EXISTS (SELECT 1 FROM ${preRegisteredClients} WHERE ${preRegisteredClients.name} = ${known})`,
        ),
      ),
    // By position: the columns in the order of the schema.
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

/** Which token was shown, and what may come of it. */
export interface Rotation {
  grantId: string;
  shown: string;
  successor: { hash: string; derivedWith: string };
  token: NewToken;
  idle: number;
}

/**
 * Puts the successor in the place of the token that was shown if that one counts, and adds an access token if it did, now or before.
 * Says how the grant is then: whoever showed a token that is now `previous` has got in.
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
    // While nobody has the successor, this answer may be the first that arrives.
    db
      .update(grants)
      .set({ rotatedAt: databaseNow })
      .where(
        and(eq(grants.id, grantId), eq(grants.previous, shown), sql`${grants.arrived} < ${grants.generation}`, LIVE),
      ),
    tokenFor(db, token, sql`${grants.id} = ${grantId} AND ${grants.previous} = ${shown} AND ${LIVE}`),
    // A host that asks again and again gets what it asks for, and has so many.
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

/** Ends a grant at once, with all its tokens; `false` when there is no such grant that goes on. */
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

/** Ends all grants of a user, and codes that would become some. Returns how many there were. */
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

/** The grant of an access token; `null` where there is none of that name. */
export async function readTokenGrant(db: Database, tokenId: string) {
  const found = await db
    .select({ id: grants.id, userId: grants.userId, clientId: grants.clientId, hash: grantTokens.hash })
    .from(grantTokens)
    .innerJoin(grants, eq(grants.id, grantTokens.grantId))
    .where(eq(grantTokens.id, tokenId));
  return found[0] ?? null;
}

/** Grants that go on, newest first, after the cursor's `(createdAt, id)`: of one user, or everybody's. */
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

/** Forgets what ended before these times: tokens, and grants with theirs. */
export async function deleteExpiredGrants(db: Database, before: { tokens: number; grants: number }): Promise<void> {
  await db.batch([
    db.delete(grantTokens).where(lt(grantTokens.expiresAt, before.tokens)),
    db.delete(grants).where(lt(grants.endedAt, before.grants)),
    db.delete(grants).where(lt(grants.idleUntil, before.grants)),
  ]);
}
