// A draft: a skill as its author tries it before anybody else has it. It is chosen by a reference of its own, and found by nothing.

import { DRAFT_PREFIX } from "../reference";

/** Whose draft a reference means. */
export interface DraftPlace {
  author: string;
  name: string;
}

/**
 * `draft:<name>` is one's own, `draft:<author>/<name>` another's; the author is always said, so that nobody's draft takes the place of
 * somebody else's. `null` for what is no such reference.
 */
export function parseDraft(reference: string, userId: string): DraftPlace | null {
  if (!reference.startsWith(DRAFT_PREFIX)) return null;
  const text = reference.slice(DRAFT_PREFIX.length);
  // Neither names nor ids of users have a slash.
  const slash = text.lastIndexOf("/");
  const place =
    slash < 0 ? { author: userId, name: text } : { author: text.slice(0, slash), name: text.slice(slash + 1) };
  return place.author === "" || place.name === "" ? null : { ...place, name: place.name.normalize("NFC") };
}

/** How this user chooses a draft. */
export function draftReference({ author, name }: DraftPlace, userId: string): string {
  return `${DRAFT_PREFIX}${author === userId ? "" : `${author}/`}${name}`;
}

/** Whether a skill of a conversation is somebody else's draft. */
export function isOthersDraft(name: string, userId: string): boolean {
  const place = parseDraft(name, userId);
  return place !== null && place.author !== userId;
}
