// What an MCP host is offered: it takes no prompt, so its tools say which skills there are.

import { builtinTools, SCRIPT } from "../domain/builtin";
import { listed } from "../domain/catalog";
import { renderList } from "../domain/prompt";
import { renderTool } from "../domain/protocol";
import type { JsonObject } from "../domain/skill";
import type { View } from "../domain/view";

const RELOAD = {
  type: "boolean",
  description: "Repeat the instructions of a skill that is loaded already, when they are no longer in your context.",
} as const;

/** A conversation's tools in MCP's form, as a host needs them: `load_skill` lists the skills and can repeat itself. */
export function toolsForHost(tools: readonly JsonObject[], view: View): JsonObject[] {
  const list = listOf(view);
  const told = tools.map((tool): JsonObject => {
    if (tool.name !== "load_skill") return tool;
    const schema = objectIn(tool.inputSchema);
    const inputSchema = { ...schema, properties: { ...objectIn(schema.properties), reload: RELOAD } };
    return { ...tool, description: `${tool.description}\n\n${list}`, inputSchema };
  });
  if (told.length === 0 || told.some((tool) => tool.name === SCRIPT.name)) return told;
  return [...told, renderTool(SCRIPT, "mcp")];
}

/** The tools of a catalog without a conversation: looking, reading, running scripts. Nothing stays loaded. */
export function toolsOfCatalog(view: View): JsonObject[] {
  const { shown, more } = listed(view.catalog, view.preload);
  const offer = { style: "load_skill", mode: "dynamic", shown, more, scripts: true } as const;
  return builtinTools(offer)
    .filter((tool) => tool.name !== "unload_skill")
    .map((tool) =>
      renderTool(tool.name === "load_skill" ? { ...tool, description: `${LOAD}\n\n${listOf(view)}` } : tool, "mcp"),
    );
}

/** Level 1 as a server's instructions, after the ghost's own words. */
export function instructionsOf(view: View): string {
  return [view.system_prompt, view.catalog.total === 0 ? "" : listOf(view)].filter((part) => part !== "").join("\n\n");
}

const LOAD =
  "Get a skill's full instructions when the task at hand matches its description in the list of available skills. " +
  "Load it before you start the task, and follow what the answer says.";

function listOf(view: View): string {
  const { shown, more } = listed(view.catalog, view.preload);
  return renderList(shown, more);
}

function objectIn(value: JsonObject[string] | undefined): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}
