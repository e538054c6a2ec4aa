// What the documents print for somebody to copy: the blocks of commands and code, and the blocks that show what comes back.

import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

export const root = path.join(import.meta.dirname, "../..");

export interface Block {
  /** The document, from the project's folder. */
  page: string;
  /** The line of its fence. */
  line: number;
  language: string;
  /** The heading it stands under. */
  section: string;
  code: string;
  /** Why nobody runs it: `<!-- not run: … -->` right before it. */
  notRun: string | null;
}

const COMMANDS = ["sh", "bash", "console"];
const CODE = ["js", "mjs", "ts", "tsx", "jsx", "python", "py", "diff"];

export const isCommand = ({ language }: Block) => COMMANDS.includes(language);
export const isCode = ({ language }: Block) => CODE.includes(language);

/** README and docs, without the notes of decisions, which print what was so on their day. */
export const PAGES = [
  ...["README.md", "CONTRIBUTING.md", "SECURITY.md"],
  ...readdirSync(path.join(root, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
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
 * The block that shows what a block of commands prints: the next one, if that is neither commands nor code and stands under the same
 * heading.
 */
export function shownAfter(block: Block, blocks: readonly Block[]): Block | null {
  const next = blocks[blocks.indexOf(block) + 1];
  return next === undefined || next.section !== block.section || isCommand(next) || isCode(next) ? null : next;
}

/** Whether an output has what a block shows of it: a JSON document with these values, or these lines. `…` stands for anything. */
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

/** Each field that is shown is there with its value; what is not shown may be there too. */
function has(found: unknown, shown: unknown): boolean {
  if (typeof shown === "string") return typeof found === "string" && pattern(shown, true).test(found);
  if (typeof shown !== "object" || shown === null) return found === shown;
  if (typeof found !== "object" || found === null || Array.isArray(found) !== Array.isArray(shown)) return false;
  if (Array.isArray(shown) && shown.length !== Object.keys(found).length) return false;
  return Object.entries(shown).every(([name, value]) => name in found && has(Reflect.get(found, name), value));
}

/** Every JSON object that an output has at the beginning of a line or right behind another one. */
function jsonIn(output: string): unknown[] {
  const found: unknown[] = [];
  for (let at = 0; at < output.length; at++) {
    if (output[at] !== "{") continue;
    const end = endOf(output, at);
    try {
      found.push(JSON.parse(output.slice(at, end)));
      at = end - 1;
    } catch {
      // A brace in other text.
    }
  }
  return found;
}

/** Behind the brace that closes the one at `start`. */
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
