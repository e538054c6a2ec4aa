// Stores the models of the chat endpoint in D1, and reads a user's token use of the day.

import { and, asc, eq, gt, inArray, lt, sql } from "drizzle-orm";
import type { JsonObject } from "../../../domain/json";
import type { Database } from "../database";
import { addServices, type ServiceCalls } from "../insights/add";
import { usage } from "../schema/access";
import { chatTails, models } from "../schema/chat";
import { ghosts, now } from "../schema/registry";
import { type Use, used } from "../usage";

export type ModelRow = typeof models.$inferSelect;
export type NewModel = Pick<ModelRow, "scope" | "name" | "createdBy"> & { entry: JsonObject };

/** Stores a whole entry under its scope and name. Returns `null` if the scope is full. */
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

/** Returns models of a scope by name, after the cursor. */
export function listModels(db: Database, scope: string, limit: number, after: string | null): Promise<ModelRow[]> {
  return db
    .select()
    .from(models)
    .where(and(eq(models.scope, scope), after === null ? undefined : gt(models.name, after)))
    .orderBy(asc(models.name))
    .limit(limit);
}

/** Returns `false` if the model does not exist. */
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

/**
 * Returns, in one round trip: every model of this name in these scopes, the used amount of a quota, and the first conversation that matches
 * one of these digests.
 */
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

/**
 * Records the usage of a request, the calls of its model, and the conversation that these digests identify from now on. `null`: the
 * conversation has an explicit id.
 */
export async function settleChat(
  db: Database,
  { subject, kind, windowStart }: Use,
  amount: number,
  tail: { digests: readonly string[]; conversation: string } | null,
  called: ServiceCalls,
): Promise<void> {
  const counted = db
    .insert(usage)
    .values({ subject, kind, windowStart, count: amount })
    .onConflictDoUpdate({
      target: [usage.subject, usage.kind, usage.windowStart],
      set: { count: sql`${usage.count} + ${amount}` },
    });
  const model = addServices(db, "model", [called]);
  if (tail === null) await db.batch([counted, model]);
  else {
    const { digests, conversation: conversationId } = tail;
    await db.batch([
      counted,
      model,
      db
        .insert(chatTails)
        .values(digests.map((digest) => ({ userId: subject, digest, conversationId })))
        .onConflictDoUpdate({ target: [chatTails.userId, chatTails.digest], set: { conversationId, at: now } }),
    ]);
  }
}

/** Deletes digests of chats that were not continued. */
export async function deleteOldChatTails(db: Database, before: number): Promise<void> {
  await db.delete(chatTails).where(lt(chatTails.at, before));
}

/** Returns every model of these scopes. */
export function modelsOf(db: Database, scopes: readonly string[]): Promise<ModelRow[]> {
  return db.select().from(models).where(inScopes(scopes)).orderBy(asc(models.name));
}

/** Returns ghosts that name their own model, with the columns a model list shows. */
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
