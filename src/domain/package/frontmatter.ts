// Splits the text of SKILL.md into its frontmatter, as JSON, and its body.

import type { Issue } from "../errors";
import type { JsonObject } from "../json";
import { PACKAGE_LIMITS } from "../limits";
import { SKILL_FILE } from "./skill";
import { type FieldPlace, parseMapping, type YamlReading } from "./yaml";

/** A parsed SKILL.md. */
export interface Frontmatter {
  /** Verbatim, with unknown keys. */
  fields: JsonObject;
  /** The line in SKILL.md of every key, indexed by keys joined with dots (`mcpServers.weather.url`). */
  places: ReadonlyMap<string, FieldPlace>;
  /** Trimmed. */
  body: string;
}

/** The result of reading a SKILL.md. `frontmatter` is `null` if and only if there are issues. */
export interface FrontmatterReading {
  frontmatter: Frontmatter | null;
  issues: Issue[];
  warnings: Issue[];
}

const BOM = "\ufeff";
const OPENING = /^---[ \t]*\r?\n/;
const BLANK_LINE = /^[ \t]*\r?\n/;
/** No `m` flag: with it, U+2028 would also start a line. */
const CLOSING = /(?:^|\r?\n)---[ \t]*(?:\r?\n|\r?$)/;

/**
 * Splits and parses a SKILL.md. The frontmatter starts with `---` on the first line and ends at the next `---` line. A BOM, CRLF, and blank
 * lines and comments before the first line are accepted. Issues: `FRONTMATTER_MISSING`, `FRONTMATTER_UNCLOSED`, `FRONTMATTER_TOO_LARGE`,
 * `INSTRUCTIONS_TOO_LARGE` and those of `yaml.ts`. Warnings: `TEXT_BOM`, `TEXT_CRLF`, `FRONTMATTER_NOT_FIRST`, `FRONTMATTER_REPAIRED`,
 * `INSTRUCTIONS_EMPTY`.
 */
export async function readFrontmatter(source: string): Promise<FrontmatterReading> {
  const whole = source.startsWith(BOM) ? source.slice(BOM.length) : source;
  const before = beforeFrontmatter(whole);
  const text = whole.slice(before.length);
  const opening = OPENING.exec(text);
  if (opening === null) {
    return failed(
      "FRONTMATTER_MISSING",
      `Frontmatter missing. ${SKILL_FILE} must start with a \`---\` line and YAML frontmatter.`,
    );
  }
  const linesBefore = before.split("\n").length - 1;
  const rest = text.slice(opening[0].length);
  const closing = CLOSING.exec(rest);
  if (closing === null)
    return failed("FRONTMATTER_UNCLOSED", "The frontmatter is not closed. End it with a `---` line.");

  const yaml = rest.slice(0, closing.index);
  const body = rest.slice(closing.index + closing[0].length).trim();
  const sizes = checkSizes(yaml, body);
  // A frontmatter over the limit is not parsed, which bounds the time for parsing.
  if (sizes.some(({ code }) => code === "FRONTMATTER_TOO_LARGE"))
    return { frontmatter: null, issues: sizes, warnings: [] };
  const reading = await parseOrRepair(yaml, linesBefore + 1);
  const issues = [...sizes, ...reading.issues];
  const warnings = [...textWarnings(source, before, body), ...reading.warnings];
  if (reading.value === null || issues.length > 0) return { frontmatter: null, issues, warnings };
  return { frontmatter: { fields: reading.value, places: reading.places, body }, issues, warnings };
}

/** Returns the blank lines and comments before the frontmatter. */
function beforeFrontmatter(text: string): string {
  let at = 0;
  for (;;) {
    const rest = text.slice(at, at + LINE_CHARS);
    const line = BLANK_LINE.exec(rest);
    if (line !== null) {
      at += line[0].length;
      continue;
    }
    const start = at + (/^[ \t]*/.exec(rest)?.[0].length ?? 0);
    const end = text.startsWith("<!--", start) ? text.indexOf("-->", start) : -1;
    if (end < 0) return text.slice(0, at);
    at = end + "-->".length;
    // The rest of the comment's last line is treated as a line of its own.
    at += BLANK_LINE.exec(text.slice(at, at + LINE_CHARS))?.[0].length ?? 0;
  }
}

/** The number of characters of a line before the frontmatter that are read. */
const LINE_CHARS = 1_000;

