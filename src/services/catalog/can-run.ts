// Decides whose code runs. Everything that starts an isolate asks here.

import { canExecute, canExecuteFor } from "../../domain/access/access";
import type { View } from "../../domain/catalog/view";
import type { Context } from "../context";
import { scopeInView } from "./catalog";

/** Why a skill's code does not run; `null` if it does. */
export type CodeBar = "not_allowed" | "not_visible" | "no_loader" | "stale" | null;

export const CODE_BARS: Readonly<Record<NonNullable<CodeBar>, string>> = {
  not_allowed: "the setting CODE_SCOPES does not allow its code to run",
  not_visible: "the skill is no longer available",
  no_loader: "the gateway has no Worker Loader, so skills cannot run code",
  stale: "the registry does not respond, so code is not run",
};

/** Returns the advice for a call of code that does not run: to try again, if that can help. */
export function adviceFor(bar: NonNullable<CodeBar>, otherwise: string): string {
  return bar === "stale" ? "Try again in a moment." : otherwise;
}

/** Checks a skill in the caller's current view. */
export async function codeBarOf(
  context: Context,
  view: View,
  skill: { name: string; skill_id: string },
): Promise<CodeBar> {
  if (context.caller.stale) return "stale";
  const scope = await scopeInView(context, view, skill);
  if (scope === null) return "not_visible";
  if (!canExecuteFor(context.caller.principal, scope, context.settings.CODE_SCOPES)) return "not_allowed";
  return context.loader === undefined ? "no_loader" : null;
}

/** Whether code published to this scope is compiled. */
export function canRunCodeInScope({ settings }: Pick<Context, "settings">, scope: string): boolean {
  return canExecute(scope, settings.CODE_SCOPES);
}

/** Whether scripts of skills of this scope can use the executor. */
export function canUseExecutor({ settings }: Pick<Context, "settings">, scope: string): boolean {
  return canExecute(scope, settings.EXECUTOR_SCOPES);
}
