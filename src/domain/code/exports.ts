// Rewrites the imports and exports of an ES module: removes them from the text, and returns imports as a list and exports as getters.

import type { AnyNode, Program } from "acorn";
import type { Edit } from "./edits";
import { freshName } from "./module";
import { boundNames } from "./references";

export interface ModuleTop {
  edits: Edit[];
  /** In the order of evaluation. */
  imports: { specifier: string; start: number }[];
  /** By local name: the expression that replaces an imported name. */
  bindings: Map<string, string>;
  /** The statement that declares the exports. */
  head: string;
}

type Name = { type: "Identifier"; name: string } | { type: "Literal"; value?: unknown };

/**
 * @param imported the variable name of the list of namespaces
 * @param exporter the name of the function that registers getters by name
 */
export function exportEdits(source: string, program: Program, imported: string, exporter: string): ModuleTop {
  const edits: Edit[] = [];
  const imports: ModuleTop["imports"] = [];
  const bindings = new Map<string, string>();
  const exported: [name: string, value: string][] = [];
  const stars: string[] = [];
  const locals: [name: string, local: string][] = [];

  /** Returns an expression for the module that the statement imports from. */
  const from = (node: { source: { value?: unknown; start: number } }) => {
    imports.push({ specifier: String(node.source.value), start: node.source.start });
    return `${imported}[${imports.length - 1}]`;
  };
  // Line breaks are preserved.
  const remove = ({ start, end }: AnyNode) => {
    edits.push([start, end, `;${source.slice(start, end).replace(/[^\n]/g, "")}`]);
  };

  for (const node of program.body) {
    switch (node.type) {
      case "ImportDeclaration": {
        const namespace = from(node);
        for (const specifier of node.specifiers)
          bindings.set(
            specifier.local.name,
            specifier.type === "ImportNamespaceSpecifier"
              ? namespace
              : memberOf(
                  namespace,
                  specifier.type === "ImportDefaultSpecifier" ? "default" : nameOf(specifier.imported),
                ),
          );
        remove(node);
        break;
      }
      case "ExportAllDeclaration": {
        const namespace = from(node);
        if (node.exported) exported.push([nameOf(node.exported), namespace]);
        else stars.push(namespace);
        remove(node);
        break;
      }
      case "ExportNamedDeclaration": {
        const { declaration } = node;
        if (declaration) {
          const names =
            declaration.type === "VariableDeclaration"
              ? declaration.declarations.flatMap(({ id }) => boundNames(id))
              : [declaration.id.name];
          exported.push(...names.map((name): [string, string] => [name, name]));
          edits.push([node.start, declaration.start, ""]);
          break;
        }
        const namespace = node.source ? from({ source: node.source }) : null;
        for (const specifier of node.specifiers) {
          const [name, local] = [nameOf(specifier.exported), nameOf(specifier.local)];
          if (namespace === null) locals.push([name, local]);
          else exported.push([name, memberOf(namespace, local)]);
        }
        remove(node);
        break;
      }
      case "ExportDefaultDeclaration": {
        const { declaration } = node;
        const named = declaration.type === "FunctionDeclaration" || declaration.type === "ClassDeclaration";
        if (named && declaration.id) {
          exported.push(["default", declaration.id.name]);
          edits.push([node.start, endOfDefault(source, node.start), ""]);
          break;
        }
        const name = freshName(source, "default");
        exported.push(["default", name]);
        edits.push([node.start, endOfDefault(source, node.start), `const ${name} =`], [node.end, node.end, ";"]);
        break;
      }
    }
  }
  for (const [name, local] of locals) exported.push([name, bindings.get(local) ?? local]);
  const getters = exported.map(([name, value]) => `${JSON.stringify(name)}: () => ${value}`);
  const head = `${exporter}({ ${getters.join(", ")} }, () => [${stars.join(", ")}]);`;
  return { edits, imports, bindings, head };
}

/** Returns the end of the words `export default`. A following bracket belongs to the exported expression. */
function endOfDefault(source: string, start: number): number {
  const words = /export(?:\s|\/\*[\s\S]*?\*\/|\/\/[^\n]*\n)*default/y;
  words.lastIndex = start;
  return start + (words.exec(source)?.[0].length ?? 0);
}

function memberOf(namespace: string, name: string): string {
  return `${namespace}[${JSON.stringify(name)}]`;
}

function nameOf(node: Name): string {
  return node.type === "Identifier" ? node.name : String(node.value);
}
