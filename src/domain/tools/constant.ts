// The gateway's tools where their list never changes: no enum of names, nothing that comes and goes, and few words, since every
// request of every conversation carries them.

import type { JsonSchema, ToolDefinition } from "../tool";

/** The tools of a conversation under `auto`, always the same. */
export function constantTools(): ToolDefinition[] {
  return [
    tool(
      "load_skill",
      "Get a skill's instructions. Call it before a task that a listed skill is for.",
      ["skill_name"],
      {
        reload: { type: "boolean" },
      },
    ),
    tool("read_skill", "Read a skill's file; without file_path, its list of files.", ["skill_name"], {
      file_path: { type: "string" },
      offset: { type: "integer" },
      limit: { type: "integer" },
    }),
    tool("find_skill", "Search for skills that the list does not show.", ["query"]),
    tool("unload_skill", "Say that a skill is no longer needed.", ["skill_name"]),
    tool("call_skill_tool", "Call a tool that load_skill's answer describes.", ["name"], {
      arguments: { type: "object" },
    }),
    tool("execute_skill_script", "Run a script that a skill's instructions name.", ["skill_name", "script_path"], {
      args: { type: "array", items: { type: "string" } },
      input: { type: "string" },
    }),
  ];
}

function tool(
  name: string,
  description: string,
  required: string[],
  others: Record<string, JsonSchema> = {},
): ToolDefinition {
  const properties = { ...Object.fromEntries(required.map((argument) => [argument, { type: "string" }])), ...others };
  return { name, description, inputSchema: { type: "object", properties, required } };
}
