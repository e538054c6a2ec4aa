// What people read of packages, versions and routing reports.

import type { ClaimedSource } from "../../src/domain/catalog/source";
import type { permissionChanges } from "../../src/domain/code/permissions";
import type { CliIssue } from "./gateway";
import type { Routing, Verdict } from "./resources";

/** A list of issues under a title; nothing where there is none. */
export function issueLines(title: string, found: readonly CliIssue[]): string[] {
  if (found.length === 0) return [];
  const lines = found.map(({ code, message, path = "SKILL.md", line, severity }) => {
    const weight = severity === undefined ? "" : `  ${severity}`;
    return `  ${path}${line === undefined ? "" : `:${line}`}${weight}  ${code}  ${message}`;
  });
  return ["", title, ...lines];
}

/** Whether a script runs, and what decides. */
export function verdictLine({ path, runs, reason = "", line }: Verdict): string {
  return `  ${runs.padEnd(7)}  ${path}${line === undefined ? "" : `:${line}`}  ${reason}`.trimEnd();
}

/** How search finds a skill by its own example prompts. */
export function routingLines({ prompts, neighbours }: Routing): string[] {
  const lines = prompts.map(({ prompt, rank, rank_without_examples: plain, ahead }) => {
    const behind = ahead.length === 0 ? "" : `  behind ${ahead.join(", ")}`;
    return `    ${placeText(rank)} (${placeText(plain)})  ${oneLineOf(prompt)}${behind}`;
  });
  const met = neighbours.map(({ skill, prompts: count }) => `${skill} (${count})`);
  const beside = met.length === 0 ? [] : [`  stand before it: ${met.join(", ")}`];
  return ["  found by its example prompts (and if those were not searched):", ...lines, ...beside];
}

export function placeText(rank: number | null): string {
  return rank === null ? "not found" : `#${rank}`;
}

/** What one version may do and another may not, above a patch: tools that read one pass over such lines. */
export function permissionLines({ added, removed }: ReturnType<typeof permissionChanges>): string[] {
  const line = (what: string) => (one: (typeof added)[number]) =>
    `# ${what}: ${one.permission} ${oneLineOf(one.value, 300)}`;
  return [...added.map(line("may now")), ...removed.map(line("may no more"))];
}

/** A prompt on one line. */
export function oneLineOf(text: string, most = 80): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}

/** Columns under each other. */
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

/** A source in a line. */
export function originOf({ url, path, ref, commit }: ClaimedSource): string {
  const at = commit?.slice(0, 12) ?? ref;
  return `${url}${path === undefined ? "" : ` ${path}`}${at === undefined ? "" : ` @${at}`}`;
}
