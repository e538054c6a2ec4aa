// Filters the tools of a server by name, or by patterns in which `*` stands for any text.

import type { ServerEntry } from "./entry";

type Chosen = Pick<ServerEntry, "allow" | "deny">;

/** Whether an entry offers a tool. */
export function isAllowed({ allow, deny }: Chosen, tool: string): boolean {
  return (
    (allow === undefined || allow.some((name) => matches(name, tool))) && !deny?.some((name) => matches(name, tool))
  );
}

/** Returns texts about allowed or denied names that the server does not have and that have no effect. */
export function idleNames({ allow = [], deny = [] }: Chosen, tools: readonly string[]): string[] {
  const idle = [...new Set([...allow, ...deny])].filter((name) => !tools.some((tool) => matches(name, tool)));
  if (idle.length === 0) return [];
  const shown = idle.slice(0, 10).map((name) => `'${name}'`);
  const more = idle.length > shown.length ? ` and ${idle.length - shown.length} more` : "";
  return [`\`allow\` or \`deny\` names tools that it does not have: ${shown.join(", ")}${more}`];
}

function matches(pattern: string, name: string): boolean {
  return hasPieces(pattern.split("*"), name);
}

/**
 * Whether a text contains these parts in order, and begins and ends with the first and last one. Each part is searched once after the
 * previous one, so the time is bounded by the text length times the number of parts.
 */
export function hasPieces([first = "", ...rest]: readonly string[], name: string): boolean {
  const last = rest.pop();
  if (last === undefined) return first === name;
  if (!name.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return name.length - at >= last.length && name.endsWith(last);
}
