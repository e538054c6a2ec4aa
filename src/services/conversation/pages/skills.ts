// Lists the skills that a conversation can use, for a page where the user selects some.

import { nearestFirst } from "../../../domain/catalog/catalog";
import { byCodePoint } from "../../../domain/catalog/precedence";
import type { ServerFrame } from "../../../domain/questions/frame";
import { SHOWN_LIMITS } from "../../../domain/questions/limits";
import type { Session } from "../../session";

/** Returns the list as of the last step or ticket, including skills that only users can select; `null` if nothing was read yet. */
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
