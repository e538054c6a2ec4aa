// What was answered to uploads under an Idempotency-Key, kept for a day. Written in the batch of the effect it stands for.

import { and, eq, gte, lt, sql } from "drizzle-orm";
import type { Database } from "./database";
import { idempotency } from "./schema/registry";
import { counting, type Use } from "./usage";

export interface StoredReply {
  /** Digest of what was asked. */
  request: string;
  status: number;
  /** The version that the answer shows. */
  subject: string;
}

export interface NewReply extends StoredReply {
  userId: string;
  key: string;
  /** Answers from before this moment count no longer, and give way. */
  since: number;
}

/** The answer that was given under a key, unless it is older than `since`. */
export async function readReply(db: Database, userId: string, key: string, since: number): Promise<StoredReply | null> {
  const [found] = await replyRow(db, userId, key, since);
  return found ?? null;
}

function replyRow(db: Database, userId: string, key: string, since: number) {
  return db
    .select({ request: idempotency.request, status: idempotency.status, subject: idempotency.subject })
    .from(idempotency)
    .where(and(eq(idempotency.userId, userId), eq(idempotency.key, key), gte(idempotency.createdAt, since)));
}

/** The same; where there is none, what is asked is counted in the same trip, and the count told. */
export async function readReplyOrCount(
  db: Database,
  { userId, key, since }: Pick<NewReply, "userId" | "key" | "since">,
  use: Use,
): Promise<{ reply: StoredReply | null; count: number }> {
  const known = replyRow(db, userId, key, since);
  const [[reply = null], [counted]] = await db.batch([known, counting(db, use, sql`NOT EXISTS ${known}`)]);
  return { reply, count: counted?.count ?? 0 };
}

/** Statements that keep an answer. They fail on a constraint when the key has one already: of two at once one wins. */
export function rememberReply(db: Database, { since, ...answer }: NewReply) {
  const { userId, key } = answer;
  return [
    db
      .delete(idempotency)
      .where(and(eq(idempotency.userId, userId), eq(idempotency.key, key), lt(idempotency.createdAt, since))),
    db.insert(idempotency).values(answer),
  ] as const;
}

/** Keeps an answer to a request that changed nothing. */
export async function keepReply(db: Database, answer: NewReply): Promise<void> {
  await db.batch(rememberReply(db, answer));
}

/** Forgets answers from before a moment. */
export async function dropReplies(db: Database, before: number): Promise<void> {
  await db.delete(idempotency).where(lt(idempotency.createdAt, before));
}
