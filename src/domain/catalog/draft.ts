// References to drafts. A draft is selected by its own kind of reference and never found otherwise.

import { DRAFT_PREFIX } from "../reference";

/** The author and name that a reference refers to. */
export interface DraftPlace {
  author: string;
  name: string;
}

/**
 * Parses `draft:<name>` (own) or `draft:<author>/<name>`. The author is explicit, so that no draft can replace another author's. Returns
 * `null` for other references.
 */
export function parseDraft(reference: string, userId: string): DraftPlace | null {
  if (!reference.startsWith(DRAFT_PREFIX)) return null;
  const text = reference.slice(DRAFT_PREFIX.length);
  // Names and user ids contain no slash.
  const slash = text.lastIndexOf("/");
  const place =
    slash < 0 ? { author: userId, name: text } : { author: text.slice(0, slash), name: text.slice(slash + 1) };
  return place.author === "" || place.name === "" ? null : { ...place, name: place.name.normalize("NFC") };
}

/** Returns the reference with which this user selects a draft. */
export function draftReference({ author, name }: DraftPlace, userId: string): string {
  return `${DRAFT_PREFIX}${author === userId ? "" : `${author}/`}${name}`;
}

/** Whether a skill of a conversation is another user's draft. */
export function isOthersDraft(name: string, userId: string): boolean {
  const place = parseDraft(name, userId);
  return place !== null && place.author !== userId;
}
