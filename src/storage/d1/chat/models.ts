// The models of the chat endpoint in D1, and what a user has had of them today.

import { and, asc, eq, gt, inArray, lt, sql } from "drizzle-orm";
import type { JsonObject } from "../../../domain/json";
import type { Database } from "../database";
import { usage } from "../schema/access";
import { chatTails, models } from "../schema/chat";
import { ghosts, now } from "../schema/registry";
import { type Use, used } from "../usage";

export type ModelRow = typeof models.$inferSelect;
export type NewModel = Pick<ModelRow, "scope" | "name" | "createdBy"> & { entry: JsonObject };

/** Stores an entry under its scope and name, whole. `null` when the scope is full. */
export async function putModel(
  db: Database,
  { scope, name, entry, createdBy }: NewModel,
  most: number,
): Promise<{ row: ModelRow; created: boolean } | null> {
  const same = and(eq(models.scope, scope), eq(models.name, name));
  const [before, , after] = await db.batch([
    db.select({ name: models.name }).from(models).where(same),
    db
      .insert(models)
      .select(
        sql`SELECT ${scope}, ${name}, ${JSON.stringify(entry)}, ${createdBy}, ${now}, ${now}
          WHERE (SELECT count(*) FROM ${models} WHERE ${models.scope} = ${scope} AND ${models.name} <> ${name}) < ${most}`,
      )
      .onConflictDoUpdate({ target: [models.scope, models.name], set: { entry, updatedAt: now } }),
    db.select().from(models).where(same),
  ]);
  const [row] = after;
  return row === undefined ? null : { row, created: before.length === 0 };
}

export async function readModel(db: Database, scope: string, name: string): Promise<ModelRow | null> {
  const [found] = await db
    .select()
    .from(models)
    .where(and(eq(models.scope, scope), eq(models.name, name)));
  return found ?? null;
}

/** Models of a scope by name, after the cursor's. */
export function listModels(db: Database, scope: string, limit: number, after: string | null): Promise<ModelRow[]> {
  return db
    .select()
    .from(models)
    .where(and(eq(models.scope, scope), after === null ? undefined : gt(models.name, after)))
    .orderBy(asc(models.name))
    .limit(limit);
}

/** `false` when there was none. */
export async function deleteModel(db: Database, scope: string, name: string): Promise<boolean> {
  const [gone] = await db.batch([
    db
      .delete(models)
      .where(and(eq(models.scope, scope), eq(models.name, name)))
      .returning({ name: models.name }),
  ]);
  return gone.length > 0;
}

const inScopes = (scopes: readonly string[]) =>
  sql`${models.scope} IN (SELECT value FROM json_each(${JSON.stringify(scopes)}))`;

/** Every model of this name in these scopes, how much of a count is used, and which conversation ends in one of these ways, the first of them first; in one trip. */
export async function findModels(
  db: Database,
  scopes: readonly string[],
  name: string,
  use: Use,
  tails: readonly string[],
): Promise<{ rows: ModelRow[]; used: number; conversation: string | null }> {
  const [rows, [counted], known] = await db.batch([
    db
      .select()
      .from(models)
      .where(and(inScopes(scopes), eq(models.name, name))),
    db.select({ count: sql<number | null>`${used(use)}` }).from(sql`(SELECT 1)`),
    db
      .select({ digest: chatTails.digest, conversation: chatTails.conversationId })
      .from(chatTails)
      .where(and(eq(chatTails.userId, use.subject), inArray(chatTails.digest, [...tails]))),
  ]);
  const [found] = tails.flatMap((tail) => known.find(({ digest }) => digest === tail) ?? []);
  return { rows, used: counted?.count ?? 0, conversation: found?.conversation ?? null };
}

/** Notes what a request used, and which conversation is found by these digests now (`null`: it has a name). */
export async function settleChat(
  db: Database,
  { subject, kind, windowStart }: Use,
  amount: number,
  tail: { digests: readonly string[]; conversation: string } | null,
): Promise<void> {
  const counted = db
    .insert(usage)
    .values({ subject, kind, windowStart, count: amount })
    .onConflictDoUpdate({
      target: [usage.subject, usage.kind, usage.windowStart],
      set: { count: sql`${usage.count} + ${amount}` },
    });
  if (tail === null) await counted;
  else {
    const { digests, conversation: conversationId } = tail;
    await db.batch([
      counted,
      db
        .insert(chatTails)
        .values(digests.map((digest) => ({ userId: subject, digest, conversationId })))
        .onConflictDoUpdate({ target: [chatTails.userId, chatTails.digest], set: { conversationId, at: now } }),
    ]);
  }
}

/** Forgets how chats ended that nobody went on with. */
export async function deleteOldChatTails(db: Database, before: number): Promise<void> {
  await db.delete(chatTails).where(lt(chatTails.at, before));
}

/** Every model of these scopes. */
export function modelsOf(db: Database, scopes: readonly string[]): Promise<ModelRow[]> {
  return db.select().from(models).where(inScopes(scopes)).orderBy(asc(models.name));
}

/** Ghosts that name a model for themselves, as far as a list of models shows them. */
export function ghostsWithModel(db: Database, scopes: readonly string[], limit: number) {
  return db
    .select({
      name: ghosts.name,
      scope: ghosts.scope,
      createdAt: ghosts.createdAt,
      model: sql<string>`${GHOSTS_MODEL}`,
    })
    .from(ghosts)
    .where(
      sql`${ghosts.scope} IN (SELECT value FROM json_each(${JSON.stringify(scopes)})) AND ${GHOSTS_MODEL} IS NOT NULL`,
    )
    .orderBy(ghosts.name)
    .limit(limit);
}

const GHOSTS_MODEL = sql`json_extract(${ghosts.spec}, '$.model')`;
