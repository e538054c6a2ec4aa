// What was written and not saved, for a page that is loaded again: in the browser's memory of this tab, which ends with it. Servers are not
// kept, since they may hold credentials.

import { type Draft, draftFrom, EMPTY, fieldsOf } from "./draft";

/** What is kept, and the tag of the ghost that it was made of. */
export interface Kept {
  draft: Draft;
  tag: string | null;
  /** The servers had been changed: they are those of the saved ghost again. */
  lost: boolean;
}

/** `id`: of the ghost; `new` for one that is not there yet. */
const placeOf = (user: string, id: string) => `ghost-draft ${user} ${id}`;

export function keep(user: string, id: string, { draft, tag, lost }: Kept): void {
  const { servers: _, ...rest } = draft;
  try {
    sessionStorage.setItem(placeOf(user, id), JSON.stringify({ draft: rest, tag, lost }));
  } catch {
    // Too long for the browser, or it keeps nothing: then a page that is loaded again begins anew.
  }
}

/** What was kept, with the servers of `saved`. */
export function keptOf(user: string, id: string, saved: Draft): Kept | null {
  try {
    const { draft, tag, lost } = fieldsOf(JSON.parse(sessionStorage.getItem(placeOf(user, id)) ?? "null"));
    const { name, namespace, systemPrompt, skills, preload, model, retention, rest } = fieldsOf(draft);
    if (typeof name !== "string") return null;
    const spec = { ...fieldsOf(rest), systemPrompt, skills, preload_skills: preload, model, retentionTurns: retention };
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
    // Nothing is kept where the browser keeps nothing.
  }
}
