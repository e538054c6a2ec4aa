// Stores responses to uploads with an Idempotency-Key for one day, in the batch of the change.

import { and, eq, gte, lt, sql } from "drizzle-orm";
import type { Database } from "./database";
import { idempotency } from "./schema/registry";
import { counting, type Use } from "./usage";

export interface StoredReply {
  /** Digest of the request. */
  request: string;
  status: number;
  /** The version that the response shows. */
  subject: string;
}

export interface NewReply extends StoredReply {
  userId: string;
  key: string;
  /** Responses from before this time are expired and are replaced. */
  since: number;
}

/** Returns the response stored under a key, unless it is older than `since`. */
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

/** Like `readReply`. If there is none, counts the request in the same round trip and returns the count. */
export async function readReplyOrCount(
  db: Database,
  { userId, key, since }: Pick<NewReply, "userId" | "key" | "since">,
  use: Use,
): Promise<{ reply: StoredReply | null; count: number }> {
  const known = replyRow(db, userId, key, since);
  const [[reply = null], [counted]] = await db.batch([known, counting(db, use, sql`NOT EXISTS ${known}`)]);
  return { reply, count: counted?.count ?? 0 };
}

/** Statements that store a response. They fail with a constraint error if the key has one, so one of two concurrent requests wins. */
export function rememberReply(db: Database, { since, ...answer }: NewReply) {
  const { userId, key } = answer;
  return [
    db
      .delete(idempotency)
      .where(and(eq(idempotency.userId, userId), eq(idempotency.key, key), lt(idempotency.createdAt, since))),
    db.insert(idempotency).values(answer),
  ] as const;
}

/** Stores the response to a request that changed nothing. */
export async function keepReply(db: Database, answer: NewReply): Promise<void> {
  await db.batch(rememberReply(db, answer));
}

/** Deletes responses from before a time. */
export async function dropReplies(db: Database, before: number): Promise<void> {
  await db.delete(idempotency).where(lt(idempotency.createdAt, before));
}
