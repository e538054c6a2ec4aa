// Formats packages, versions and routing reports for people.

import type { ClaimedSource } from "../../src/domain/catalog/source";
import type { CliIssue } from "./gateway";
import type { Routing, Verdict } from "./resources";

/** Formats issues under a title. Empty if there are none. */
export function issueLines(title: string, found: readonly CliIssue[]): string[] {
  if (found.length === 0) return [];
  const lines = found.map(({ code, message, path = "SKILL.md", line, severity }) => {
    const weight = severity === undefined ? "" : `  ${severity}`;
    return `  ${path}${line === undefined ? "" : `:${line}`}${weight}  ${code}  ${message}`;
  });
  return ["", title, ...lines];
}

/** Formats whether a script runs, and the deciding reason. */
export function verdictLine({ path, runs, reason = "", line }: Verdict): string {
  return `  ${runs.padEnd(7)}  ${path}${line === undefined ? "" : `:${line}`}  ${reason}`.trimEnd();
}

/** Formats how search ranks a skill for its own example prompts. */
export function routingLines({ prompts, neighbours }: Routing): string[] {
  const lines = prompts.map(({ prompt, rank, rank_without_examples: plain, ahead }) => {
    const behind = ahead.length === 0 ? "" : `  behind ${ahead.join(", ")}`;
    return `    ${placeText(rank)} (${placeText(plain)})  ${oneLineOf(prompt)}${behind}`;
  });
  const met = neighbours.map(({ skill, prompts: count }) => `${skill} (${count})`);
  const beside = met.length === 0 ? [] : [`  ranked higher: ${met.join(", ")}`];
  return ["  rank for its example prompts (and without them in the index):", ...lines, ...beside];
}

export function placeText(rank: number | null): string {
  return rank === null ? "not found" : `#${rank}`;
}

/** A permission as a gateway names it, which can be newer than this program. */
interface PermissionLine {
  permission: string;
  value: string;
}

/** Formats changed permissions above a patch. Tools that read patches ignore such lines. */
export function permissionLines({ added, removed }: Record<"added" | "removed", readonly PermissionLine[]>): string[] {
  const line = (what: string) => (one: PermissionLine) => `# ${what}: ${one.permission} ${oneLineOf(one.value, 300)}`;
  return [...added.map(line("new permission")), ...removed.map(line("removed permission"))];
}

/** Shortens a prompt to one line. */
export function oneLineOf(text: string, most = 80): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}

/** Aligns rows in columns. */
export function columns(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0))) ?? [];
  return rows
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** Formats a source in one line. */
export function originOf({ url, path, ref, commit }: ClaimedSource): string {
  const at = commit?.slice(0, 12) ?? ref;
  return `${url}${path === undefined ? "" : ` ${path}`}${at === undefined ? "" : ` @${at}`}`;
}
