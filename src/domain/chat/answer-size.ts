// Limits the memory for one answer while it is collected. The vendor can be any server, and all users share the isolate.

import { isJsonObject, type JsonValue } from "../json";
import { CHAT_LIMITS } from "./limits";
import { ChatRefusal } from "./refusal";

/**
 * Cost of a value in addition to its characters: a fixed amount per value, and a larger one per object in a list, because lists are
 * searched for each piece.
 */
const PLACE = 24;
const ENTRY = 4_096;

/** Counts the stored data of one answer, over all its steps. */
export class AnswerLoad {
  #room: number = CHAT_LIMITS.answerChars;

  /** Adds the data stored for an event. Throws `ChatRefusal` if the limit is exceeded. */
  take(...values: readonly (JsonValue | undefined)[]): void {
    for (const value of values) this.#room -= weightOf(value);
    if (this.#room < 0)
      throw new ChatRefusal(
        502,
        "model_too_large",
        "The model's answer is too large to collect. Request a stream, or ask for less.",
      );
  }

  /** Adds an entry to a list that is searched for each piece. */
  takeEntry(): void {
    this.#room -= ENTRY;
    this.take();
  }
}

function weightOf(value: JsonValue | undefined): number {
  if (typeof value === "string") return PLACE + value.length;
  if (Array.isArray(value))
    return value.reduce<number>((sum, one) => sum + (isJsonObject(one) ? ENTRY : 0) + weightOf(one), PLACE);
  if (!isJsonObject(value)) return PLACE;
  return Object.entries(value).reduce((sum, [key, one]) => sum + key.length + weightOf(one), PLACE);
}
