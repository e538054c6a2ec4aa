import type { Finding, Line } from "../lines";

export function codeFindings(lines: readonly Line[]): Finding[] {
  const findings: Finding[] = [];
  const find = (line: Line, message: string) => findings.push({ line: line.number, rule: "code", message });
  let opened: Line | null = null;
  for (const line of lines) {
    if (line.kind === "fence") {
      if (opened === null && /^\s*(`+|~+)\s*$/.test(line.text)) find(line, "A fence names its language.");
      opened = opened === null ? line : null;
    } else if (line.kind === "code" && /^\s*[$%>]\s+\S/.test(line.text) && /sh|bash|console/.test(opened?.text ?? "")) {
      find(line, "No prompt sign before a command.");
    }
  }
  if (opened !== null) find(opened, "This fence is never closed.");
  return findings;
}
