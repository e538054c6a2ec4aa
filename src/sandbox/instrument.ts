// Where the runtime bounds no CPU (locally), code bounds itself: every loop and function begins with a tick that ends a stretch
// of work that takes too long. This protects a developer's machine from a mistake; it is no security boundary, and a regular
// expression that backtracks for ever passes it by. Deployed, the platform's own limit acts instead.

import type { AnyNode } from "acorn";
import { applyEdits, type Edit } from "../domain/code/edits";
import { freshName } from "../domain/code/module";
import { isProgram, parseModule, walk } from "../domain/code/syntax";
import { TICK_MODULE } from "./tick";

/** The source with a tick in every loop and function. Throws when it is no module or too deep to be walked through. */
export async function instrument(source: string, name: string): Promise<string> {
  const program = await parseModule(source);
  if (!isProgram(program)) throw new SyntaxError(`${program.message} (${name}:${program.line})`);
  const tick = freshName(source, "tick");
  const edits: Edit[] = [];
  const insert = (at: number, text: string) => edits.push([at, at, text]);
  walk(
    program,
    (node) => {
      const body = bodyOf(node);
      if (body === null) return;
      if (body.type === "BlockStatement") insert(body.start + 1, `${tick}();`);
      else insert(body.start, isExpressionBody(node) ? `(${tick}(),` : `{${tick}();`);
    },
    (node) => {
      const body = bodyOf(node);
      if (body !== null && body.type !== "BlockStatement") insert(body.end, isExpressionBody(node) ? ")" : "}");
    },
  );
  const up = "../".repeat(name.split("/").length - 1) || "./";
  edits.unshift([0, 0, `import{tick as ${tick}}from"${up}${TICK_MODULE}";`]);
  return applyEdits(source, edits);
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
