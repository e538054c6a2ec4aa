// What a chat is in this tab: the gateway keeps no words of a chat, so a reload or a new sign-in finds them here.

import type { Drawing } from "../conversation/drawing";
import { fieldsIn, fieldsOf } from "../gateway/refusal";

/** What a chat shows, in its order. */
export type Said =
  | { kind: "user"; text: string }
  | { kind: "assistant"; text: string; loaded: string[]; stopped: boolean }
  | { kind: "figure"; drawing: Drawing };

export interface Kept {
  said: Said[];
  /** What was typed and not sent. */
  draft: string;
  model: string | null;
  /** It was made with this ghost. */
  ghost: string | null;
}

const PREFIX = "skill-gateway-try:";
/** Raise it with every change of what is kept: a tab may be open over an upgrade. */
const SHAPE = 1;

const placeOf = (user: string, conversation: string) => `${PREFIX}${JSON.stringify([user, conversation])}`;

/** Another user of the same tab finds nothing. */
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

/** Where there is no room, the tab goes on without: a reload will not bring the chat back. */
export function remember(user: string, conversation: string, kept: Kept): void {
  try {
    sessionStorage.setItem(placeOf(user, conversation), JSON.stringify({ shape: SHAPE, kept }));
  } catch (error) {
    if (!(error instanceof DOMException) || error.name !== "QuotaExceededError") throw error;
    sessionStorage.removeItem(placeOf(user, conversation));
  }
}
