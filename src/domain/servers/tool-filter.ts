// Which tools of a server an entry offers: by name, or by patterns in which `*` stands for any text.

import type { ServerEntry } from "./entry";

type Chosen = Pick<ServerEntry, "allow" | "deny">;

/** Whether an entry offers a tool. */
export function isAllowed({ allow, deny }: Chosen, tool: string): boolean {
  return (
    (allow === undefined || allow.some((name) => matches(name, tool))) && !deny?.some((name) => matches(name, tool))
  );
}

/** What an entry allows or denies and its server does not have, in words: it does nothing. */
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
 * Whether a text has these pieces in their order, and begins and ends with the outer ones. Each is looked for where the one before it
 * ended, and never again before: a pattern of nothing but `*a` takes no longer than the text times its pieces.
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
