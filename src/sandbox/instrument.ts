// Where the runtime bounds no CPU (locally), code bounds itself: every loop and function begins with a tick that ends a stretch
// of work that takes too long. This protects a developer's machine from a mistake; it is no security boundary, and a regular
// expression that backtracks for ever passes it by. Deployed, the platform's own limit acts instead.

import { type AnyNode, parseExpressionAt } from "acorn";
import { applyEdits, type Edit } from "../domain/code/edits";
import { freshName } from "../domain/code/module";
import { isProgram, parseModule, walk } from "../domain/code/syntax";
import { TICK_MODULE } from "./tick";

/** The source with a tick in every loop and function. Throws when it is no module or too deep to be walked through. */
export function instrument(source: string, name: string): string {
  const program = parseModule(source);
  if (!isProgram(program)) throw new SyntaxError(`${program.message} (${name}:${program.line})`);
  const tick = freshName(source, "tick");
  const up = "../".repeat(name.split("/").length - 1) || "./";
  return `import{tick as ${tick}}from"${up}${TICK_MODULE}";${ticked(source, program, tick)}`;
}

/** The same for a function as an expression: the answer is one, too, which takes what ticks and answers the function. */
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

/** Where the directives of a block end: what stands before `"use strict"` would make it a text like any other. */
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
