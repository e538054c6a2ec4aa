// Stores secrets in D1. Values are encrypted before they reach this module. Every change raises the counter of the scope that conversations
// watch.

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
/** A secret without its value. */
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

/** Stores a secret under its scope and name. Returns it and whether it is new; `null` if the scope is full. */
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

/** Returns secrets of a scope by name, after the cursor. */
export function listSecrets(db: Database, scope: string, limit: number, after: string | null): Promise<SecretFacts[]> {
  return db
    .select(facts)
    .from(secrets)
    .where(and(eq(secrets.scope, scope), after === null ? undefined : gt(secrets.name, after)))
    .orderBy(asc(secrets.name))
    .limit(limit);
}

/** Returns `false` if the secret does not exist. */
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
 * Returns the secrets with these names in these scopes. Secrets of `held` groups are returned only if the user is a member now: a cached
 * identity does not suffice.
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

/** Records the use of secrets whose last recorded use is older than `before`. */
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

/** Returns some of the secrets encrypted with other keys, and their number. */
export async function secretsUnderOtherKeys(db: Database, keyId: string, limit: number) {
  const other = notInArray(secrets.keyId, [keyId]);
  const [rows, [counted]] = await db.batch([
    db.select().from(secrets).where(other).orderBy(secrets.id).limit(limit),
    db.select({ count: sql<number>`count(*)` }).from(secrets).where(other),
  ]);
  return { rows, count: counted?.count ?? 0 };
}

/** Replaces the ciphertext of a secret, unless it changed meanwhile. */
export function reencrypt(db: Database, row: SecretRow, sealed: Pick<SecretRow, "keyId" | "iv" | "ciphertext">) {
  return db
    .update(secrets)
    .set(sealed)
    .where(and(eq(secrets.id, row.id), eq(secrets.ciphertext, row.ciphertext)));
}

/** The scope whose counter conversations watch. Everybody can use the gateway's secrets, so these raise the public counter. */
export function watched(scope: string): string {
  return scope === GATEWAY_SCOPE ? PUBLIC_SCOPE : scope;
}
