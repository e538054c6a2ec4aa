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
  return [`\`allow\` or \`deny\` names what it does not have: ${shown.join(", ")}${more}`];
}

/**
 * Whether a name is this one, or fits a pattern. Each part is looked for where the one before it ended, and never again before: a
 * pattern of nothing but `*a` takes no longer than the name times its parts.
 */
function matches(pattern: string, name: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop();
  if (last === undefined) return pattern === name;
  if (!name.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return name.length - at >= last.length && name.endsWith(last);
}
