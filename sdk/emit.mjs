// Generates src/generated/ from the gateway's OpenAPI document: types, the table of operations, and the help texts of fields.
//
// `--check` only reports whether the files are current. The program throws for unknown keywords, because a wrong type would be worse.

import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";

const FOLDER = path.join(import.meta.dirname, "src", "generated");
/** Objects whose fields have help texts, by the export name of the texts: a schema, and the path to the object in it. */
const EXPLAINED = { ghostSpec: ["GhostRequest", "spec"] };

/** Keywords that limit values and do not change the type. */
const LIMITS = new Set(
  "minLength maxLength pattern minimum maximum exclusiveMinimum exclusiveMaximum minItems maxItems propertyNames default example examples".split(
    " ",
  ),
);
const KNOWN = new Set(
  "$ref type properties required items enum const anyOf oneOf allOf additionalProperties description format".split(" "),
);

/**
 * @param {any} document an OpenAPI 3.1 document
 * @returns {string} a TypeScript module
 */
export function emit(document) {
  const schemas = Object.entries(document.components.schemas).map(
    ([name, schema]) => `${comment(schema)}export type ${name} = ${typeOf(schema, name)};`,
  );
  const operations = Object.entries(document.paths).flatMap(([route, methods]) =>
    Object.entries(methods).map(([method, operation]) => operationOf(route, method.toUpperCase(), operation)),
  );
  operations.sort((a, b) => (a.id < b.id ? -1 : 1));
  return `// Made from the OpenAPI document by sdk/emit.mjs; do not edit.

${schemas.join("\n\n")}

/** Input and output of each operation. */
export interface Operations {
${operations.map(({ id, about, type }) => `  /** ${about} */\n  ${JSON.stringify(id)}: ${type};`).join("\n")}
}

/** How to send each operation: method, path, whether it can be repeated, and special rules. */
export const OPERATIONS: Readonly<Record<keyof Operations, readonly [method: string, path: string, retry: "safe" | "idempotent" | "never", kind: string]>> = {
${operations.map(({ id, row }) => `  ${JSON.stringify(id)}: ${JSON.stringify(row)},`).join("\n")}
};
`;
}

/**
 * @param {any} document an OpenAPI 3.1 document
 * @returns {string} a TypeScript module with the descriptions of fields, for forms
 */
export function emitTexts(document) {
  const texts = Object.entries(EXPLAINED).map(([name, [schema, ...way]]) => {
    const object = way.reduce((outer, field) => outer?.properties?.[field], document.components.schemas[schema]);
    if (object?.properties === undefined) throw new Error(`${[schema, ...way].join(".")} has no fields`);
    const described = Object.entries(object.properties).filter(([, { description }]) => description !== undefined);
    return [name, Object.fromEntries(described.map(([field, { description }]) => [field, description]))];
  });
  return `// Made from the OpenAPI document by sdk/emit.mjs; do not edit.

/** Descriptions of fields that pages use. */
export const FIELD_TEXTS = ${JSON.stringify(Object.fromEntries(texts), null, 2)} as const;
`;
}

function operationOf(route, method, operation) {
  const { operationId: id, summary, parameters = [], requestBody, responses } = operation;
  const retry = operation["x-retry"];
  if (id === undefined) throw new Error(`${method} ${route} has no operationId`);
  if (!["safe", "idempotent", "never"].includes(retry)) throw new Error(`${id}: x-retry is ${retry}`);
  const own = parameters.filter((one) => one.$ref === undefined);
  const keyed = parameters.some((one) => one.$ref === "#/components/parameters/IdempotencyKey");
  const group = (place) => own.filter((one) => one.in === place);
  for (const one of own) if (!["path", "query"].includes(one.in)) throw new Error(`${id}: a parameter in ${one.in}`);
  const fields = [];
  if (group("path").length > 0) fields.push(`path: ${objectOf(group("path"), id)}`);
  if (group("query").length > 0) fields.push(`query?: ${objectOf(group("query"), id)}`);
  const [body, ...others] = Object.entries(requestBody?.content ?? {});
  if (others.length > 0) throw new Error(`${id}: several types of bodies`);
  if (body !== undefined) fields.push(`body${requestBody.required ? "" : "?"}: ${typeOf(body[1].schema, id)}`);
  const form = body?.[0] === "multipart/form-data";
  if (body !== undefined && !form && body[0] !== "application/json")
    throw new Error(`${id}: a body of type ${body[0]}`);
  const { answer, kind } = answerOf(responses, id);
  const events = eventsOf(responses, id);
  const type = `{ request: { ${fields.join("; ")} }; answer: ${answer}${events === null ? "" : `; event: ${events}`} }`;
  const row = [method, route, retry, [kind, ...(form ? ["form"] : []), ...(keyed ? ["keyed"] : [])].join(" ")];
  return { id, about: summary, type, row };
}

