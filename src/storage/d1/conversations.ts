// The list of conversations in D1. What a conversation holds is in its object.

import { and, desc, eq, lt, or, sql } from "drizzle-orm";
import { minimumTokensStatement } from "./catalog";
import type { Database } from "./database";
import { conversations } from "./schema/conversations";
import { runFiles } from "./schema/run-files";
import { counting, type Use, used } from "./usage";
import { isGhostThere } from "./views";

export type ConversationRow = typeof conversations.$inferSelect;
/** What is known of a conversation when it is listed. */
export type ListedConversation = Pick<ConversationRow, "userId" | "id" | "ghost" | "createdAt" | "title">;
/** What a conversation tells of itself later. */
export type ConversationFigures = Pick<ConversationRow, "turns" | "lastTurnAt" | "tokens">;

/** What must be there for a conversation to be made, in the scopes that its user sees. */
export interface Requirements {
  scopes: readonly string[];
  /** A stored ghost, by id or name. */
  ghost: string | null;
  /** Skills that fit together into so many tokens. */
  preload: { names: readonly string[]; most: number };
}

/** What became of it. */
export interface CreateConversationResult {
  isGhostThere: boolean;
  /** The fewest tokens that what is preloaded can have. */
  leastTokens: number;
  /** How many that makes in the day; 0 where something is not met. */
  count: number;
}

/**
 * Counts a conversation that is to be made and puts it into its user's list, in one trip. Beyond `most` in the day it is counted
 * and not listed; where a requirement is not met, neither.
 */
export async function createConversationRow(
  db: Database,
  row: ListedConversation,
  day: number,
  most: number,
  { scopes, ghost, preload }: Requirements,
): Promise<CreateConversationResult> {
  const use: Use = { subject: row.userId, kind: "conversations", windowStart: day };
  const there = ghost === null ? sql<number>`true` : isGhostThere(scopes, ghost);
  const least =
    preload.names.length === 0 ? sql<number>`0` : sql<number>`(${minimumTokensStatement(db, scopes, preload.names)})`;
  const met = sql`${there} AND ${least} <= ${preload.most}`;
  const [[found], [counted]] = await db.batch([
    db.select({ there: there.as("ghost_there"), least: least.as("least_tokens") }).from(sql`(SELECT 1) AS asked`),
    counting(db, use, met),
    db
      .insert(conversations)
      .select(
        sql`SELECT ${row.userId}, ${row.id}, ${row.ghost}, ${row.createdAt}, ${row.title}, NULL, NULL, NULL WHERE ${used(use)} <= ${most} AND ${met}`,
      )
      .onConflictDoUpdate({
        target: [conversations.userId, conversations.id],
        set: { ghost: row.ghost, title: row.title },
      }),
  ]);
  return { isGhostThere: found?.there === 1, leastTokens: found?.least ?? 0, count: counted?.count ?? 0 };
}

/** Puts a conversation into its user's list, or changes its ghost and title there. */
export async function putConversationRow(db: Database, row: ListedConversation): Promise<void> {
  await db
    .insert(conversations)
    .values(row)
    .onConflictDoUpdate({
      target: [conversations.userId, conversations.id],
      set: { ghost: row.ghost, title: row.title },
    });
}

/** Notes in its user's list what a conversation tells of itself. One that is not listed is not noted. */
export async function updateConversationFigures(
  db: Database,
  { userId, id }: Pick<ConversationRow, "userId" | "id">,
  figures: ConversationFigures,
): Promise<void> {
  await db
    .update(conversations)
    .set(figures)
    .where(and(eq(conversations.userId, userId), eq(conversations.id, id)));
}

/** Takes a conversation off the list, with the rows of the files that it kept. Returns the objects of these. */
export async function deleteConversationRow(db: Database, userId: string, id: string): Promise<string[]> {
  const [, files] = await db.batch([
    db.delete(conversations).where(and(eq(conversations.userId, userId), eq(conversations.id, id))),
    db
      .delete(runFiles)
      .where(and(eq(runFiles.userId, userId), eq(runFiles.conversation, id)))
      .returning({ object: runFiles.object }),
  ]);
  return files.map(({ object }) => object);
}

/** A user's conversations, newest first, after the cursor's `(createdAt, id)`; with words, those whose title, ghost or id has them. */
export function listConversationRows(
  db: Database,
  userId: string,
  limit: number,
  after: { createdAt: number; id: string } | null,
  words: string | null = null,
): Promise<ConversationRow[]> {
  const { title, ghost, id } = conversations;
  const said = sql`lower(coalesce(${title}, '') || ' ' || coalesce(${ghost}, '') || ' ' || ${id})`;
  const named = words === null ? undefined : sql`instr(${said}, lower(${words})) > 0`;
  const older =
    after === null
      ? undefined
      : or(
          lt(conversations.createdAt, after.createdAt),
          and(eq(conversations.createdAt, after.createdAt), lt(conversations.id, after.id)),
        );
  return db
    .select()
    .from(conversations)
    .where(and(eq(conversations.userId, userId), older, named))
    .orderBy(desc(conversations.createdAt), desc(conversations.id))
    .limit(limit);
}
