// `check_markdown`: the parts of the house style that a machine can see.

import { type Finding, type Line, linesOf } from "./lines";
import { codeFindings } from "./rules/code";
import { headingFindings } from "./rules/headings";
import { listFindings } from "./rules/lists";
import { spacingFindings } from "./rules/spacing";
import { tableFindings } from "./rules/tables";

type Rule = (lines: readonly Line[]) => Finding[];

const RULES: readonly Rule[] = [headingFindings, listFindings, tableFindings, codeFindings, spacingFindings];
const SHOWN = 50;

export class MarkdownStyleProvider {
  get providerName(): string {
    return "markdown-style";
  }

  get supportedTools(): string[] {
    return ["check_markdown"];
  }

  createTool() {
    return {
      description: "Check a Markdown text against the house style. Answers with what to change, line by line.",
      inputSchema: {
        type: "object",
        properties: { text: { type: "string", description: "The whole Markdown text." } },
        required: ["text"],
        additionalProperties: false,
      },
      async call({ text }: { text?: unknown }) {
        if (typeof text !== "string") throw new TypeError("text must be a string");
        const lines = linesOf(text);
        const findings = RULES.flatMap((rule) => rule(lines)).sort((a, b) => a.line - b.line);
        return { findings: findings.slice(0, SHOWN), more: Math.max(0, findings.length - SHOWN) };
      },
    };
  }
}
