// The conversation's view of the registry, kept beside its events and renewed when something it depends on has changed.

import { activeSkills } from "../domain/activation";
import type { ConversationSettings } from "../domain/conversation";
import type { Issue } from "../domain/errors";
import type { ConversationEvent } from "../domain/event";
import type { View } from "../domain/view";
import { isVisible, readView, viewKey } from "./catalog";
import type { Context } from "./context";
import { exclusively, record, type Session } from "./session";

const STALE: Issue = {
  code: "catalog_stale",
  message: "The registry did not answer; this is the conversation's own copy of the catalog.",
};

/** The view for these settings: the stored one while nothing changed, else read again and stored. */
export async function viewFor(context: Context, session: Session, settings: ConversationSettings): Promise<View> {
  const known = session.view;
  if (context.caller.stale && known !== null) return { ...known, warnings: [...known.warnings, STALE] };
  if (known !== null && known.key === viewKey(context, settings)) return known;
  const view = await readView(context, settings);
  session.store.set("catalog", view);
  session.view = view;
  return view;
}

/**
 * The view of the current turn. Where it changed, active skills that are no longer in it leave at once, with a warning: loss of
 * visibility does not wait for the next turn.
 */
export async function currentView(context: Context, session: Session): Promise<{ view: View; warnings: Issue[] }> {
  const before = session.view;
  const view = await viewFor(context, session, session.effective);
  if (view === before || view.key === before?.key) return { view, warnings: view.warnings };
  const gone = await exclusively(session, async () => {
    const found: ConversationEvent[] = [];
    for (const { skill } of activeSkills(session.state)) {
      if (await isVisible(context, view, skill)) continue;
      found.push({ type: "unloaded", turn: session.state.turn, name: skill.name, reason: "unavailable" });
    }
    if (found.length > 0) record(session, context, found);
    return found;
  });
  return { view, warnings: [...view.warnings, ...gone.map(goneWarning)] };
}

/** The warning for an activation that its catalog no longer has. */
export function goneWarning(event: ConversationEvent): Issue {
  const name = "name" in event ? event.name : "";
  return { code: "SKILL_UNLOADED", message: `Skill '${name}' is no longer available and was unloaded.`, path: name };
}