async function parseOrRepair(yaml: string, linesBefore: number): Promise<YamlReading> {
  const reading = await parseMapping(yaml, linesBefore);
  if (!reading.issues.some(({ code }) => code === "FRONTMATTER_YAML")) return reading;
  const repair = quoteValues(yaml);
  if (repair.lines.length === 0) return reading;
  const repaired = await parseMapping(repair.text, linesBefore);
  if (repaired.value === null) return reading;
  const message =
    "The value contains a colon and a space, or continues after a `]`. It was read as quoted text. Add quotes: other YAML parsers reject it.";
  const warnings = repair.lines.map((line) => ({
    code: "FRONTMATTER_REPAIRED",
    message,
    path: SKILL_FILE,
    line: linesBefore + line,
  }));
  return { ...repaired, warnings: [...warnings, ...repaired.warnings] };
}

function checkSizes(yaml: string, body: string): Issue[] {
  const issues: Issue[] = [];
  if (byteLength(yaml) > PACKAGE_LIMITS.frontmatterBytes) {
    const message = `Frontmatter too large (limit ${PACKAGE_LIMITS.frontmatterBytes / 1_024} KiB, found ${byteLength(yaml)} bytes). Move text below the frontmatter.`;
    issues.push({ code: "FRONTMATTER_TOO_LARGE", message, path: SKILL_FILE, line: 1 });
  }
  if (byteLength(body) > PACKAGE_LIMITS.instructionBytes) {
    const message = `Instructions too large (limit ${PACKAGE_LIMITS.instructionBytes / 1_024} KiB, found ${byteLength(body)} bytes). Move parts into files next to ${SKILL_FILE}.`;
    issues.push({ code: "INSTRUCTIONS_TOO_LARGE", message, path: SKILL_FILE });
  }
  return issues;
}

function textWarnings(source: string, before: string, body: string): Issue[] {
  const rules: [boolean, string, string][] = [
    [
      before !== "",
      "FRONTMATTER_NOT_FIRST",
      "Text precedes the first `---` line. Strict clients do not find the frontmatter. Remove the text.",
    ],
    [
      source.startsWith(BOM),
      "TEXT_BOM",
      "The file starts with a byte order mark. Some clients do not find the frontmatter. Remove the mark.",
    ],
    [
      source.includes("\r\n"),
      "TEXT_CRLF",
      "The file has Windows line endings. Some clients do not find the frontmatter. Use LF line endings.",
    ],
    [body === "", "INSTRUCTIONS_EMPTY", "Instructions missing. Write them below the frontmatter."],
  ];
  return rules.filter(([applies]) => applies).map(([, code, message]) => ({ code, message, path: SKILL_FILE }));
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}

function failed(code: string, message: string): FrontmatterReading {
  return { frontmatter: null, issues: [{ code, message, path: SKILL_FILE, line: 1 }], warnings: [] };
}

/** The repaired text and the changed lines (1-based). */
interface Repair {
  text: string;
  lines: number[];
}

/** `key: ` or `- key: `. The value is parsed by hand, because a pattern for it and its trailing blanks takes quadratic time. */
const KEY = /^\s*(?:- +)*[^\s:#"'[\]{},&*!|>%@`-][^:#"']*:[ \t]+/;
/** The start of a value that is not plain text. */
const NOT_PLAIN = /^["'[{|>&*!%@`#]/;
const BLOCK_SCALAR = /^[^#]*[:-][ \t]+[|>][-+0-9]*[ \t]*(?:#.*)?\r?$/;

/** A bracket followed by more text is not a list: argument hints are written this way. */
const PAST_LIST = /^\[[^\][]{0,200}\][ \t]*[^ \t#,\]}]/;

/** Adds single quotes around unquoted values that contain `: `, end with `:` or continue after a list. Block scalars are unchanged. */
function quoteValues(text: string): Repair {
  const lines: number[] = [];
  let block: number | null = null;
  const repaired = text.split("\n").map((line, index) => {
    const indent = line.length - line.trimStart().length;
    if (block !== null && (line.trim() === "" || indent > block)) return line;
    block = BLOCK_SCALAR.test(line) ? indent : null;
    const head = KEY.exec(line)?.[0] ?? "";
    const value = line.slice(head.length).trimEnd();
    if (head === "" || !(PAST_LIST.test(value) || (!NOT_PLAIN.test(value) && /:(?:\s|$)/.test(value)))) return line;
    lines.push(index + 1);
    return `${head}'${value.replaceAll("'", "''")}'`;
  });
  return { text: repaired.join("\n"), lines };
}
