// What a file in Python imports, and whether it can do without.

import { type Statement, statementsOf } from "./python-statements";

export interface PythonImport {
  /** `a.b`; of a relative one what follows the dots, which may be nothing. */
  module: string;
  /** Dots before it. */
  up: number;
  /** What is taken from it, which may be modules of its own. */
  names: string[];
  line: number;
  /**
   * `always`: nothing of the file works without it. `sometimes`: a function or a branch does not. `never`: its author has thought of its
   * absence.
   */
  needed: "always" | "sometimes" | "never";
  /** Stands in for these, and is asked only where one of them is missing. */
  insteadOf: PythonImport[];
}

type Need = PythonImport["needed"];

/** A block that is open, or was before this one. */
interface Block {
  kind: "try" | "handler" | "if" | "newer" | "other";
  indent: number;
  /** `skipped`: never run here. */
  need: Need | "skipped";
  /** What was imported in it. */
  imports: PythonImport[];
  insteadOf: PythonImport[];
  /** What is needed after all where this block gives up. */
  excused: PythonImport[];
}

/** A handler that catches a missing module. */
const CATCHES = /^except(?:\s*:|\b.*\b(?:ImportError|ModuleNotFoundError|Exception|BaseException)\b)/;
/** That gives up. */
const LEAVES = /^raise\b|\b(?:exit|_exit|quit|abort)\s*\(/;

export function pythonImports(source: string): PythonImport[] {
  const found: PythonImport[] = [];
  const open: Block[] = [];
  /** What an `except` or an `else` belongs to: the last block at each indentation. */
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

/** The block that a head opens; `null` for any other statement. */
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
      // The Python that is here is newer than any that is asked for.
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

/** Longer than any name of a module is: what is longer is cut, since nothing may grow with its square. */
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

/** The names in `a.b as c, d`. */
function namesOf(list: string): string[] {
  return list
    .split(",")
    .flatMap((part) => /^\s*([\p{L}_][\p{L}\p{N}_.]*)/u.exec(part)?.[1]?.slice(0, NAME_CHARS) ?? []);
}
