// Stores the list of conversations in D1. The content of a conversation is in its Durable Object.

import { and, desc, eq, gte, isNull, lt, or, type SQL, sql } from "drizzle-orm";
import type { ListState } from "../../domain/conversation/list-facts";
import { minimumTokensStatement } from "./catalog";
import type { Database } from "./database";
import { conversations, runFiles } from "./schema/conversations";
import { counting, type Use, used } from "./usage";
import { isGhostThere } from "./views";

export type ConversationRow = typeof conversations.$inferSelect;
/** The facts stored when a conversation is listed. */
export type ListedConversation = Pick<ConversationRow, "userId" | "id" | "ghost" | "createdAt" | "title">;
/** The facts that a conversation reports later. */
export type ConversationFigures = Pick<
  ConversationRow,
  "turns" | "lastTurnAt" | "tokens" | "pastedTokens" | "failures" | "skills"
>;

/** What must exist, in the scopes the user sees, before a conversation can be created. */
export interface Requirements {
  scopes: readonly string[];
  /** A stored ghost, by id or name. */
  ghost: string | null;
  /** Skills that must fit together into this number of tokens. */
  preload: { names: readonly string[]; most: number };
}

/** Result of creating a conversation row. */
export interface CreateConversationResult {
  isGhostThere: boolean;
  /** The lowest possible sum of tokens of the preloaded skills. */
  leastTokens: number;
  /** The number of conversations created today, including this one; 0 if a requirement is not met. */
  count: number;
}

/**
 * Counts a new conversation and adds it to its user's list, in one round trip. Above `most` per day it is counted but not listed. If a
 * requirement is not met, it is neither counted nor listed.
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
        sql`SELECT ${row.userId}, ${row.id}, ${row.ghost}, ${row.createdAt}, ${row.title}, NULL, NULL, NULL, NULL, NULL, NULL WHERE ${used(use)} <= ${most} AND ${met}`,
      )
      .onConflictDoUpdate({
        target: [conversations.userId, conversations.id],
        set: { ghost: row.ghost, title: row.title },
      }),
  ]);
  return { isGhostThere: found?.there === 1, leastTokens: found?.least ?? 0, count: counted?.count ?? 0 };
}

/** Adds a conversation to its user's list, or changes its ghost and title. */
export async function putConversationRow(db: Database, row: ListedConversation): Promise<void> {
  await db
    .insert(conversations)
    .values(row)
    .onConflictDoUpdate({
      target: [conversations.userId, conversations.id],
      set: { ghost: row.ghost, title: row.title },
    });
}

/** Updates the figures of a listed conversation. Does nothing if it is not listed. */
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

/** Deletes a conversation's row and the rows of its files. Returns the keys of the files' objects. */
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

export interface ConversationFilter {
  /** A part of the title, ghost or id. */
  words?: string | undefined;
  ghost?: string | undefined;
  /** The name of a skill that was active. */
  skill?: string | undefined;
  state?: ListState | undefined;
  /** Creation time in milliseconds since the epoch: at or after, and before. */
  since?: number | undefined;
  until?: number | undefined;
}

const STATES: Record<ListState, SQL> = {
  // The condition of the index, as it is written there.
  failed: sql`${conversations.failures} > 0`,
  succeeded: sql`${conversations.failures} = 0`,
  unused: isNull(conversations.turns),
};

/** Returns a user's conversations, newest first, after the cursor `(createdAt, id)`. */
export function listConversationRows(
  db: Database,
  userId: string,
  limit: number,
  after: { createdAt: number; id: string } | null,
  { words, since, until, skill, state, ...filter }: ConversationFilter = {},
): Promise<ConversationRow[]> {
  const { title, ghost, id, createdAt } = conversations;
  const said = sql`lower(coalesce(${title}, '') || ' ' || coalesce(${ghost}, '') || ' ' || ${id})`;
  const named = words === undefined ? undefined : sql`instr(${said}, lower(${words})) > 0`;
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
    .where(
      and(
        eq(conversations.userId, userId),
        older,
        named,
        state === undefined ? undefined : STATES[state],
        // Found as a JSON text, so that a name is not found as a part of another.
        skill === undefined ? undefined : sql`instr(${conversations.skills}, ${JSON.stringify(skill)}) > 0`,
        filter.ghost === undefined ? undefined : eq(ghost, filter.ghost),
        since === undefined ? undefined : gte(createdAt, since),
        until === undefined ? undefined : lt(createdAt, until),
      ),
    )
    .orderBy(desc(conversations.createdAt), desc(conversations.id))
    .limit(limit);
}
