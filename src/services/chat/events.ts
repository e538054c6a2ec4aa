// Reads a model's streamed response.

import { CHAT_LIMITS } from "../../domain/chat/limits";
import { ChatRefusal } from "../../domain/chat/refusal";
import { EventSplitter, type StreamEvent } from "../../domain/servers/event-stream";
import { modelFault } from "./upstream";

/** Yields the events of a streamed response. Fails if the model sends nothing for too long. */
export async function* modelEvents({ body }: Response): AsyncGenerator<StreamEvent> {
  if (body === null) return;
  const splitter = new EventSplitter();
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (;;) {
      const { done, value } = await within(reader.read());
      yield* splitter.push(done ? "\n\n" : value);
      if (splitter.size > CHAT_LIMITS.eventChars)
        throw new ChatRefusal(
          502,
          "model_too_large",
          `The model's answer contains an event that is too large (limit ${CHAT_LIMITS.eventChars} characters). Ask for less.`,
        );
      if (done) return;
    }
  } catch (error) {
    throw modelFault(error) ?? error;
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

async function within<T>(value: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const late = () =>
    reject(
      new ChatRefusal(
        504,
        "model_silent",
        `The model provider timed out after ${CHAT_LIMITS.idleMs / 1_000} s without data. Try again.`,
      ),
    );
  const timer = setTimeout(late, CHAT_LIMITS.idleMs);
  try {
    return await Promise.race([value, promise]);
  } finally {
    clearTimeout(timer);
  }
}
