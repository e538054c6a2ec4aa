// Tools for MCP clients. Their descriptions list the skills, because clients have no prompt of the gateway.

import { listed } from "../catalog/catalog";
import { renderList } from "../catalog/list";
import type { View } from "../catalog/view";
import { isJsonObject, type JsonObject } from "../json";
import { BUILTIN, builtinOf, builtinTools } from "./builtin";
import { isOpeningCut } from "./client-opening";
import { renderTool } from "./formats";
import { withoutHeaders } from "./headers";

/** Loading and unloading change what is offered. They destroy nothing and are idempotent. */
const CHANGES = { readOnlyHint: false, destructiveHint: false, idempotentHint: true } as const;

/** Returns a conversation's tools in MCP format for a client: `load_skill` lists the skills. */
export function toolsForClient(tools: readonly JsonObject[], view: View): JsonObject[] {
  if (tools.length === 0) return [];
  return completed(tools, view).map((tool) => {
    const { hints, effect } = rowOf(tool) ?? {};
    const annotations = hints && effect === "loads" ? { ...hints, ...CHANGES } : hints;
    return hinted(
      { ...describedTool(tool, view), inputSchema: withoutHeaders(objectIn(tool.inputSchema)) },
      annotations,
    );
  });
}

/** Returns the tools of a catalog without a conversation: search, read, run scripts. Nothing stays loaded. */
export function toolsOfCatalog(view: View): JsonObject[] {
  const { shown, more } = listed(view.catalog, view.preload);
  const offer = { style: "load_skill", mode: "dynamic", shown, more, scripts: true, finds: null } as const;
  const tools = builtinTools(offer).filter(({ name }) => builtinOf(name)?.needsConversation === false);
  if (tools.length === 0) return [];
  const rendered = tools.map((tool) => renderTool(tool, "mcp"));
  return completed(rendered, view).map((tool) => hinted(describedTool(tool, view), rowOf(tool)?.hints));
}

/** Adds the tools that every client has. The gateway's own come first, in the table's order. */
function completed(tools: readonly JsonObject[], view: View): JsonObject[] {
  const always = [BUILTIN.execute_skill_script.define(), ...(isOpeningCut(view) ? [BUILTIN.find_skill.define()] : [])];
  const lacking = always.filter(({ name }) => !tools.some((tool) => tool.name === name));
  const all = [...tools, ...lacking.map((tool) => renderTool(tool, "mcp"))];
  return all.toSorted((a, b) => placeOf(a) - placeOf(b));
}

const ORDER = Object.keys(BUILTIN);

function placeOf({ name }: JsonObject): number {
  const place = typeof name === "string" ? ORDER.indexOf(name) : -1;
  return place === -1 ? ORDER.length : place;
}

function describedTool(tool: JsonObject, view: View): JsonObject {
  const { forClient } = rowOf(tool) ?? {};
  if (forClient === undefined) return tool;
  const { shown, more } = listed(view.catalog, view.preload);
  return {
    ...tool,
    description: [forClient.description, ...(forClient.lists ? [renderList(shown, more)] : [])].join("\n\n"),
  };
}

function rowOf({ name }: JsonObject) {
  return typeof name === "string" ? builtinOf(name) : null;
}

function hinted(tool: JsonObject, annotations: JsonObject | null | undefined): JsonObject {
  return annotations == null ? tool : { ...tool, annotations };
}

function objectIn(value: JsonObject[string] | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
