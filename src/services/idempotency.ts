// An Idempotency-Key's promise inside a conversation: the same key and body give the same answer for a day.

import type * as z from "zod";
import { DURATIONS } from "../domain/durations";
import { GatewayError } from "../domain/errors";
import { REQUEST_LIMITS } from "../domain/limits";
import type { ConversationStore } from "../storage/object/conversation";
import type { Context } from "./context";

/**
 * Answers what was answered before under this key, else runs and keeps the answer. One too large to keep is made again, which
 * is safe: turns and calls know their own keys and ids.
 */
export async function runIdempotently<T>(
  context: Context,
  store: ConversationStore,
  once: Idempotency | null,
  schema: () => z.ZodType<T>,
  run: () => Promise<T>,
): Promise<T> {
  if (once === null) return run();
  const now = context.now();
  if (store.exists()) store.dropAnswersBefore(now - DURATIONS.idempotency);
  const known = store.exists() ? store.answer(once.key) : null;
  if (known !== null && known.request !== once.request) throw keyReused();
  if (known !== null && known.answer !== null) return schema().parse(JSON.parse(known.answer));
  const answer = await run();
  const text = JSON.stringify(answer);
  store.keepAnswer(once.key, now, once.request, text.length > REQUEST_LIMITS.storedAnswerBytes ? null : text);
  return answer;
}

/** The refusal for a key that came with another request before. */
export function keyReused(): GatewayError {
  return new GatewayError(
    "conflict",
    "IDEMPOTENCY_KEY_REUSED",
    "This Idempotency-Key was used with another request. Use a new key for a new request.",
  );
}

/** An `Idempotency-Key` and the digest of the request it came with. */
export interface Idempotency {
  key: string;
  request: string;
}
