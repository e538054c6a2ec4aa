// The gateway's tools where their list never changes: no enum of names, nothing that comes and goes, and few words, since every
// request of every conversation carries them.

import type { JsonSchema, ToolDefinition } from "../tool";

/** The tools of a conversation under `auto`, always the same. */
export function constantTools(): ToolDefinition[] {
  return [
    tool("load_skill", "Get a skill's instructions, before a task that it is for.", ["skill_name"], {
      reload: { type: "boolean" },
    }),
    tool("read_skill", "Read a skill's file, or its list of files.", ["skill_name"], {
      file_path: { type: "string" },
      offset: { type: "integer" },
    }),
    tool("find_skill", "Search skills beyond the list.", ["query"]),
    tool("unload_skill", "Let go of a skill.", ["skill_name"]),
    tool("call_skill_tool", "Call a tool that load_skill described.", ["name"], {
      arguments: { type: "object" },
    }),
    tool("execute_skill_script", "Run a skill's script.", ["skill_name", "script_path"], {
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
