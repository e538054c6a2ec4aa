// Adds CPU limits to code where the runtime has none (locally): every loop and function starts with a tick that throws after too long a
// stretch of work. This protects a developer's machine from mistakes. It is not a security boundary, and a regular expression with endless
// backtracking is not stopped. In a deployment the platform's limit applies instead.

import { type AnyNode, parseExpressionAt } from "acorn";
import { applyEdits, type Edit } from "../domain/code/edits";
import { freshName } from "../domain/code/module";
import { isProgram, parseModule, walk } from "../domain/code/syntax";
import { TICK_MODULE } from "./tick";

/** Returns the source with a tick in every loop and function. Throws if it is not a module or is nested too deeply. */
export function instrument(source: string, name: string): string {
  const program = parseModule(source);
  if (!isProgram(program)) throw new SyntaxError(`${program.message} (${name}:${program.line})`);
  const tick = freshName(source, "tick");
  const up = "../".repeat(name.split("/").length - 1) || "./";
  return `import{tick as ${tick}}from"${up}${TICK_MODULE}";${ticked(source, program, tick)}`;
}

/**
 * Instruments a function expression. Returns an expression for a function that receives the tick function and returns the instrumented one.
 */
export function instrumentFunction(source: string): string {
  const tick = freshName(source, "tick");
  return `(${tick}) => ${ticked(source, parseExpressionAt(source, 0, { ecmaVersion: "latest" }), tick)}`;
}

function ticked(source: string, program: AnyNode, tick: string): string {
  const edits: Edit[] = [];
  const insert = (at: number, text: string) => edits.push([at, at, text]);
  walk(
    program,
    (node) => {
      const body = bodyOf(node);
      if (body === null) return;
      if (body.type === "BlockStatement") {
        const directives = endOfDirectives(body);
        insert(directives ?? body.start + 1, `${directives === null ? "" : ";"}${tick}();`);
      } else insert(body.start, isExpressionBody(node) ? `(${tick}(),` : `{${tick}();`);
    },
    (node) => {
      const body = bodyOf(node);
      if (body !== null && body.type !== "BlockStatement") insert(body.end, isExpressionBody(node) ? ")" : "}");
    },
  );
  return applyEdits(source, edits);
}

/** Returns the end of a block's directives. Code inserted before `"use strict"` would disable it. */
function endOfDirectives({ body }: AnyNode & { type: "BlockStatement" }): number | null {
  const directives = body.filter((node) => node.type === "ExpressionStatement" && node.directive !== undefined);
  return directives.at(-1)?.end ?? null;
}

function bodyOf(node: AnyNode): AnyNode | null {
  switch (node.type) {
    case "WhileStatement":
    case "DoWhileStatement":
    case "ForStatement":
    case "ForInStatement":
    case "ForOfStatement":
    case "FunctionDeclaration":
    case "FunctionExpression":
    case "ArrowFunctionExpression":
      return node.body as AnyNode;
    default:
      return null;
  }
}

function isExpressionBody(node: AnyNode): boolean {
  return node.type === "ArrowFunctionExpression" && node.expression;
}
