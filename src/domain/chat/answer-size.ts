// What an answer takes while it is put together. A vendor is anybody's server, and the isolate is everybody's.

import { isJsonObject, type JsonValue } from "../json";
import { CHAT_LIMITS } from "./limits";
import { ChatRefusal } from "./refusal";

/** What a value costs beside its characters: its place, and that of an object in a list, which is gone through at each piece. */
const PLACE = 24;
const ENTRY = 4_096;

/** Counts what is kept of one answer, all its steps together. */
export class AnswerLoad {
  #room: number = CHAT_LIMITS.answerChars;

  /** Notes what is kept of an event. Throws `ChatRefusal` where it is too much. */
  take(...values: readonly (JsonValue | undefined)[]): void {
    for (const value of values) this.#room -= weightOf(value);
    if (this.#room < 0)
      throw new ChatRefusal(
        502,
        "model_too_large",
        "The model's answer is too large to collect. Request a stream, or ask for less.",
      );
  }

  /** Notes an entry of something that is gone through at each piece. */
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
