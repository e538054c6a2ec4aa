// Stores unsaved edits in the session storage of this tab, for a reload of the page. Servers are not stored, because they can contain
// credentials.

import { type Draft, draftFrom, EMPTY, fieldsOf } from "./draft";

/** The stored draft, and the tag of the ghost it was created from. */
export interface Kept {
  draft: Draft;
  tag: string | null;
  /** The draft had unsaved servers, which were not stored. It contains the servers of the saved ghost. */
  lost: boolean;
}

/** `id` is the id of the ghost, or `new`. */
const placeOf = (user: string, id: string) => `ghost-draft ${user} ${id}`;

export function keep(user: string, id: string, { draft, tag, lost }: Kept): void {
  const { servers: _, ...rest } = draft;
  try {
    sessionStorage.setItem(placeOf(user, id), JSON.stringify({ draft: rest, tag, lost }));
  } catch {
    // The draft is too long for the storage, or the storage is disabled. A reload then starts from the saved ghost.
  }
}

/** Returns the stored draft with the servers of `saved`. */
export function keptOf(user: string, id: string, saved: Draft): Kept | null {
  try {
    const { draft, tag, lost } = fieldsOf(JSON.parse(sessionStorage.getItem(placeOf(user, id)) ?? "null"));
    const { name, namespace, systemPrompt, skills, preload, model, retention, predict, rest } = fieldsOf(draft);
    if (typeof name !== "string") return null;
    const turns = { retentionTurns: retention, predict: predict === "" ? undefined : predict };
    const spec = { ...fieldsOf(rest), systemPrompt, skills, preload_skills: preload, model, ...turns };
    const read = { ...EMPTY, ...draftFrom({ metadata: { name, namespace }, spec }), servers: saved.servers };
    return { draft: read, tag: typeof tag === "string" ? tag : null, lost: lost === true };
  } catch {
    return null;
  }
}

export function drop(user: string, id: string): void {
  try {
    sessionStorage.removeItem(placeOf(user, id));
  } catch {
    // Without storage there is nothing to delete.
  }
}
