// Secrets in D1, encrypted before they get here. Every change raises the counter of the scope that its users watch.

import { and, asc, eq, gt, isNull, lt, notInArray, or, sql } from "drizzle-orm";
import { GATEWAY_SCOPE, GROUP_PREFIX, PUBLIC_SCOPE } from "../../domain/access/access";
import type { Database } from "./database";
import { raiseCounters } from "./keys";
import { secrets } from "./schema/access";
import { now } from "./schema/registry";

export type SecretRow = typeof secrets.$inferSelect;
export type NewSecret = Pick<
  SecretRow,
  "id" | "scope" | "name" | "hosts" | "keyId" | "iv" | "ciphertext" | "createdBy"
>;
/** What a list tells: everything but the value. */
export type SecretFacts = Omit<SecretRow, "iv" | "ciphertext" | "keyId" | "id">;

const facts = {
  scope: secrets.scope,
  name: secrets.name,
  hosts: secrets.hosts,
  createdBy: secrets.createdBy,
  createdAt: secrets.createdAt,
  updatedAt: secrets.updatedAt,
  lastUsedAt: secrets.lastUsedAt,
};

/** Stores a secret under its scope and name. Returns it and whether it was not there before; `null` when the scope is full. */
export async function putSecret(
  db: Database,
  secret: NewSecret,
  most: number,
): Promise<{ secret: SecretFacts; created: boolean } | null> {
  const { hosts, keyId, iv, ciphertext } = secret;
  const same = and(eq(secrets.scope, secret.scope), eq(secrets.name, secret.name));
  const [before, , , after] = await db.batch([
    db.select({ id: secrets.id }).from(secrets).where(same),
    db
      .insert(secrets)
      .select(
        sql`SELECT ${secret.id}, ${secret.scope}, ${secret.name}, ${JSON.stringify(hosts)}, ${keyId}, ${iv}, ${ciphertext},
          ${secret.createdBy}, ${now}, ${now}, NULL
          WHERE (SELECT count(*) FROM ${secrets} WHERE ${secrets.scope} = ${secret.scope} AND ${secrets.name} <> ${secret.name}) < ${most}`,
      )
      .onConflictDoUpdate({
        target: [secrets.scope, secrets.name],
        set: { hosts, keyId, iv, ciphertext, updatedAt: now },
      }),
    raiseCounters(db, [watched(secret.scope)]),
    db.select(facts).from(secrets).where(same),
  ]);
  const [stored] = after;
  return stored === undefined ? null : { secret: stored, created: before.length === 0 };
}

export async function readSecret(db: Database, scope: string, name: string): Promise<SecretFacts | null> {
  const [found] = await db
    .select(facts)
    .from(secrets)
    .where(and(eq(secrets.scope, scope), eq(secrets.name, name)));
  return found ?? null;
}

/** Secrets of a scope by name, after the cursor's. */
export function listSecrets(db: Database, scope: string, limit: number, after: string | null): Promise<SecretFacts[]> {
  return db
    .select(facts)
    .from(secrets)
    .where(and(eq(secrets.scope, scope), after === null ? undefined : gt(secrets.name, after)))
    .orderBy(asc(secrets.name))
    .limit(limit);
}

/** `false` when there was none. */
export async function deleteSecret(db: Database, scope: string, name: string): Promise<boolean> {
  const [gone] = await db.batch([
    db
      .delete(secrets)
      .where(and(eq(secrets.scope, scope), eq(secrets.name, name)))
      .returning({ id: secrets.id }),
    raiseCounters(db, [watched(scope)]),
  ]);
  return gone.length > 0;
}

/**
 * All secrets of these names in these scopes. Those of `held` groups only while the user is in them: what the caller was known to
 * be a moment ago opens nothing.
 */
export function findSecrets(
  db: Database,
  scopes: readonly string[],
  names: readonly string[],
  member: { userId: string; held: readonly string[] },
): Promise<SecretRow[]> {
  const isMember = sql`EXISTS (SELECT 1 FROM group_members WHERE user_id = ${member.userId}
    AND ${GROUP_PREFIX} || group_name = ${secrets.scope})`;
  return db
    .select()
    .from(secrets)
    .where(
      and(
        sql`${secrets.scope} IN (SELECT value FROM json_each(${JSON.stringify(scopes)}))`,
        sql`(${secrets.scope} NOT IN (SELECT value FROM json_each(${JSON.stringify(member.held)})) OR ${isMember})`,
        sql`${secrets.name} IN (SELECT value FROM json_each(${JSON.stringify(names)}))`,
      ),
    );
}

/** Writes down that these were used, where that was not done since `before`. */
export async function touchSecrets(db: Database, ids: readonly string[], before: number): Promise<void> {
  await db
    .update(secrets)
    .set({ lastUsedAt: now })
    .where(
      and(
        sql`${secrets.id} IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`,
        or(isNull(secrets.lastUsedAt), lt(secrets.lastUsedAt, before)),
      ),
    );
}

/** Some of those that are not under this key, and how many there are of them. */
export async function secretsUnderOtherKeys(db: Database, keyId: string, limit: number) {
  const other = notInArray(secrets.keyId, [keyId]);
  const [rows, [counted]] = await db.batch([
    db.select().from(secrets).where(other).orderBy(secrets.id).limit(limit),
    db.select({ count: sql<number>`count(*)` }).from(secrets).where(other),
  ]);
  return { rows, count: counted?.count ?? 0 };
}

/** Replaces what a secret was encrypted to, unless it was changed meanwhile. */
export function reencrypt(db: Database, row: SecretRow, sealed: Pick<SecretRow, "keyId" | "iv" | "ciphertext">) {
  return db
    .update(secrets)
    .set(sealed)
    .where(and(eq(secrets.id, row.id), eq(secrets.ciphertext, row.ciphertext)));
}

/** The counter that conversations watch: everybody sees the gateway's secrets, as everybody sees what is public. */
function watched(scope: string): string {
  return scope === GATEWAY_SCOPE ? PUBLIC_SCOPE : scope;
}
