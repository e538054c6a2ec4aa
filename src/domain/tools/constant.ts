// The gateway's tools if their list never changes: no enum of names, and short texts, because every request contains them.

import type { JsonSchema, ToolDefinition } from "../tool";
import type { BuiltinName } from "./builtin";
import { describeServers } from "./definitions";

/** All except `skill`, whose description changes, and `find_tool`. In the offered order. */
const CONSTANT: Record<Exclude<BuiltinName, "skill" | "find_tool">, Omit<ToolDefinition, "name">> = {
  load_skill: tool("Get a skill's instructions, before a task that it is for.", ["skill_name"], {
    reload: { type: "boolean" },
  }),
  read_skill: tool("Read a skill's file, or its list of files.", ["skill_name"], {
    file_path: { type: "string" },
    offset: { type: "integer" },
  }),
  find_skill: tool("Search skills beyond the list.", ["query"]),
  unload_skill: tool("Let go of a skill.", ["skill_name"]),
  call_skill_tool: tool("Call a tool that load_skill described.", ["name"], {
    arguments: { type: "object" },
  }),
  execute_skill_script: tool("Run a skill's script.", ["skill_name", "script_path"], {
    args: { type: "array", items: { type: "string" } },
    input: { type: "string" },
    files: { type: "array", items: { type: "object" } },
  }),
};

/** Description of `call_skill_tool` if tools are searched. */
const FOUND_TOO = "Call a tool that find_tool or load_skill described.";

/** Returns the constant tools of a conversation under `auto`. */
export function constantTools(): ToolDefinition[] {
  return Object.entries(CONSTANT).map(([name, rest]) => ({ name, ...rest }));
}

/**
 * Returns the constant tools if tools of servers are searched.
 *
 * @param hasSkills whether there are also skills
 */
export function constantFindingTools(servers: readonly string[], hasSkills: boolean): ToolDefinition[] {
  const find = tool(`Search the tools of MCP servers, which are not listed. ${describeServers(servers)}`, ["query"]);
  const call = { name: "call_skill_tool", ...CONSTANT.call_skill_tool, description: FOUND_TOO };
  const others = hasSkills ? constantTools().filter(({ name }) => name !== call.name) : [];
  return [...others, { name: "find_tool", ...find }, call];
}

function tool(
  description: string,
  required: string[],
  others: Record<string, JsonSchema> = {},
): Omit<ToolDefinition, "name"> {
  const properties = { ...Object.fromEntries(required.map((argument) => [argument, { type: "string" }])), ...others };
  return { description, inputSchema: { type: "object", properties, required } };
}
