// The text of SKILL.md becomes its frontmatter as JSON and its body.

import type { Issue } from "../errors";
import type { JsonObject } from "../json";
import { PACKAGE_LIMITS } from "../limits";
import { SKILL_FILE } from "./skill";
import { type FieldPlace, parseMapping, type YamlReading } from "./yaml";
import { quoteColons } from "./yaml-repair";

/** A SKILL.md in its two parts. */
export interface Frontmatter {
  /** Verbatim, unknown keys included. */
  fields: JsonObject;
  /** Line of SKILL.md of every key, indexed by keys joined with dots (`mcpServers.weather.url`). */
  places: ReadonlyMap<string, FieldPlace>;
  /** Trimmed. */
  body: string;
}

/** A read SKILL.md; `frontmatter` is `null` exactly when there are issues. */
export interface FrontmatterReading {
  frontmatter: Frontmatter | null;
  issues: Issue[];
  warnings: Issue[];
}

const BOM = "\ufeff";
const OPENING = /^---[ \t]*\r?\n/;
/** Without the `m` flag, for which U+2028 would begin a line too. */
const CLOSING = /(?:^|\r?\n)---[ \t]*(?:\r?\n|\r?$)/;

/**
 * Splits and parses a SKILL.md: `---` on the first line, the first further `---` line ends it; a BOM and CRLF are
 * tolerated. Issues: `FRONTMATTER_MISSING`, `FRONTMATTER_UNCLOSED`, `FRONTMATTER_TOO_LARGE`, `INSTRUCTIONS_TOO_LARGE`
 * and those of `yaml.ts`. Warnings: `TEXT_BOM`, `TEXT_CRLF`, `FRONTMATTER_REPAIRED`, `INSTRUCTIONS_EMPTY`.
 */
export async function readFrontmatter(source: string): Promise<FrontmatterReading> {
  const text = source.startsWith(BOM) ? source.slice(BOM.length) : source;
  const opening = OPENING.exec(text);
  if (opening === null) {
    return failed("FRONTMATTER_MISSING", `${SKILL_FILE} must begin with a \`---\` line and YAML frontmatter.`);
  }
  const rest = text.slice(opening[0].length);
  const closing = CLOSING.exec(rest);
  if (closing === null) return failed("FRONTMATTER_UNCLOSED", "No `---` line ends the frontmatter.");

  const yaml = rest.slice(0, closing.index);
  const body = rest.slice(closing.index + closing[0].length).trim();
  const sizes = checkSizes(yaml, body);
  // A frontmatter that is too large is not parsed, so that parsing has a bound.
  if (sizes.some(({ code }) => code === "FRONTMATTER_TOO_LARGE"))
    return { frontmatter: null, issues: sizes, warnings: [] };
  const reading = await parseOrRepair(yaml);
  const issues = [...sizes, ...reading.issues];
  const warnings = [...textWarnings(source, body), ...reading.warnings];
  if (reading.value === null || issues.length > 0) return { frontmatter: null, issues, warnings };
  return { frontmatter: { fields: reading.value, places: reading.places, body }, issues, warnings };
}

async function parseOrRepair(yaml: string): Promise<YamlReading> {
  const reading = await parseMapping(yaml, 1);
  if (!reading.issues.some(({ code }) => code === "FRONTMATTER_YAML")) return reading;
  const repair = quoteColons(yaml);
  if (repair.lines.length === 0) return reading;
  const repaired = await parseMapping(repair.text, 1);
  if (repaired.value === null) return reading;
  const message = "The value contains `: ` and was read as if it were in quotes; quote it, other readers refuse it.";
  const warnings = repair.lines.map((line) => ({
    code: "FRONTMATTER_REPAIRED",
    message,
    path: SKILL_FILE,
    line: line + 1,
  }));
  return { ...repaired, warnings: [...warnings, ...repaired.warnings] };
}

function checkSizes(yaml: string, body: string): Issue[] {
  const issues: Issue[] = [];
  if (byteLength(yaml) > PACKAGE_LIMITS.frontmatterBytes) {
    const message = `Frontmatter may have ${PACKAGE_LIMITS.frontmatterBytes} bytes.`;
    issues.push({ code: "FRONTMATTER_TOO_LARGE", message, path: SKILL_FILE, line: 1 });
  }
  if (byteLength(body) > PACKAGE_LIMITS.instructionBytes) {
    const message = `Instructions may have ${PACKAGE_LIMITS.instructionBytes} bytes.`;
    issues.push({ code: "INSTRUCTIONS_TOO_LARGE", message, path: SKILL_FILE });
  }
  return issues;
}

function textWarnings(source: string, body: string): Issue[] {
  const rules: [boolean, string, string][] = [
    [
      source.startsWith(BOM),
      "TEXT_BOM",
      "The file begins with a byte order mark; some readers then miss the frontmatter.",
    ],
    [
      source.includes("\r\n"),
      "TEXT_CRLF",
      "The file has Windows line endings; some readers then miss the frontmatter.",
    ],
    [body === "", "INSTRUCTIONS_EMPTY", "There are no instructions below the frontmatter."],
  ];
  return rules.filter(([applies]) => applies).map(([, code, message]) => ({ code, message, path: SKILL_FILE }));
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}

function failed(code: string, message: string): FrontmatterReading {
  return { frontmatter: null, issues: [{ code, message, path: SKILL_FILE, line: 1 }], warnings: [] };
}