/** Returns the type of a successful response: `json`, a list of one of its forms, `bytes` (the response itself), or nothing. */
function answerOf(responses, id) {
  const found = new Map();
  for (const [status, { content }] of Object.entries(responses)) {
    if (!/^2/.test(status)) continue;
    if (content === undefined) {
      found.set("void", "none");
      continue;
    }
    const json = content["application/json"];
    if (json === undefined || content["application/octet-stream"] !== undefined) found.set("Response", "bytes");
    else found.set(typeOf(json.schema, id), kindOf(json.schema));
  }
  const kinds = [...new Set(found.values())];
  if (kinds.length > 1) throw new Error(`${id}: answers of several kinds`);
  return { answer: [...found.keys()].join(" | ") || "void", kind: kinds[0] ?? "none" };
}

function kindOf({ type, properties = {} }) {
  if (type === "array") return "array";
  if (properties.items !== undefined && properties.next_cursor !== undefined) return "items";
  return properties.events !== undefined && properties.next_cursor !== undefined ? "events" : "json";
}

function eventsOf(responses, id) {
  const stream = responses["200"]?.content?.["text/event-stream"];
  if (stream === undefined) return null;
  if (stream["x-event-schema"] === undefined) throw new Error(`${id}: nobody says what the events of its stream are`);
  return typeOf(stream["x-event-schema"], id);
}

const objectOf = (parameters, id) =>
  `{ ${parameters.map(({ name, required, schema }) => `${key(name)}${required ? "" : "?"}: ${typeOf(schema, id)}`).join("; ")} }`;

/** @returns {string} the type of a schema; throws for unknown keywords */
function typeOf(schema, where) {
  if (schema === true || Object.keys(schema).length === 0) return "unknown";
  for (const keyword of Object.keys(schema))
    if (!KNOWN.has(keyword) && !LIMITS.has(keyword))
      throw new Error(`${where}: the keyword ${keyword} is not known to sdk/emit.mjs`);
  if (schema.$ref !== undefined) return refOf(schema.$ref, where);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  const several = schema.anyOf ?? schema.oneOf;
  if (several !== undefined) return parts(several, where, " | ");
  if (schema.allOf !== undefined)
    return parts(
      [...schema.allOf, ...(schema.properties === undefined ? [] : [{ ...schema, allOf: undefined }])].map(defined),
      where,
      " & ",
    );
  if (Array.isArray(schema.type)) return schema.type.map((type) => typeOf({ ...schema, type }, where)).join(" | ");
  switch (schema.type) {
    case "string":
      return schema.format === "binary" ? "Blob" : "string";
    case "number":
    case "integer":
      return "number";
    case "boolean":
      return "boolean";
    case "null":
      return "null";
    case "array":
      return `(${typeOf(schema.items ?? {}, where)})[]`;
    case "object":
    case undefined:
      return shapeOf(schema, where);
    default:
      throw new Error(`${where}: the type ${schema.type} is not known to sdk/emit.mjs`);
  }
}

const defined = (schema) => Object.fromEntries(Object.entries(schema).filter(([, value]) => value !== undefined));
const parts = (schemas, where, by) => [...new Set(schemas.map((schema) => `(${typeOf(schema, where)})`))].join(by);

function shapeOf({ properties = {}, required = [], additionalProperties }, where) {
  const open =
    additionalProperties === true || (typeof additionalProperties === "object" && additionalProperties !== null);
  const rest = open ? typeOf(additionalProperties, where) : null;
  const fields = Object.entries(properties).map(
    ([name, schema]) =>
      `${comment(schema)}${key(name)}${required.includes(name) ? "" : "?"}: ${typeOf(schema, `${where}.${name}`)}`,
  );
  // An index signature next to named fields would have to match all of them.
  if (rest !== null) fields.push(`[name: string]: ${fields.length === 0 ? rest : "unknown"}`);
  return fields.length === 0 ? "Record<string, unknown>" : `{ ${fields.join("; ")} }`;
}

function refOf(ref, where) {
  const [, name] = /^#\/components\/schemas\/(\w+)$/.exec(ref) ?? [];
  if (name === undefined) throw new Error(`${where}: the reference ${ref} is not known to sdk/emit.mjs`);
  return name;
}

const key = (name) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));
const comment = ({ description }) =>
  description === undefined ? "" : `/** ${description.replaceAll("*/", "* /")} */ `;

async function main() {
  const { openApiText } = await import("../scripts/build/openapi.mjs");
  const document = JSON.parse(await openApiText());
  for (const [name, text] of [
    ["operations.ts", emit(document)],
    ["texts.ts", emitTexts(document)],
  ]) {
    const file = path.join(FOLDER, name);
    if ((await readFile(file, "utf8").catch(() => null)) === text) continue;
    if (process.argv.includes("--check")) {
      console.error(`sdk/src/generated/${name} is not current: run \`npm run emit\`.`);
      process.exitCode = 1;
      continue;
    }
    await writeFile(file, text);
    console.log(`wrote sdk/src/generated/${name}`);
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await main();
