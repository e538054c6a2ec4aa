// Collects every error message of src/ with its code and status, for docs/api/errors.md.

import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { parse } from "acorn";
import { transform } from "esbuild";
import { importTypeScript } from "../build/bundle.mjs";
import { root } from "../kit/files.mjs";

/** The kinds of errors, in the order of the page. */
export const KINDS = ["http", "issue", "tool", "chat", "oauth", "socket", "mcp"];

const CODE = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*$/;
const OAUTH = /^(?:invalid|unsupported|access|temporarily|request|interaction|server|unauthorized)_[a-z_]+$/;
/** The index of the code among the arguments. The message is the next argument. */
const PLACES = { GatewayError: 1, ChatRefusal: 1, ProxyRefusal: 1, ProtocolError: 0, problem: 2, TarFault: 0, drop: 1 };
const KEYED = new Set(["problem", "GatewayError"]);

/**
 * Reads all sources and returns their messages, each once per code.
 * @returns {Promise<{ kind: string, code: string, status: string, message: string, file: string }[]>}
 */
export async function sourceErrors() {
  const names = (await readdir(path.join(root, "src"), { recursive: true })).map((name) =>
    name.replaceAll(path.sep, "/"),
  );
  const files = names.filter((name) => name.endsWith(".ts") && !name.endsWith(".d.ts")).sort();
  const [{ HTTP_STATUS }, { CLOSE, CLOSE_REASONS }, limits] = await Promise.all([
    importTypeScript("src/domain/errors.ts"),
    importTypeScript("src/domain/questions/frame.ts"),
    importTypeScript(
      ...files.filter((name) => /^domain\/(?:.*limits|durations)\.ts$/.test(name)).map((name) => `src/${name}`),
    ),
  ]);
  const found = await Promise.all(
    files.map(async (file) => {
      const text = await readFile(path.join(root, "src", file), "utf8");
      const { code } = await transform(text, { loader: "ts", target: "esnext", format: "esm" });
      return errorsOf(file, code, { statuses: HTTP_STATUS, limits: { ...limits, CLOSE, CLOSE_REASONS } });
    }),
  );
  const rows = new Map(found.flat().map((row) => [[row.kind, row.code, row.status, row.message].join("\n"), row]));
  return [...rows.values()];
}

function errorsOf(file, code, known) {
  const tree = parse(code, { ecmaVersion: "latest", sourceType: "module" });
  const source = { file, code, known, constants: constantsOf(tree) };
  const rows = [];
  visit(tree, (node) => {
    if (node.type === "CallExpression" || node.type === "NewExpression") rows.push(...ofCall(node, source));
    if (node.type === "ObjectExpression") rows.push(...ofIssue(node, source), ...ofClose(node, source));
    if (node.type === "ArrayExpression") rows.push(...ofList(node, source));
  });
  return rows.map((row) => ({ ...row, file }));
}

/** The texts of a call such as `new GatewayError(kind, code, text)`, `refuse(code, text)` or `failed(text)`. */
function ofCall(node, source) {
  const name = node.callee.type === "Identifier" ? node.callee.name : (node.callee.property?.name ?? "");
  const values = node.arguments.map((argument) => literalOf(argument, source));
  if (name === "failed" && node.arguments.length === 1)
    return textsOf(node.arguments[0], source)
      .filter((text) => isSentence(text.replace(/^Error: |\{[^}]*\}/g, "")))
      .map((message) => ({ kind: "tool", code: "", status: "", message }));
  if (name === "end" && source.file.startsWith("conversation/"))
    return textsOf(node.arguments[1], source).map((message) => ({ kind: "socket", code: "1000", status: "", message }));
  const at = PLACES[name] ?? values.findIndex((value) => isCode(value));
  if (at < 0 || values[at] === undefined || node.arguments[at + 1] === undefined) return [];
  const texts = node.arguments.slice(at + 1).map((argument) => textsOf(argument, source).filter(isSentence));
  const messages = texts.find((some) => some.length > 0) ?? [];
  return messages.map((message) => ({ ...classify(name, values, at, source), message }));
}

