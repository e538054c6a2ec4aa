// What an MCP host is offered: it takes no prompt, so its tools say which skills there are.

import { listed } from "../catalog/catalog";
import { renderList } from "../catalog/list";
import type { View } from "../catalog/view";
import { isJsonObject, type JsonObject } from "../json";
import { builtinTools, SCRIPT } from "./builtin";
import { renderTool } from "./formats";
import { withoutHeaders } from "./headers";

const RELOAD = {
  type: "boolean",
  description: "Repeat the instructions of a skill that is loaded already, when they are no longer in your context.",
} as const;

/** A conversation's tools in MCP's form, as a host needs them: `load_skill` lists the skills and can repeat itself. */
export function toolsForClient(tools: readonly JsonObject[], view: View): JsonObject[] {
  const list = listOf(view);
  const told = tools.map((tool): JsonObject => {
    const schema = withoutHeaders(objectIn(tool.inputSchema));
    if (tool.name !== "load_skill") return hinted({ ...tool, inputSchema: schema });
    const inputSchema = { ...schema, properties: { ...objectIn(schema.properties), reload: RELOAD } };
    return hinted({ ...tool, description: `${tool.description}\n\n${list}`, inputSchema });
  });
  if (told.length === 0 || told.some((tool) => tool.name === SCRIPT.name)) return told;
  return [...told, hinted(renderTool(SCRIPT, "mcp"))];
}

/** The tools of a catalog without a conversation: looking, reading, running scripts. Nothing stays loaded. */
export function toolsOfCatalog(view: View): JsonObject[] {
  const { shown, more } = listed(view.catalog, view.preload);
  const offer = { style: "load_skill", mode: "dynamic", shown, more, scripts: true } as const;
  return builtinTools(offer)
    .filter((tool) => tool.name !== "unload_skill")
    .map((tool) => (tool.name === "load_skill" ? { ...tool, description: `${LOAD}\n\n${listOf(view)}` } : tool))
    .map((tool) => hinted(renderTool(tool, "mcp")));
}

/** Level 1 as a server's instructions, after the ghost's own words. */
export function instructionsOf(view: View): string {
  return [view.system_prompt, view.catalog.total === 0 ? "" : listOf(view)].filter((part) => part !== "").join("\n\n");
}

/** What a host may tell its user of the gateway's own tools. Those that only look need no leave of theirs. */
const LOOKS = { readOnlyHint: true, openWorldHint: false } as const;
const HINTS: ReadonlyMap<JsonObject[string] | undefined, JsonObject> = new Map<string, JsonObject>([
  ["load_skill", { title: "Load a skill", ...LOOKS }],
  ["skill", { title: "Load a skill", ...LOOKS }],
  ["unload_skill", { title: "Unload a skill", ...LOOKS }],
  ["read_skill", { title: "Read a skill", ...LOOKS }],
  ["find_skill", { title: "Find skills", ...LOOKS }],
  // A sandbox without network: it can change nothing that is there.
  ["execute_skill_script", { title: "Run a skill's script", destructiveHint: false, openWorldHint: false }],
]);

function hinted(tool: JsonObject): JsonObject {
  const annotations = HINTS.get(tool.name);
  return annotations === undefined ? tool : { ...tool, annotations };
}

const LOAD =
  "Get a skill's full instructions when the task at hand matches its description in the list of available skills. " +
  "Load it before you start the task, and follow what the answer says.";

function listOf(view: View): string {
  const { shown, more } = listed(view.catalog, view.preload);
  return renderList(shown, more);
}

function objectIn(value: JsonObject[string] | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
