// Describes skills' tools as text: if the tool list is fixed, or a tool differs from what its skill's instructions say.

import type { Policy } from "../../domain/conversation/event";
import type { Offered, OfferedTool } from "../../domain/conversation/offered";
import { escapeSkillTags } from "../../domain/tags";
import { oneLine } from "../../domain/tokens";

/**
 * Returns the text after the result of load_skill; empty if the tool list says everything. Names and reasons come from authors or servers,
 * so they are kept on one line and escaped.
 */
export function offeredText({ tools, servers }: Offered, skills: readonly string[], mode: Policy["tool_mode"]): string {
  const mine = tools.filter(({ skill }) => skill !== null && skills.includes(skill.name));
  const notes = mine.flatMap(({ name, own, problem }) => {
    if (problem !== null) return [`Its tool '${own}' is not available: ${problem}.`];
    return name === own ? [] : [`Its tool '${own}' is called '${name}' here.`];
  });
  for (const { ref, state, error } of servers) {
    if (ref.skill === null || !skills.includes(ref.skill.name) || state === "connected") continue;
    const why = state === "connecting" ? "still connecting" : `not available: ${error ?? "it failed"}`;
    notes.push(`Its MCP server '${ref.name}' is ${why}.`);
  }
  return (
    notes.map((note) => escapeSkillTags(` ${oneLine(note)}`)).join("") +
    (mode === "fixed" ? explainTools(mine, skills) : "")
  );
}

/** Returns tool definitions as text, for models that call them with call_skill_tool. Escaping keeps them valid JSON. */
export function explainTools(tools: readonly OfferedTool[], skills: readonly string[]): string {
  const mine = tools
    .filter(({ skill }) => skill !== null && skills.includes(skill.name))
    .flatMap(({ definition }) => definition ?? []);
  if (mine.length === 0) return "";
  const lines = mine.map(({ name, description, inputSchema }) => JSON.stringify({ name, description, inputSchema }));
  return escapeSkillTags(`\n\n### Tools\n\nCall these with call_skill_tool(name, arguments):\n\n${lines.join("\n")}`);
}