/** The texts of an object `{ code, message }`: an issue of a request or a warning. */
function ofIssue(node, source) {
  const fields = Object.fromEntries(
    node.properties.flatMap((one) =>
      one.type === "Property" && !one.computed ? [[one.key.name ?? one.key.value, one]] : [],
    ),
  );
  if (fields.code === undefined || fields.message === undefined) return [];
  const codes = textsOf(fields.code.value, source).filter((code) => CODE.test(code));
  const messages = textsOf(fields.message.value, source).filter(isSentence);
  return codes.flatMap((code) => messages.map((message) => ({ kind: "issue", code, status: "", message })));
}

/** The texts of an object `{ close, reason }`: the reason for closing a socket. */
function ofClose(node, source) {
  const { close, reason } = Object.fromEntries(
    node.properties.flatMap((one) => (one.type === "Property" ? [[one.key.name, one.value]] : [])),
  );
  const code = String(literalOf(close, source));
  return textsOf(reason, source).flatMap((message) => (close ? [{ kind: "socket", code, status: "", message }] : []));
}

/** The texts of a list `[condition, code, message]` or `[cases, code, problem, advice]`, from which issues are made. */
function ofList({ elements }, source) {
  const [, code, text, advice] = elements;
  const name = literalOf(code ?? undefined, source);
  if (typeof name !== "string" || !CODE.test(name) || elements.length > 4) return [];
  const [more] = textsOf(advice, source);
  return textsOf(text, source)
    .filter(isSentence)
    .map((one) => (more === undefined ? one : `${one} ({count}). ${more}`))
    .map((message) => ({ kind: "issue", code: name, status: "", message }));
}

function classify(name, values, at, { file, known }) {
  const code = String(values[at]);
  const before = values[at - 1];
  if (name === "drop") return { kind: "socket", code, status: "" };
  if (typeof values[at] === "number") {
    return { kind: "mcp", code, status: typeof before === "number" ? String(before) : "" };
  }
  if (name === "ChatRefusal") return { kind: "chat", code, status: String(before ?? "") };
  if (OAUTH.test(code)) return { kind: "oauth", code, status: typeof before === "number" ? String(before) : "" };
  if (!CODE.test(code)) return { kind: "chat", code, status: typeof before === "number" ? String(before) : "" };
  const status = typeof before === "number" ? before : known.statuses[before];
  if (status !== undefined) return { kind: "http", code, status: String(status) };
  if (KEYED.has(name) && !file.startsWith("domain/")) return { kind: "http", code, status: "" };
  return { kind: "issue", code, status: "" };
}

const isCode = (value) =>
  typeof value === "number"
    ? (value >= 4_400 && value < 4_500) || (value <= -32_000 && value > -33_000)
    : typeof value === "string" && (CODE.test(value) ? value.length > 3 : OAUTH.test(value));

const isSentence = (text) => /\p{L}+ \p{L}/u.test(text) || /\w\. /.test(text);

/** A literal's value; what is computed is `undefined`. */
function literalOf(node, source) {
  if (node === undefined) return undefined;
  if (node.type === "Literal") return node.value;
  if (node.type === "UnaryExpression" && node.operator === "-" && node.argument.type === "Literal")
    return -node.argument.value;
  if (node.type === "Identifier") {
    const [only, ...others] = source.constants.get(node.name) ?? [];
    return only?.init.type === "Literal" && others.length === 0 ? only.init.value : undefined;
  }
  if (node.type === "MemberExpression") return evaluated(node, source);
  return undefined;
}

/** Returns all texts that an expression can produce. A computed part is in braces. */
function textsOf(node, source, depth = 0) {
  if (node === undefined || depth > 4) return [];
  const inner = (other) => textsOf(other, source, depth + 1);
  switch (node.type) {
    case "Literal":
      return typeof node.value === "string" ? [node.value] : [];
    case "TemplateLiteral":
      return [
        node.quasis
          .map(
            ({ value }, index) =>
              value.cooked + (index < node.expressions.length ? partOf(node.expressions[index], source) : ""),
          )
          .join(""),
      ];
    case "ConditionalExpression":
      return [...inner(node.consequent), ...inner(node.alternate)];
    case "LogicalExpression":
      return [...inner(node.left), ...inner(node.right)];
    case "BinaryExpression": {
      if (node.operator !== "+") return [];
      const [left = "", right = ""] = [inner(node.left)[0], inner(node.right)[0]];
      return left === "" && right === "" ? [] : [left + right];
    }
    case "MemberExpression":
      if (node.object.type === "ObjectExpression") return node.object.properties.flatMap(({ value }) => inner(value));
      return [evaluated(node, source)].filter((value) => typeof value === "string");
    case "Identifier":
      if (typeof source.known.limits[node.name] === "string") return [source.known.limits[node.name]];
      return inner(constantAt(node, source)?.init);
    default:
      return [];
  }
}

