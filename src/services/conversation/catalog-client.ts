// What an MCP host can do without a conversation: look at a principal's catalog. Nothing is kept between calls.

import { resolveDependencies } from "../../domain/catalog/dependencies";
import type { View } from "../../domain/catalog/view";
import { overCeiling } from "../../domain/conversation/budget";
import { renderLoaded, TEXTS } from "../../domain/conversation/prompt";
import type { ConversationSettings } from "../../domain/conversation/settings";
import { GatewayError } from "../../domain/errors";
import type { JsonObject } from "../../domain/json";
import { failed, type ToolResult, text } from "../../domain/tool";
import { BUILTIN_ARGUMENTS } from "../../domain/tools/builtin";
import { toolsOfCatalog } from "../../domain/tools/client-offer";
import { findInView, readView, viewKey } from "../catalog/catalog";
import { contentsOf } from "../catalog/instructions";
import type { Context } from "../context";
import { executeScript } from "../tools/call";
import { runFindSkill, runReadSkill } from "./read";

/** Views by what they depend on, so that a host's calls in a row read the catalog once. */
const seen = new Map<string, View>();
const SEEN = 64;

/** The view of a principal's catalog, narrowed by a ghost. */
export async function viewOfCatalog(context: Context, settings: ConversationSettings): Promise<View> {
  if (context.caller.stale) throw new GatewayError("unavailable", "UNAVAILABLE", "The registry does not answer now.");
  const key = JSON.stringify([context.caller.principal.userId, viewKey(context, settings)]);
  const known = seen.get(key);
  if (known !== undefined) return known;
  const view = await readView(context, settings);
  if (view.warnings.some((warning) => warning.code === "GHOST_NOT_FOUND"))
    throw new GatewayError("not_found", "GHOST_NOT_FOUND", `There is no ghost '${settings.ghost}'.`);
  seen.set(key, view);
  const oldest = seen.keys().next().value;
  if (seen.size > SEEN && oldest !== undefined) seen.delete(oldest);
  return view;
}

/** Runs one of `toolsOfCatalog`; `null` when there is none of this name. */
export async function callInCatalog(
  context: Context,
  view: View,
  name: string,
  args: JsonObject,
  signal: AbortSignal,
): Promise<ToolResult | null> {
  if (!toolsOfCatalog(view).some((tool) => tool.name === name)) {
    const isKnown = Object.hasOwn(BUILTIN_ARGUMENTS, name);
    return isKnown && !context.settings.SKILLS_ENABLED ? failed(TEXTS.disabled) : null;
  }
  switch (name) {
    case "load_skill": {
      const parsed = BUILTIN_ARGUMENTS.load_skill.safeParse(args);
      return parsed.success ? loadText(context, view, parsed.data.skill_name) : badArguments(name, parsed.error);
    }
    case "read_skill": {
      const parsed = BUILTIN_ARGUMENTS.read_skill.safeParse(args);
      if (!parsed.success) return badArguments(name, parsed.error);
      const { skill_name, file_path, ...page } = parsed.data;
      return runReadSkill(context, null, view, skill_name, file_path ?? null, page);
    }
    case "find_skill": {
      const parsed = BUILTIN_ARGUMENTS.find_skill.safeParse(args);
      return parsed.success ? runFindSkill(context, view, parsed.data.query) : badArguments(name, parsed.error);
    }
    case "execute_skill_script": {
      const parsed = BUILTIN_ARGUMENTS.execute_skill_script.safeParse(args);
      if (!parsed.success) return badArguments(name, parsed.error);
      const { args: list, input, ...asked } = parsed.data;
      const place = { context, session: null, view, callId: context.newId("call"), signal };
      return executeScript(place, { ...asked, args: list ?? [], input: input ?? "" });
    }
    default:
      return null;
  }
}

async function loadText(context: Context, view: View, name: string): Promise<ToolResult> {
  const entry = await findInView(context, view, name);
  if (entry === null) {
    const names = view.catalog.entries.map((known) => known.name);
    return failed(TEXTS.notAvailable(name, names));
  }
  if (entry.tokens === 0 && !entry.has_capabilities) return failed(TEXTS.noContent(name));
  const resolved = await resolveDependencies(entry, (needed, ranges) => findInView(context, view, needed, ranges));
  if ("problem" in resolved) return failed(`Error: ${resolved.problem}`);
  const ceiling = context.settings.SKILL_TOKENS_MAX;
  if (overCeiling(resolved.entries, ceiling))
    return failed(
      `Error: Skill '${name}' and what it needs have more than ${ceiling} tokens of instructions together.`,
    );
  const contents = await contentsOf(
    context,
    resolved.entries.map((skill) => skill.version_id),
  );
  const bodies = resolved.entries
    .map((skill) => ({ name: skill.name, instructions: contents.get(skill.version_id)?.instructions ?? "" }))
    .filter((skill) => skill.instructions.trim() !== "");
  const tools = resolved.entries.some((skill) => skill.has_capabilities)
    ? " Its tools, if it has any, need a conversation: connect to /mcp/{conversation_id} instead of /mcp."
    : "";
  const block = bodies.length === 0 ? "" : `\n\n${renderLoaded(bodies, [])}`;
  return text(`${TEXTS.loaded(name, "tool_result")}${tools}${block}`);
}

function badArguments(name: string, error: { issues: { path: PropertyKey[]; message: string }[] }): ToolResult {
  const problems = error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`).join("; ");
  return failed(`Error: The arguments of '${name}' are not valid: ${problems}`);
}
