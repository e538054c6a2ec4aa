// Stores a chat in this tab. The gateway does not store the messages of a chat, so a reload or a new sign-in reads them from here.

import type { Drawing } from "../conversation/drawing";
import { fieldsIn, fieldsOf } from "../gateway/refusal";

/** The entries of a chat in their order. */
export type Said =
  | { kind: "user"; text: string }
  | { kind: "assistant"; text: string; loaded: string[]; stopped: boolean }
  | { kind: "figure"; drawing: Drawing };

export interface Kept {
  said: Said[];
  /** The text that was typed and not sent. */
  draft: string;
  model: string | null;
  /** The ghost that the chat was created with. */
  ghost: string | null;
}

const PREFIX = "skill-gateway-try:";
/** Increase this number with every change of the stored format: a tab can be open during an upgrade. */
const SHAPE = 1;

const placeOf = (user: string, conversation: string) => `${PREFIX}${JSON.stringify([user, conversation])}`;

/** Returns the stored chat of this user. Chats of other users in the same tab are not returned. */
export function recall(user: string, conversation: string): Kept | null {
  const { shape, kept } = fieldsOf(sessionStorage.getItem(placeOf(user, conversation)) ?? "");
  if (shape !== SHAPE) return null;
  const { said, draft, model, ghost } = fieldsIn(kept);
  const text = (value: unknown) => (typeof value === "string" ? value : null);
  return {
    said: (Array.isArray(said) ? said : []).flatMap(readSaid),
    draft: text(draft) ?? "",
    model: text(model),
    ghost: text(ghost),
  };
}

function readSaid(value: unknown): Said[] {
  const { kind, text, loaded, stopped, drawing } = fieldsIn(value);
  if (kind === "user" && typeof text === "string") return [{ kind, text }];
  if (kind === "assistant" && typeof text === "string")
    return [
      {
        ...{ kind, text, stopped: stopped === true },
        loaded: Array.isArray(loaded) ? loaded.filter((name) => typeof name === "string") : [],
      },
    ];
  const { title, code, svg, width, height } = fieldsIn(drawing);
  if (kind !== "figure" || typeof title !== "string" || typeof code !== "string" || typeof svg !== "string") return [];
  if (typeof width !== "number" || typeof height !== "number") return [];
  return [{ kind, drawing: { title, code, svg, width, height } }];
}

/** If the storage is full, the chat continues, but a reload does not restore it. */
export function remember(user: string, conversation: string, kept: Kept): void {
  try {
    sessionStorage.setItem(placeOf(user, conversation), JSON.stringify({ shape: SHAPE, kept }));
  } catch (error) {
    if (!(error instanceof DOMException) || error.name !== "QuotaExceededError") throw error;
    sessionStorage.removeItem(placeOf(user, conversation));
  }
}