/** Returns the constant that a name refers to at its position: that of the innermost scope. */
function constantAt({ name, start }, { constants }) {
  const visible = (constants.get(name) ?? []).filter((one) => one.start <= start && start <= one.end);
  return visible.sort((a, b) => b.start - a.start)[0];
}

/** Returns the text for a computed part of a message: the value of a limit, or a name in braces. */
function partOf(node, source) {
  const value = evaluated(node, source);
  if (typeof value === "number") return value.toLocaleString("en").replaceAll(",", " ");
  if (typeof value === "string") return value;
  return `{${nameOf(node) ?? "value"}}`;
}

/** Returns the most descriptive name in an expression. */
function nameOf(node) {
  switch (node?.type) {
    case "Identifier":
      return node.name;
    case "MemberExpression":
      return node.computed ? nameOf(node.object) : node.property.name;
    case "ChainExpression":
      return nameOf(node.expression);
    case "LogicalExpression":
    case "BinaryExpression":
      return nameOf(node.left);
    case "ConditionalExpression":
      return nameOf(node.consequent);
    case "CallExpression": {
      const { callee } = node;
      return callee.type === "MemberExpression" ? nameOf(callee.object) : (nameOf(node.arguments[0]) ?? nameOf(callee));
    }
    default:
      return undefined;
  }
}

/** The value of an expression of constants and limits. */
function evaluated(node, { code, known, constants }) {
  const text = code.slice(node.start, node.end);
  const names = [...new Set(text.match(/(?<![.\w])[A-Za-z_]\w*/g) ?? [])];
  const scope = { ...known.limits };
  for (const name of names) {
    const [only, ...others] = constants.get(name) ?? [];
    if (name in scope || only === undefined || others.length > 0) continue;
    if (!only.isConstant) return undefined;
    if (only.init.type !== "Literal" && only.init.type !== "BinaryExpression") return undefined;
    const value = only.init.type === "Literal" ? only.init.value : evaluated(only.init, { code, known, constants });
    if (value === undefined) return undefined;
    scope[name] = value;
  }
  if (!/^[\w.\s/*()]+$/.test(text) || !names.every((name) => name in scope || name === "Math" || name === "floor"))
    return undefined;
  try {
    return new Function(...Object.keys(scope), `return ${text};`)(...Object.values(scope));
  } catch {
    return undefined;
  }
}

/** All constants and default values of parameters of a file by name, with the range of text in which each is visible. */
function constantsOf(tree) {
  const constants = new Map();
  const add = (name, init, isConstant, scope) =>
    constants.set(name, [...(constants.get(name) ?? []), { init, isConstant, start: scope.start, end: scope.end }]);
  visit(tree, (node, scope) => {
    if (node.type === "VariableDeclaration")
      for (const { id, init } of node.declarations)
        if (id.type === "Identifier" && init !== null) add(id.name, init, node.kind === "const", scope);
    if (node.type === "AssignmentPattern" && node.left.type === "Identifier")
      add(node.left.name, node.right, true, scope);
  });
  return constants;
}

const SCOPES = new Set([
  "Program",
  "BlockStatement",
  "FunctionDeclaration",
  "FunctionExpression",
  "ArrowFunctionExpression",
]);

function visit(node, look, scope = node) {
  if (Array.isArray(node)) for (const one of node) visit(one, look, scope);
  else if (node !== null && typeof node === "object") {
    const inner = SCOPES.has(node.type) ? node : scope;
    if (typeof node.type === "string") look(node, inner);
    for (const [key, value] of Object.entries(node)) if (key !== "type") visit(value, look, inner);
  }
}
