// Checks preloaded skills before a conversation resolves them.

import type { GhostSpec } from "../../domain/catalog/ghost";
import type { Issue } from "../../domain/errors";
import { minimumTokens } from "../../storage/d1/catalog";
import type { Context } from "../context";

/**
 * Returns issues for skills that can never be active together, whatever their versions.
 *
 * @param scopes the scopes that the spec's skills come from
 */
export async function preloadIssues(
  context: Context,
  { preload_skills = [] }: GhostSpec,
  scopes: readonly string[],
): Promise<Issue[]> {
  if (preload_skills.length === 0) return [];
  return tokenWarnings(await minimumTokens(context.db, scopes, preload_skills), context.settings.SKILL_TOKENS_MAX);
}

/** Warnings for skills with at least this many tokens together. */
export function tokenWarnings(least: number, ceiling: number): Issue[] {
  if (least <= ceiling) return [];
  const message = `Preloaded skills too large (limit ${ceiling} tokens, these have at least ${least}). Preload fewer; the model can load the others.`;
  return [{ code: "OVER_CEILING", message, path: "spec.preload_skills" }];
}
