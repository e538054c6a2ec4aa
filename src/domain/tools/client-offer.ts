// What an MCP client is offered: it takes no prompt, so its tools say which skills there are.

import { hasListed, listed } from "../catalog/catalog";
import { renderList } from "../catalog/list";
import type { View } from "../catalog/view";
import { isJsonObject, type JsonObject } from "../json";
import { BUILTIN, builtinOf, builtinTools } from "./builtin";
import { renderTool } from "./formats";
import { withoutHeaders } from "./headers";

/** A conversation's tools in MCP's form, as a client needs them: `load_skill` lists the skills and can repeat itself. */
export function toolsForClient(tools: readonly JsonObject[], view: View): JsonObject[] {
  const list = listOf(view);
  const told = tools.map((tool): JsonObject => {
    const schema = withoutHeaders(objectIn(tool.inputSchema));
    const { forClient } = rowOf(tool) ?? {};
    if (forClient === undefined) return hinted({ ...tool, inputSchema: schema });
    const inputSchema = { ...schema, properties: { ...objectIn(schema.properties), ...forClient.properties } };
    return hinted({ ...tool, description: `${tool.description}\n\n${list}`, inputSchema });
  });
  const script = BUILTIN.execute_skill_script.define();
  if (told.length === 0 || told.some((tool) => tool.name === script.name)) return told;
  return [...told, hinted(renderTool(script, "mcp"))];
}

/** The tools of a catalog without a conversation: looking, reading, running scripts. Nothing stays loaded. */
export function toolsOfCatalog(view: View): JsonObject[] {
  const { shown, more } = listed(view.catalog, view.preload);
  const offer = { style: "load_skill", mode: "dynamic", shown, more, scripts: true } as const;
  const tools = builtinTools(offer).filter(({ name }) => builtinOf(name)?.needsConversation === false);
  return tools.map((tool) => {
    const { forClient } = builtinOf(tool.name) ?? {};
    const told =
      forClient === undefined ? tool : { ...tool, description: `${forClient.description}\n\n${listOf(view)}` };
    return hinted(renderTool(told, "mcp"));
  });
}

/** Level 1 as a server's instructions, after the ghost's own words. */
export function instructionsOf(view: View): string {
  const list = listed(view.catalog, view.preload);
  return [view.system_prompt, hasListed(list) ? renderList(list.shown, list.more) : ""]
    .filter((part) => part !== "")
    .join("\n\n");
}

function rowOf({ name }: JsonObject) {
  return typeof name === "string" ? builtinOf(name) : null;
}

function hinted(tool: JsonObject): JsonObject {
  const annotations = rowOf(tool)?.hints ?? null;
  return annotations === null ? tool : { ...tool, annotations };
}

function listOf(view: View): string {
  const { shown, more } = listed(view.catalog, view.preload);
  return renderList(shown, more);
}

function objectIn(value: JsonObject[string] | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
