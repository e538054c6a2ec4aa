// Extracts the blocks of commands and code from the documentation, and the blocks that show their output.

import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

export const root = path.join(import.meta.dirname, "../..");

export interface Block {
  /** Path of the document in the project. */
  page: string;
  /** Line number of its fence. */
  line: number;
  language: string;
  /** The heading above it. */
  section: string;
  code: string;
  /** Why it is not run: `<!-- not run: … -->` directly before it. */
  notRun: string | null;
}

const COMMANDS = ["sh", "bash", "console"];
const CODE = ["js", "mjs", "ts", "tsx", "jsx", "python", "py", "diff"];

export const isCommand = ({ language }: Block) => COMMANDS.includes(language);
export const isCode = ({ language }: Block) => CODE.includes(language);

/** README and docs, without the decision notes, which are not updated. */
export const PAGES = [
  ...["README.md", "CONTRIBUTING.md", "SECURITY.md"],
  ...["docs", "docs/api"].flatMap((folder) =>
    readdirSync(path.join(root, folder))
      .filter((name) => name.endsWith(".md"))
      .map((name) => `${folder}/${name}`),
  ),
];

export function blocksOf(page: string, text = readFileSync(path.join(root, page), "utf8")): Block[] {
  const blocks: Block[] = [];
  let open: Block | null = null;
  let section = "";
  let notRun: string | null = null;
  for (const [index, line] of text.split("\n").entries()) {
    const fence = /^( *)```(\w*)/.exec(line);
    if (open !== null) {
      if (fence === null) open.code += `${line}\n`;
      else open = null;
      continue;
    }
    if (fence !== null) {
      open = { page, line: index + 1, language: fence[2] ?? "", section, code: "", notRun };
      blocks.push(open);
    }
    section = /^#+ (.*)/.exec(line)?.[1] ?? section;
    notRun = /^ *<!-- not run: (.+) -->$/.exec(line)?.[1] ?? null;
  }
  if (open !== null) throw new Error(`${page}:${open.line} has no end.`);
  return blocks;
}

/**
 * Returns the block with the output of a command block: the next block under the same heading, if it contains neither commands nor code.
 */
export function shownAfter(block: Block, blocks: readonly Block[]): Block | null {
  const next = blocks[blocks.indexOf(block) + 1];
  return next === undefined || next.section !== block.section || isCommand(next) || isCode(next) ? null : next;
}

/** Whether an output contains the content of a block: a JSON document with these values, or these lines. `…` matches anything. */
export function isShown({ language, code }: Block, output: string): boolean {
  if (language !== "json") return pattern(code.trim()).test(output);
  const shown: unknown = JSON.parse(code);
  return jsonIn(output).some((found) => has(found, shown));
}

const pattern = (text: string, whole = false) => {
  const escaped = text
    .split("…")
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
    .join("[\\s\\S]*?");
  return new RegExp(whole ? `^${escaped}$` : escaped);
};

/** Whether each shown field is present with its value. Further fields are allowed. */
function has(found: unknown, shown: unknown): boolean {
  if (typeof shown === "string") return typeof found === "string" && pattern(shown, true).test(found);
  if (typeof shown !== "object" || shown === null) return found === shown;
  if (typeof found !== "object" || found === null || Array.isArray(found) !== Array.isArray(shown)) return false;
  if (Array.isArray(shown) && shown.length !== Object.keys(found).length) return false;
  return Object.entries(shown).every(([name, value]) => name in found && has(Reflect.get(found, name), value));
}

/** Returns every JSON object in an output that starts at the beginning of a line or directly after another one. */
function jsonIn(output: string): unknown[] {
  const found: unknown[] = [];
  for (let at = 0; at < output.length; at++) {
    if (output[at] !== "{") continue;
    const end = endOf(output, at);
    try {
      found.push(JSON.parse(output.slice(at, end)));
      at = end - 1;
    } catch {
      // The brace belongs to other text.
    }
  }
  return found;
}

/** Returns the index after the brace that closes the one at `start`. */
function endOf(text: string, start: number): number {
  let [depth, quoted] = [0, false];
  for (let at = start; at < text.length; at++) {
    const sign = text[at];
    if (quoted && sign === "\\") at++;
    else if (sign === '"') quoted = !quoted;
    else if (!quoted && sign === "{") depth++;
    else if (!quoted && sign === "}" && --depth === 0) return at + 1;
  }
  return text.length;
}
