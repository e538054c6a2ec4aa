// What an MCP client can do without a conversation: look at a principal's catalog. Nothing is kept between calls.

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
import { runBuiltin } from "./builtin";

/** Views by what they depend on and by day, so that a client's calls in a row read the catalog once. */
const seen = new Recent<string, View>(64);

/**
 * The view of a principal's catalog, narrowed by a ghost.
 *
 * @param contents names of skills whose content will be needed: with a view that is read anew it comes along
 */
export async function viewOfCatalog(
  context: Context,
  settings: ConversationSettings,
  contents: readonly string[] | null = null,
): Promise<View> {
  if (context.caller.stale) throw new GatewayError("unavailable", "UNAVAILABLE", "The registry does not answer now.");
  const day = dayOf(context.now());
  const key = JSON.stringify([context.caller.principal.userId, day, viewKey(context, settings)]);
  const known = seen.get(key);
  if (known !== undefined) return known;
  const view = await readView(context, settings, { ...NOTHING_WITH_VIEW, contents });
  if (view.warnings.some((warning) => warning.code === "GHOST_NOT_FOUND"))
    throw new GatewayError("not_found", "GHOST_NOT_FOUND", `There is no ghost '${settings.ghost}'.`);
  seen.set(key, view);
  return view;
}

/**
 * The instructions of the server that a client speaks with. It loads what is preloaded by itself, and so has the text wherever its
 * host shows it.
 *
 * @param asked names that the client's own URL preloads
 */
export async function openingFor(context: Context, view: View, asked: readonly string[]): Promise<string> {
  const names = [...new Set([...view.preload, ...asked])];
  const found = new Set((await findAllInView(context, view, names)).map(({ name }) => name));
  return openingOf(view, {
    present: names.filter((name) => found.has(name)),
    absent: names.filter((name) => !found.has(name)),
  });
}

/** Runs one of `toolsOfCatalog`; `null` when there is none of this name. */
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
  return runBuiltin(place, name, args);
}
