// Which tools a scenario of the suite wants called, given those that are offered: the suite's own list where it sends one.

const ARGUMENTS = { add_numbers: { a: 5, b: 3 }, valid_tool: { region: "eu" }, lookup_user: { id: "ada" } };

/** @param {{ name: string, inputSchema: object }[]} tools @returns {{ name: string, arguments: object }[]} */
export function callsOf(tools) {
  const given = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? "{}").toolCalls;
  if (given !== undefined) return given.filter(({ name }) => tools.some((tool) => tool.name === name));
  return tools.map(({ name }) => ({ name, arguments: ARGUMENTS[name] ?? echoed(name, tools) }));
}

/** The scenario that looks at schemas wants one sent back as it was offered. */
function echoed(name, tools) {
  if (name !== "json_schema_echo") return {};
  return { schema: tools.find((tool) => tool.name === "json_schema_2020_12_tool")?.inputSchema };
}
