// Hearing a step of the model, and counting what it took.

import type { Merger } from "../../domain/chat/protocol";
import { ChatRefusal } from "../../domain/chat/refusal";
import type { JsonObject } from "../../domain/json";
import type { StreamEvent } from "../../domain/servers/event-stream";
import { modelEvents } from "./events";
import type { ModelError } from "./upstream";

/** What was heard so far. */
export interface ModelStepSoFar {
  merger: Merger;
  /** The messages with what is hidden, and the steps of this turn. */
  messages: JsonObject[];
  /** Tokens of steps whose vendor has not said them, by their size. */
  guessed: number;
  /** A step was heard to its end, and is not counted yet. */
  isHeard: boolean;
}

/** Reads a step, and passes on what the caller is to see of it. What the vendor says went wrong passes without what is untold. */
export async function readModelStep(
  state: ModelStepSoFar,
  response: Response,
  untold: ModelError,
  write: (text: string) => Promise<void>,
): Promise<void> {
  const { merger, messages } = state;
  let heard = 0;
  try {
    for await (const event of modelEvents(response)) {
      heard += event.data?.length ?? 0;
      const text = pushed(merger, event, untold);
      if (text !== "") await write(text);
    }
    state.isHeard = merger.end !== "broken";
  } finally {
    // Who breaks off what a model says has made it read all the same.
    if (!state.isHeard) state.guessed += guess(messages, heard);
  }
}

/** Ends a step. Where its vendor does not say what it took, that is guessed. */
export function counted(state: ModelStepSoFar, end: () => string): string {
  const { merger, messages } = state;
  const before = merger.tokens.all;
  state.isHeard = false;
  const text = end();
  if (merger.tokens.all === before) state.guessed += guess(messages, JSON.stringify(merger.message).length);
  return text;
}

const guess = (messages: readonly JsonObject[], said: number) =>
  Math.ceil((JSON.stringify(messages).length + said) / 4);

function pushed(merger: Merger, event: StreamEvent, untold: ModelError): string {
  try {
    return merger.push(event);
  } catch (error) {
    if (error instanceof ChatRefusal && error.body !== null) {
      const { status, code, message, body } = error;
      throw new ChatRefusal(status, code, message, { body: untold.json(body) });
    }
    if (!(error instanceof SyntaxError)) throw error;
    throw new ChatRefusal(502, "model_garbled", "The model's answer cannot be read: a part of it is no JSON.");
  }
}
