// Selects the tools that a scenario of the suite expects to be called: the suite's own list, if it sends one.

const ARGUMENTS = { add_numbers: { a: 5, b: 3 }, valid_tool: { region: "eu" }, lookup_user: { id: "ada" } };

/** @param {{ name: string, inputSchema: object }[]} tools @returns {{ name: string, arguments: object }[]} */
export function callsOf(tools) {
  const given = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? "{}").toolCalls;
  if (given !== undefined) return given.filter(({ name }) => tools.some((tool) => tool.name === name));
  return tools.map(({ name }) => ({ name, arguments: ARGUMENTS[name] ?? echoed(name, tools) }));
}

/** This scenario expects a schema to be returned as it was offered. */
function echoed(name, tools) {
  if (name !== "json_schema_echo") return {};
  return { schema: tools.find((tool) => tool.name === "json_schema_2020_12_tool")?.inputSchema };
}
