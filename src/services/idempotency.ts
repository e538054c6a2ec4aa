// Implements Idempotency-Key inside a conversation: the same key and body return the same response for one day.

import type * as z from "zod";
import { DURATIONS } from "../domain/durations";
import { GatewayError } from "../domain/errors";
import { REQUEST_LIMITS } from "../domain/limits";
import type { ConversationStore } from "../storage/object/conversation";
import type { Context } from "./context";

/**
 * Returns the response stored under this key, or runs and stores it. A response too large to store is computed again, which is safe because
 * turns and calls have keys of their own.
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

/** The error for a key that was used with another request. */
export function keyReused(): GatewayError {
  return new GatewayError(
    "conflict",
    "IDEMPOTENCY_KEY_REUSED",
    "The Idempotency-Key was already used with another request. Use a new key.",
  );
}

/** An `Idempotency-Key` and the digest of its request. */
export interface Idempotency {
  key: string;
  request: string;
}
