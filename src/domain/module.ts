// One module of a package: what it imports and exports, and the two forms in which it runs.

import type { Program } from "acorn";
import { applyEdits, type Edit } from "./edits";
import { isProgram, lineAt, parseModule, type SyntaxProblem, walk } from "./syntax";

/** An import as written: the place of its specifier with whatever attributes follow, and what it says. */
interface ImportSite {
  start: number;
  end: number;
  specifier: string;
  line: number;
}

export interface ReadModule {
  source: string;
  imports: ImportSite[];
  /** Exported names; `stars` are the specifiers of `export * from`. */
  exports: string[];
  stars: string[];
}

/** Reads JavaScript. What cannot be known before it runs (an import whose specifier is computed) is a problem. */
export async function readModule(text: string): Promise<ReadModule | SyntaxProblem> {
  // A hashbang may only stand first, and both forms put something before it.
  const source = text.replace(/^\uFEFF?#!/, "//").replace(/^\uFEFF/, "");
  const program = await parseModule(source);
  if (!isProgram(program)) return program;
  const imports: ImportSite[] = [];
  const computed: number[] = [];
  try {
    walk(program, (node) => {
      if (node.type === "ImportExpression") {
        const { source: from, options } = node;
        if (from.type !== "Literal" || typeof from.value !== "string") computed.push(node.start);
        else imports.push(site(source, from.start, options?.end ?? from.end, from.value));
      } else if (
        node.type === "ImportDeclaration" ||
        node.type === "ExportAllDeclaration" ||
        node.type === "ExportNamedDeclaration"
      ) {
        const { source: from, attributes } = node;
        if (!from) return;
        const last = attributes.at(-1);
        const end = last === undefined ? from.end : source.indexOf("}", last.end) + 1;
        imports.push(site(source, from.start, end, String(from.value)));
      }
    });
  } catch {
    return { message: "It is nested too deeply.", line: 1 };
  }
  const [first] = computed;
  if (first !== undefined)
    return {
      message: "What it imports is computed; only names in quotation marks can be checked.",
      line: lineAt(source, first),
    };
  return { source, imports, ...exportsOf(program) };
}

/** The source with each import naming what `rename` says. Attributes go: a module's kind is known by its file. */
export function renameImports({ source, imports }: ReadModule, rename: (specifier: string) => string): string {
  const edits = imports.map(({ start, end, specifier }): Edit => [start, end, JSON.stringify(rename(specifier))]);
  return applyEdits(source, edits);
}

/**
 * The edits that make a script of a module: a function with the module's body, so that it can run again and again in one
 * isolate. It answers the default export, if there is one.
 */
export async function scriptEdits(source: string): Promise<Edit[]> {
  const program = await parseModule(source);
  if (!isProgram(program)) return [];
  const edits: Edit[] = [];
  let head = "";
  let main = "undefined";
  for (const node of program.body) {
    switch (node.type) {
      case "ImportDeclaration":
        head += `${source.slice(node.start, node.end)};`;
        edits.push([node.start, node.end, ""]);
        break;
      case "ExportAllDeclaration":
        head += `import ${node.source.raw};`;
        edits.push([node.start, node.end, ""]);
        break;
      case "ExportNamedDeclaration": {
        if (node.source) head += `import ${node.source.raw};`;
        const chosen = node.specifiers.find(({ exported }) => nameOf(exported) === "default")?.local;
        if (chosen !== undefined && !node.source) main = nameOf(chosen);
        edits.push([node.start, node.declaration?.start ?? node.end, ""]);
        break;
      }
      case "ExportDefaultDeclaration": {
        const { declaration } = node;
        const named = declaration.type === "FunctionDeclaration" || declaration.type === "ClassDeclaration";
        if (named && declaration.id) {
          main = declaration.id.name;
          edits.push([node.start, declaration.start, ""]);
        } else {
          main = freshName(source, "main");
          edits.push([node.start, declaration.start, `const ${main} = `], [node.end, node.end, ";"]);
        }
        break;
      }
    }
  }
  edits.unshift([0, 0, `${head}export default async () => {`]);
  return [...edits, [source.length, source.length, `\nreturn ${main};\n};\n`]];
}

/** A name that the source does not have. */
export function freshName(source: string, wish: string): string {
  let name = `__${wish}`;
  while (source.includes(name)) name += "_";
  return name;
}

function site(source: string, start: number, end: number, specifier: string): ImportSite {
  return { start, end, specifier, line: lineAt(source, start) };
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
