// Serves MCP clients without a conversation: they read a principal's catalog, and nothing is stored between calls.

import { dayOf } from "../../domain/access/quota";
import type { View } from "../../domain/catalog/view";
import { TEXTS } from "../../domain/conversation/prompt";
import type { ConversationSettings } from "../../domain/conversation/settings";
import { GatewayError } from "../../domain/errors";
import type { JsonObject } from "../../domain/json";
import { Recent } from "../../domain/recent";
import { failed, type ToolResult } from "../../domain/tool";
import { isBuiltin } from "../../domain/tools/builtin";
import { toolsOfCatalog } from "../../domain/tools/client-offer";
import { openingOf } from "../../domain/tools/client-opening";
import { findAllInView } from "../catalog/catalog";
import { NOTHING_WITH_VIEW, readView, viewKey } from "../catalog/read-view";
import type { Context } from "../context";

/** Caches views by key and day, so that consecutive calls of a client read the catalog once. */
const seen = new Recent<string, View>(64);

/**
 * Returns the view of a principal's catalog, restricted by a ghost.
 *
 * @param contents names of skills whose contents are needed; a new view reads them in the same round trip
 */
export async function viewOfCatalog(
  context: Context,
  settings: ConversationSettings,
  contents: readonly string[] | null = null,
): Promise<View> {
  if (context.caller.stale)
    throw new GatewayError("unavailable", "UNAVAILABLE", "The registry does not respond. Try again in a moment.");
  const day = dayOf(context.now());
  const key = JSON.stringify([context.caller.principal.userId, day, viewKey(context, settings)]);
  const known = seen.get(key);
  if (known !== undefined) return known;
  const view = await readView(context, settings, { ...NOTHING_WITH_VIEW, contents });
  if (view.warnings.some((warning) => warning.code === "GHOST_NOT_FOUND"))
    throw new GatewayError(
      "not_found",
      "GHOST_NOT_FOUND",
      `Agent (ghost) '${settings.ghost}' not found. Check the name.`,
    );
  seen.set(key, view);
  return view;
}

/**
 * Returns the server instructions for a client. Preloaded skills are loaded by the client itself, so their text appears where its host
 * shows it.
 *
 * @param asked names that the client's URL preloads
 */
export async function openingFor(context: Context, view: View, asked: readonly string[]): Promise<string> {
  const names = [...new Set([...view.preload, ...asked])];
  const found = new Set((await findAllInView(context, view, names)).map(({ name }) => name));
  return openingOf(view, {
    present: names.filter((name) => found.has(name)),
    absent: names.filter((name) => !found.has(name)),
  });
}

/** Runs a tool of `toolsOfCatalog`. Returns `null` if there is none with this name. */
export async function callInCatalog(
  context: Context,
  view: View,
  name: string,
  args: JsonObject,
  signal: AbortSignal,
): Promise<ToolResult | null> {
  if (!isBuiltin(name)) return null;
  if (!toolsOfCatalog(view).some((tool) => tool.name === name))
    return context.settings.SKILLS_ENABLED ? null : failed(TEXTS.disabled);
  const made = { callId: context.newId("call"), request: "", host: null, signal };
  const place = { context, session: null, view, ...made, forClient: true };
  // Loaded lazily: connecting and listing need no tool.
  const { runBuiltin } = await import("./builtin");
  return runBuiltin(place, name, args);
}
