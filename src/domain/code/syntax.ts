// Parses JavaScript into a tree. The parser is part of the compiler asset only, not of the deployed Worker.

import { type AnyNode, type Node, type Program, parse } from "acorn";

/** The reason and the line of a syntax error. */
export interface SyntaxProblem {
  message: string;
  line: number;
}

/** Parses an ES module. */
export function parseModule(source: string): Program | SyntaxProblem {
  try {
    return parse(source, { ecmaVersion: "latest", sourceType: "module" });
  } catch (error) {
    return syntaxProblem(error);
  }
}

export function isProgram(parsed: Program | SyntaxProblem): parsed is Program {
  return "type" in parsed;
}

/** Returns the message of a parser error without the position in brackets at its end. */
export function syntaxProblem(error: unknown): SyntaxProblem {
  const message = error instanceof Error ? error.message : String(error);
  const [, said = message, line = "1"] = /^(?:Error transforming [^:]*: )?(.*?) ?\((\d+):\d+\)$/s.exec(message) ?? [];
  return { message: error instanceof RangeError ? "The code is nested too deeply." : said, line: Number(line) };
}

/** Visits every node of a tree; `leave` is called after its children. */
export function walk(root: Node, enter: (node: AnyNode) => void, leave?: (node: AnyNode) => void): void {
  enter(root as AnyNode);
  for (const value of Object.values(root)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (isNode(child)) walk(child, enter, leave);
    }
  }
  leave?.(root as AnyNode);
}

/** Returns a function that finds the lines of positions in ascending order, with one pass over the text. */
export function lineFinder(source: string): (position: number) => number {
  const begins = [0];
  for (let at = source.indexOf("\n"); at !== -1; at = source.indexOf("\n", at + 1)) begins.push(at + 1);
  return (position) => {
    let [low, high] = [0, begins.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((begins[middle] ?? 0) <= position) low = middle;
      else high = middle;
    }
    return low + 1;
  };
}

/** Returns the line of a position, counted from 1. */
export function lineAt(source: string, position: number): number {
  return source.slice(0, position).split("\n").length;
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}
