// The skills that a conversation may use, as a page lists them for its user to choose from.

import { nearestFirst } from "../../../domain/catalog/catalog";
import { byCodePoint } from "../../../domain/catalog/precedence";
import type { ServerFrame } from "../../../domain/questions/frame";
import { SHOWN_LIMITS } from "../../../domain/questions/limits";
import type { Session } from "../../session";

/** As of the last step or ticket; `null` while nothing was read yet. Also those that only a user may choose. */
export function listFrame({ view }: Session): Extract<ServerFrame, { type: "skill:list" }> | null {
  if (view === null) return null;
  const { entries, total } = view.catalog;
  const shown = nearestFirst(entries).slice(0, SHOWN_LIMITS.skills);
  const skills = shown
    .toSorted((a, b) => byCodePoint(a.name, b.name))
    .map(({ name, description, version, tokens, user_only }) => ({
      skill: name,
      description,
      version,
      tokens,
      user_only,
    }));
  return { type: "skill:list", skills, total: Math.max(total, skills.length) };
}
