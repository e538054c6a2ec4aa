// Parses one module of a package: its imports, its exports, and its two executable forms.

import type { Program } from "acorn";
import { applyEdits, type Edit } from "./edits";
import { isProgram, lineAt, parseModule, type SyntaxProblem, walk } from "./syntax";

/** An import in the source: its position and its specifier. */
interface ImportSite {
  /**
   * From the specifier to the end of the statement, or the whole `import(…)`. Both positions come from the parser, because a search for
   * characters could match a comment or a string.
   */
  start: number;
  end: number;
  /** Whether it is an `import(…)` call. */
  call: boolean;
  specifier: string;
  line: number;
}

export interface ReadModule {
  source: string;
  imports: ImportSite[];
  /** Exported names; `stars` are the specifiers of `export * from`. */
  exports: string[];
  stars: string[];
  /**
   * The line of the first `require(…)`, which is not available here. `null` if there is none, or if the source checks whether it exists.
   */
  requires: number | null;
}

/** Matches source that defines `require` itself or checks whether it exists. */
const OWN_REQUIRE = /\btypeof\s{1,9}require\b|\b(?:function|const|let|var)\s{1,9}require\b/;

/** Parses JavaScript. An import with a computed specifier is a problem. */
export function readModule(text: string): ReadModule | SyntaxProblem {
  // A hashbang is only valid at the start, and both forms insert code before it.
  const source = text.replace(/^\uFEFF?#!/, "//").replace(/^\uFEFF/, "");
  const program = parseModule(source);
  if (!isProgram(program)) return program;
  const imports: ImportSite[] = [];
  const computed: number[] = [];
  let outer: { end: number } | null = null;
  let required: number | null = null;
  try {
    walk(program, (node) => {
      if (node.type === "ImportExpression") {
        const { source: from } = node;
        if (from.type !== "Literal" || typeof from.value !== "string") computed.push(node.start);
        // An import inside the options of another import is removed with them.
        else if (outer === null || node.end > outer.end) {
          outer = node;
          imports.push({ ...site(source, node, from.value), call: true });
        }
      } else if (node.type === "CallExpression") {
        const { callee } = node;
        if (callee.type === "Identifier" && callee.name === "require") required ??= node.start;
      } else if (
        node.type === "ImportDeclaration" ||
        node.type === "ExportAllDeclaration" ||
        node.type === "ExportNamedDeclaration"
      ) {
        const { source: from } = node;
        if (!from) return;
        // The attributes and an optional semicolon follow the specifier.
        const end = source[node.end - 1] === ";" ? node.end - 1 : node.end;
        imports.push(site(source, { start: from.start, end }, String(from.value)));
      }
    });
  } catch {
    return { message: "The code is nested too deeply.", line: 1 };
  }
  const [first] = computed;
  if (first !== undefined)
    return {
      message: "An import path is computed. Only literal import paths can be checked.",
      line: lineAt(source, first),
    };
  const isOwn = OWN_REQUIRE.test(source);
  const requires = required === null || isOwn ? null : lineAt(source, required);
  return { source, imports, ...exportsOf(program), requires };
}

/**
 * Returns the source with each specifier replaced by the result of `rename`. Attributes are removed, because the file determines the kind
 * of a module.
 */
export function renameImports({ source, imports }: ReadModule, rename: (specifier: string) => string): string {
  const edits = imports.map(({ start, end, call, specifier }): Edit => {
    const name = JSON.stringify(rename(specifier));
    return [start, end, call ? `import(${name})` : name];
  });
  return applyEdits(source, edits);
}

/** Returns a name that does not occur in the source. */
export function freshName(source: string, wish: string): string {
  let name = `__${wish}`;
  while (source.includes(name)) name += "_";
  return name;
}

function site(source: string, { start, end }: { start: number; end: number }, specifier: string): ImportSite {
  return { start, end, call: false, specifier, line: lineAt(source, start) };
}

function exportsOf(program: Program): { exports: string[]; stars: string[] } {
  const exports: string[] = [];
  const stars: string[] = [];
  for (const node of program.body) {
    if (node.type === "ExportDefaultDeclaration") exports.push("default");
    if (node.type === "ExportAllDeclaration") {
      if (node.exported) exports.push(nameOf(node.exported));
      else stars.push(String(node.source.value));
    }
    if (node.type !== "ExportNamedDeclaration") continue;
    exports.push(...node.specifiers.map(({ exported }) => nameOf(exported)));
    const { declaration } = node;
    if (declaration?.type === "VariableDeclaration") {
      for (const { id } of declaration.declarations) if (id.type === "Identifier") exports.push(id.name);
    } else if (declaration) exports.push(declaration.id.name);
  }
  return { exports, stars };
}

function nameOf(node: { type: "Identifier"; name: string } | { type: "Literal"; value?: unknown }): string {
  return node.type === "Identifier" ? node.name : String(node.value);
}
