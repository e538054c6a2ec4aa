// What was answered to uploads under an Idempotency-Key, kept for a day. Written in the batch of the effect it stands for.

import { and, eq, gte, lt } from "drizzle-orm";
import type { Database } from "./database";
import { idempotency } from "./schema/registry";

export interface StoredAnswer {
  /** Digest of what was asked. */
  request: string;
  status: number;
  /** The version that the answer shows. */
  subject: string;
}

export interface NewAnswer extends StoredAnswer {
  userId: string;
  key: string;
  /** Answers from before this moment count no longer, and give way. */
  since: number;
}

/** The answer that was given under a key, unless it is older than `since`. */
export async function readAnswer(
  db: Database,
  userId: string,
  key: string,
  since: number,
): Promise<StoredAnswer | null> {
  const [found] = await db
    .select({ request: idempotency.request, status: idempotency.status, subject: idempotency.subject })
    .from(idempotency)
    .where(and(eq(idempotency.userId, userId), eq(idempotency.key, key), gte(idempotency.createdAt, since)));
  return found ?? null;
}

/** Statements that keep an answer. They fail on a constraint when the key has one already: of two at once one wins. */
export function rememberAnswer(db: Database, { since, ...answer }: NewAnswer) {
  const { userId, key } = answer;
  return [
    db
      .delete(idempotency)
      .where(and(eq(idempotency.userId, userId), eq(idempotency.key, key), lt(idempotency.createdAt, since))),
    db.insert(idempotency).values(answer),
  ] as const;
}

/** Keeps an answer to a request that changed nothing. */
export async function keepAnswer(db: Database, answer: NewAnswer): Promise<void> {
  await db.batch(rememberAnswer(db, answer));
}

/** Forgets answers from before a moment. */
export async function dropAnswers(db: Database, before: number): Promise<void> {
  await db.delete(idempotency).where(lt(idempotency.createdAt, before));
}
