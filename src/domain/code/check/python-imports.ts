// Finds the imports of a Python file and whether the file needs them.

import { type Statement, statementsOf } from "./python-statements";

export interface PythonImport {
  /** `a.b`. For a relative import the part after the dots, which may be empty. */
  module: string;
  /** Number of leading dots. */
  up: number;
  /** The imported names, which may be modules themselves. */
  names: string[];
  line: number;
  /**
   * `always`: the file does not work without it. `sometimes`: a function or a branch does not work without it. `never`: the code handles
   * its absence.
   */
  needed: "always" | "sometimes" | "never";
  /** The imports that this one replaces. It is only needed if one of them is missing. */
  insteadOf: PythonImport[];
}

type Need = PythonImport["needed"];

/** A block that is open, or the preceding block at this indentation. */
interface Block {
  kind: "try" | "handler" | "if" | "newer" | "other";
  indent: number;
  /** `skipped`: never executed in the gateway. */
  need: Need | "skipped";
  /** The imports in the block. */
  imports: PythonImport[];
  insteadOf: PythonImport[];
  /** Imports that become required if this block exits or raises. */
  excused: PythonImport[];
}

/** Matches a handler that catches a missing module. */
const CATCHES = /^except(?:\s*:|\b.*\b(?:ImportError|ModuleNotFoundError|Exception|BaseException)\b)/;
/** Matches code that exits or raises. */
const LEAVES = /^raise\b|\b(?:exit|_exit|quit|abort)\s*\(/;

export function pythonImports(source: string): PythonImport[] {
  const found: PythonImport[] = [];
  const open: Block[] = [];
  /** The last block at each indentation, to which an `except` or `else` belongs. */
  const before = new Map<number, Block>();
  for (const statement of statementsOf(source)) {
    const { text, indent } = statement;
    for (let last = open.at(-1); last !== undefined && last.indent >= indent; last = open.at(-1)) {
      if (last.kind !== "handler") before.set(last.indent, last);
      open.pop();
    }
    const around = open.at(-1);
    const block = blockOf(statement, around, before.get(indent));
    if (block !== null) {
      open.push(block);
      continue;
    }
    if (LEAVES.test(text)) for (const { excused } of open) for (const one of excused) one.needed = "always";
    if (around?.need === "skipped") continue;
    for (const one of importsIn(statement)) {
      one.needed = around?.need ?? "always";
      one.insteadOf = around?.insteadOf ?? [];
      found.push(one);
      for (const { imports } of open) imports.push(one);
    }
  }
  return found;
}

/** Returns the block that a block header opens, or `null` for other statements. */
function blockOf({ text, indent }: Statement, around: Block | undefined, before: Block | undefined): Block | null {
  if (!text.endsWith(":")) return null;
  const need = around?.need ?? "always";
  const inside: Block = {
    ...{ kind: "other", indent, need, imports: [] },
    ...{ insteadOf: around?.insteadOf ?? [], excused: [] },
  };
  const less = need === "always" ? "sometimes" : need;
  const [word] = /^(?:async\s+)?(\w+)\b/.exec(text)?.slice(1) ?? [];
  switch (word) {
    case "try":
      return { ...inside, kind: "try" };
    case "except":
      return handlerOf(inside, text, less, before);
    case "def":
    case "for":
    case "while":
      return { ...inside, need: less };
    case "if":
    case "elif":
      if (/\bTYPE_CHECKING\b/.test(text) || (word === "elif" && before?.kind === "newer"))
        return { ...inside, kind: "newer", need: "skipped" };
      // The gateway's Python is newer than any version that scripts check for.
      if (/\bversion_info\s*>/.test(text)) return { ...inside, kind: "newer" };
      return { ...inside, kind: "if", need: /\b__name__\b/.test(text) ? need : less };
    case "else":
      return { ...inside, need: before?.kind === "newer" ? "skipped" : before?.kind === "try" ? need : less };
    case "finally":
    case "with":
    case "class":
      return inside;
    default:
      return null;
  }
}

function handlerOf(inside: Block, text: string, less: Block["need"], before: Block | undefined): Block {
  const handler: Block = { ...inside, kind: "handler" };
  if (before?.kind !== "try" || !CATCHES.test(text)) return { ...handler, need: less };
  const excused = before.imports.filter(({ needed }) => needed === "always");
  for (const one of before.imports) one.needed = "never";
  return { ...handler, insteadOf: before.imports, excused };
}

/** Longer than any real module name. Longer names are truncated to avoid quadratic time. */
const NAME_CHARS = 255;

function importsIn({ text, line }: Statement): PythonImport[] {
  const one = (module: string, up: number, names: string[]): PythonImport => ({
    ...{ module: module.slice(0, NAME_CHARS), up: Math.min(up, NAME_CHARS), names, line },
    needed: "always",
    insteadOf: [],
  });
  const from = /^from\s+(\.[.\s]*)?([\p{L}_][\p{L}\p{N}_.]*)?\s*import\s+\(?([^()]*)/u.exec(text);
  if (from !== null) {
    const [, dots = "", module = "", list = ""] = from;
    if (dots === "" && module === "") return [];
    return [one(module, dots.replaceAll(/\s/g, "").length, namesOf(list))];
  }
  const [, list] = /^import\s+(.*)/s.exec(text) ?? [];
  return list === undefined ? [] : namesOf(list).map((module) => one(module, 0, []));
}

/** Returns the names in `a.b as c, d`. */
function namesOf(list: string): string[] {
  return list
    .split(",")
    .flatMap((part) => /^\s*([\p{L}_][\p{L}\p{N}_.]*)/u.exec(part)?.[1]?.slice(0, NAME_CHARS) ?? []);
}
