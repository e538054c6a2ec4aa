// Compiles a file of a package into a function, which is the form in which scripts run. CommonJS stays unchanged. An ES module is rewritten
// with all line numbers preserved. A function can be called again for every run, with its globals as parameters.

import type { AnyNode, Options, Program } from "acorn";
import { applyEdits, type Edit } from "./edits";
import { exportEdits } from "./exports";
import { freshName } from "./module";
import { isFunction, referencesTo } from "./references";
import { isProgram, lineAt, lineFinder, type SyntaxProblem, syntaxProblem, walk } from "./syntax";

/** An import that can be determined without running the code. */
export interface StaticUse {
  specifier: string;
  line: number;
  /** As in Python: `sometimes` in a function or a branch, `never` if the code catches its absence. */
  needed: "always" | "sometimes" | "never";
}

export interface FileFunction {
  /**
   * An expression. For CommonJS it is a function that receives `import` and returns Node's module function with five parameters. For an ES
   * module it is a generator that first registers the exports and then runs.
   */
  source: string;
  kind: "commonjs" | "module";
  /** The imports of a module in order. The generator receives them in the same order. */
  imports: string[];
  /** Whether the module uses top-level `await`. */
  isAsync: boolean;
  uses: StaticUse[];
}

const COMMONJS: Options = { ecmaVersion: "latest", sourceType: "script", allowReturnOutsideFunction: true };
const MODULE: Options = { ecmaVersion: "latest", sourceType: "module" };

/**
 * Compiles a JavaScript file into a function.
 *
 * @param kind the kind that the file name or package.json declares. `null`: determined from the syntax, as in Node.
 */
export async function fileFunction(
  text: string,
  kind: FileFunction["kind"] | null,
): Promise<FileFunction | SyntaxProblem> {
  // A hashbang becomes a comment, so that line numbers stay the same.
  const source = text.replace(/^\uFEFF/, "").replace(/^#!/, "//");
  const { parse } = await import("acorn");
  const read = (options: Options): Program | SyntaxProblem => {
    try {
      return parse(source, options);
    } catch (error) {
      return syntaxProblem(error);
    }
  };
  try {
    const plain = kind === "module" ? null : read(COMMONJS);
    if (plain !== null && isProgram(plain)) return commonJs(source, plain);
    const program = kind === "commonjs" ? plain : read(MODULE);
    // If neither parses, an `import` or `export` determines the intended kind.
    if (program === null || !isProgram(program))
      return plain !== null && !/^\s*(?:import|export)\b/m.test(source)
        ? plain
        : (program ?? { message: "The code cannot be parsed.", line: 1 });
    return esModule(source, program);
  } catch (error) {
    return syntaxProblem(error);
  }
}

function commonJs(source: string, program: Program): FileFunction {
  const dynamic = freshName(source, "import");
  const edits: Edit[] = [];
  walk(program, (node) => {
    if (node.type === "ImportExpression") edits.push(dynamicEdit(node, dynamic));
  });
  const names = "exports, require, module, __filename, __dirname";
  const code = `(${dynamic}) => function (${names}) {${applyEdits(source, edits)}\n}`;
  return { source: code, kind: "commonjs", imports: [], isAsync: false, uses: calledUses(source, program) };
}

/** Returns the imports through calls with a literal specifier. */
function calledUses(source: string, program: Program): StaticUse[] {
  const uses: StaticUse[] = [];
  const lineOf = lineFinder(source);
  const guarded = new Set<AnyNode>();
  let guards = 0;
  let branches = 0;
  walk(
    program,
    (node) => {
      // A handler that throws or exits does not make the import optional.
      if (
        node.type === "TryStatement" &&
        node.handler &&
        !GIVES_UP.test(source.slice(node.handler.start, node.handler.end))
      )
        guarded.add(node.block);
      if (guarded.has(node)) guards++;
      if (isFunction(node) || node.type === "IfStatement") branches++;
      const specifier = askedBy(node);
      const needed = guards > 0 ? "never" : branches > 0 ? "sometimes" : "always";
      if (specifier !== null) uses.push({ specifier, line: lineOf(node.start), needed });
    },
    (node) => {
      if (guarded.has(node)) guards--;
      if (isFunction(node) || node.type === "IfStatement") branches--;
    },
  );
  return uses;
}

const GIVES_UP = /\bthrow\b|\bprocess\s*\.\s*exit\s*\(/;

function askedBy(node: AnyNode): string | null {
  const isRequire =
    node.type === "CallExpression" && node.callee.type === "Identifier" && node.callee.name === "require";
  const asked = isRequire ? node.arguments[0] : node.type === "ImportExpression" ? node.source : undefined;
  return asked?.type === "Literal" && typeof asked.value === "string" ? asked.value : null;
}

/** The arguments stay unchanged. The replacement function ignores the options. */
function dynamicEdit({ start }: AnyNode, name: string): Edit {
  return [start, start + "import".length, name];
}

function esModule(source: string, program: Program): FileFunction | SyntaxProblem {
  const hidden = hiddenComment(source, program);
  if (hidden !== null)
    return { message: "`<!--` starts a comment in scripts. Write `< !--`.", line: lineAt(source, hidden) };
  const [imported, exporter, dynamic, meta, call] = ["imported", "export", "import", "meta", "call"].map((wish) =>
    freshName(source, wish),
  );
  const { edits, imports, bindings, head } = exportEdits(source, program, `${imported}`, `${exporter}`);
  for (const { name, start, end, as } of referencesTo(program, new Set(bindings.keys()))) {
    const value = bindings.get(name) ?? name;
    edits.push([start, end, as === "callee" ? `${call}(${value})` : as === "shorthand" ? `${name}: ${value}` : value]);
  }
  walk(program, (node) => {
    if (node.type === "ImportExpression") edits.push(dynamicEdit(node, `${dynamic}`));
    if (node.type === "MetaProperty" && node.meta.name === "import") edits.push([node.start, node.end, `${meta}`]);
  });
  const isAsync = awaits(program);
  const names = [imported, exporter, dynamic, meta, call].join(", ");
  const body = applyEdits(source, edits);
  const code = `${isAsync ? "async " : ""}function* (${names}) {"use strict";${head}yield;${body}\n}`;
  const lineOf = lineFinder(source);
  const fixed = imports.map(({ specifier, start }) => ({ specifier, line: lineOf(start), needed: "always" as const }));
  const uses = [...fixed, ...calledUses(source, program)];
  return { source: code, kind: "module", imports: imports.map(({ specifier }) => specifier), isAsync, uses };
}

/** Whether a module awaits outside its functions. */
function awaits(node: AnyNode): boolean {
  if (isFunction(node)) return false;
  if (node.type === "AwaitExpression" || (node.type === "ForOfStatement" && node.await)) return true;
  if (node.type === "VariableDeclaration" && node.kind === "await using") return true;
  return Object.values(node).some((value) =>
    (Array.isArray(value) ? value : [value]).some((child) => child?.type !== undefined && awaits(child as AnyNode)),
  );
}

/**
 * Returns the position of `<!--` used as operators. In a module it means `< ! --`, but in the compiled function it would start a comment,
 * so the executed code would differ from the parsed code.
 */
function hiddenComment(source: string, program: Program): number | null {
  if (!source.includes("<!--")) return null;
  let found: number | null = null;
  walk(program, (node) => {
    if (node.type === "UpdateExpression" && node.prefix && source.slice(node.start - 2, node.start) === "<!")
      found ??= node.start;
  });
  return found;
}
