// Reads one streamed model response and records its token usage.

import type { Merger } from "../../domain/chat/protocol";
import { ChatRefusal } from "../../domain/chat/refusal";
import type { JsonObject } from "../../domain/json";
import type { StreamEvent } from "../../domain/servers/event-stream";
import { modelEvents } from "./events";
import type { ModelError } from "./upstream";

/** The state of a response being read. */
export interface ModelStepSoFar {
  merger: Merger;
  /** The messages with the hidden ones, and the steps of this turn. */
  messages: JsonObject[];
  /** Estimated tokens of steps whose vendor reported no usage. */
  guessed: number;
  /** A step was read to its end and is not counted yet. */
  isHeard: boolean;
}

/** Reads a step and passes on what the caller sees. Errors of the vendor are passed on without the owner's private data. */
export async function readModelStep(
  state: ModelStepSoFar,
  response: Response,
  untold: ModelError,
  write: (text: string) => Promise<void>,
): Promise<void> {
  const { merger, messages } = state;
  let receivedChars = 0;
  try {
    for await (const event of modelEvents(response)) {
      receivedChars += event.data?.length ?? 0;
      const text = pushed(merger, event, untold);
      if (text !== "") await write(text);
    }
    state.isHeard = merger.end !== "broken";
  } finally {
    // The model has read the prompt even if the caller leaves early.
    if (!state.isHeard) state.guessed += guess(messages, receivedChars);
  }
}

/** Ends a step. Estimates its usage if the vendor reported none. */
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
    throw new ChatRefusal(502, "model_garbled", "The model's answer contains invalid JSON. Try again.");
  }
}
