// Finds the uses of imported names in a module, and ignores local variables of the same name.

import type { AnyNode } from "acorn";

/**
 * A use of an imported name. `as` is its syntactic position: a call must not become a method call, and the shorthand `{ a }` needs a key.
 */
export interface Reference {
  name: string;
  start: number;
  end: number;
  as: "value" | "callee" | "shorthand";
}

type Kind = Reference["as"];

/** Returns every use of these names in a tree, except where a function or a block declares its own variable of that name. */
export function referencesTo(root: AnyNode, names: ReadonlySet<string>): Reference[] {
  const found: Reference[] = [];

  function visit(node: AnyNode, hidden: ReadonlySet<string>, as: Kind): void {
    switch (node.type) {
      case "Identifier":
        if (names.has(node.name) && !hidden.has(node.name))
          found.push({ name: node.name, start: node.start, end: node.end, as });
        return;
      case "ImportDeclaration":
      case "ExportAllDeclaration":
      case "MetaProperty":
      case "BreakStatement":
      case "ContinueStatement":
        return;
      case "ExportNamedDeclaration":
        if (node.declaration) visit(node.declaration, hidden, "value");
        return;
      case "Property":
        if (node.computed) visit(node.key, hidden, "value");
        visit(node.value, hidden, node.shorthand ? "shorthand" : "value");
        return;
      case "MethodDefinition":
      case "PropertyDefinition":
        if (node.computed) visit(node.key, hidden, "value");
        if (node.value) visit(node.value, hidden, "value");
        return;
      case "MemberExpression":
        visit(node.object, hidden, "value");
        if (node.computed) visit(node.property, hidden, "value");
        return;
      case "LabeledStatement":
        visit(node.body, hidden, "value");
        return;
      case "CallExpression":
        visit(node.callee, hidden, "callee");
        for (const argument of node.arguments) visit(argument, hidden, "value");
        return;
      case "TaggedTemplateExpression":
        visit(node.tag, hidden, "callee");
        visit(node.quasi, hidden, "value");
        return;
    }
    const own = namesOf(node).filter((name) => names.has(name));
    const inside = own.length === 0 ? hidden : new Set([...hidden, ...own]);
    for (const child of childrenOf(node)) visit(child, inside, "value");
  }

  visit(root, new Set(), "value");
  return found;
}

/** Returns the names that a declaration's pattern binds. */
export function boundNames(pattern: AnyNode): string[] {
  switch (pattern.type) {
    case "Identifier":
      return [pattern.name];
    case "ObjectPattern":
      return pattern.properties.flatMap((property) =>
        boundNames(property.type === "Property" ? property.value : property.argument),
      );
    case "ArrayPattern":
      return pattern.elements.flatMap((element) => (element === null ? [] : boundNames(element)));
    case "AssignmentPattern":
      return boundNames(pattern.left);
    case "RestElement":
      return boundNames(pattern.argument);
    default:
      return [];
  }
}

/** Returns the names that are declared in a node's scope. At program level this includes its imports. */
function namesOf(node: AnyNode): string[] {
  switch (node.type) {
    case "FunctionDeclaration":
    case "FunctionExpression":
    case "ArrowFunctionExpression": {
      const own = node.type === "FunctionExpression" && node.id ? [node.id.name] : [];
      return [...own, ...node.params.flatMap(boundNames), ...hoistedIn(node.body)];
    }
    case "ClassExpression":
      return node.id ? [node.id.name] : [];
    case "BlockStatement":
    case "StaticBlock":
      return node.body.flatMap(declaredBy);
    case "SwitchStatement":
      return node.cases.flatMap(({ consequent }) => consequent.flatMap(declaredBy));
    case "ForStatement":
      return node.init ? declaredBy(node.init) : [];
    case "ForInStatement":
    case "ForOfStatement":
      return declaredBy(node.left);
    case "CatchClause":
      return node.param ? boundNames(node.param) : [];
    default:
      return [];
  }
}

function declaredBy(node: AnyNode): string[] {
  if (node.type === "VariableDeclaration") return node.declarations.flatMap(({ id }) => boundNames(id));
  if (node.type === "FunctionDeclaration" || node.type === "ClassDeclaration") return node.id ? [node.id.name] : [];
  return [];
}

/** Returns the names that `var` hoists to a function from all its blocks. */
function hoistedIn(node: AnyNode): string[] {
  if (isFunction(node)) return [];
  const own = node.type === "VariableDeclaration" && node.kind === "var" ? declaredBy(node) : [];
  return [...own, ...childrenOf(node).flatMap(hoistedIn)];
}

export function isFunction({ type }: AnyNode): boolean {
  return type === "FunctionDeclaration" || type === "FunctionExpression" || type === "ArrowFunctionExpression";
}

export function childrenOf(node: AnyNode): AnyNode[] {
  return Object.values(node).flatMap((value) => (Array.isArray(value) ? value : [value]).filter(isTree));
}

function isTree(value: unknown): value is AnyNode {
  return (
    typeof value === "object" && value !== null && "type" in value && typeof value.type === "string" && "start" in value
  );
}
