// Whose code runs: the one place that asks. Everything that could lead to an isolate comes through here.

import { canExecute } from "../../domain/access/access";
import type { View } from "../../domain/catalog/view";
import { wantedSkills } from "../../storage/d1/catalog";
import type { Context } from "../context";
import { findInView, scopesOf } from "./catalog";

/** Why a skill's code does not run; `null` when it does. */
export type Bar = "not_public" | "not_visible" | "no_loader" | "stale" | null;

export const BARS: Readonly<Record<NonNullable<Bar>, string>> = {
  not_public: "only public skills run code here, and it is not public",
  not_visible: "the skill is no longer available",
  no_loader: "this gateway has no Worker Loader, so no skill runs code here",
  stale: "the registry does not answer, so no code is run; try again in a moment",
};

/** Scopes as a view found them, so that a turn asks for each skill once. */
const known = new WeakMap<View, Map<string, string | null>>();

/** Judges a skill as it is now: by the caller's view, which is as new as the caller's counters. */
export async function barOf(context: Context, view: View, skill: { name: string; skill_id: string }): Promise<Bar> {
  if (context.caller.stale) return "stale";
  const scope = await scopeOf(context, view, skill);
  if (scope === null) return "not_visible";
  if (!canExecute(scope)) return "not_public";
  return context.loader === undefined ? "no_loader" : null;
}

/** Whether a package's code is to be made ready when it is published to this scope. */
export function runsCode(scope: string): boolean {
  return canExecute(scope);
}

async function scopeOf(
  context: Context,
  view: View,
  skill: { name: string; skill_id: string },
): Promise<string | null> {
  const scopes = known.get(view) ?? new Map<string, string | null>();
  known.set(view, scopes);
  const before = scopes.get(skill.skill_id);
  if (before !== undefined) return before;
  const scope = await readScope(context, view, skill);
  scopes.set(skill.skill_id, scope);
  return scope;
}

async function readScope(
  context: Context,
  view: View,
  skill: { name: string; skill_id: string },
): Promise<string | null> {
  const entry = await findInView(context, view, skill.name);
  if (entry === null) return null;
  if (entry.skill_id === skill.skill_id) return entry.scope;
  // Another one of the same name comes first now; this one may still be there behind it.
  const visible = scopesOf(context, view.selection);
  const rows = await wantedSkills(context.db, visible, view.shell, [{ ...skill, any_version: true }]);
  return rows.find((row) => row.skill_id === skill.skill_id)?.scope ?? null;
}
