// Checks every response in tests against the OpenAPI document.

import { dereference, type Schema, type ValidationResult, validate } from "@cfworker/json-schema";

interface Operation {
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
}

interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: Record<string, unknown>;
}

const FOREIGN =
  /^\/(openapi\.json|console([/?]|$)|openai\/|anthropic\/|s\/|t\/|api\/search|api\/skill-market|api\/v1\/(whoami|search|resolve|download|skills)([/?]|$)|mcp\/registry\/v0\.1\/|\.well-known\/((agent-)?skills|clawhub))/;

let loaded: Document | undefined;

async function read(load: () => Promise<string>): Promise<Document> {
  return JSON.parse(await load());
}

/** Throws unless the document describes the response: route, status, content type and body. */
export async function holdAgainstDocument(
  load: () => Promise<string>,
  method: string,
  path: string,
  answer: Response,
): Promise<void> {
  // The chat endpoint and the integrations implement other protocols, which the document does not describe. The redirect target of `/` is a
  // page.
  if (FOREIGN.test(path) || method === "OPTIONS") return;
  loaded ??= await read(load);
  const operation = operationOf(loaded, method, path.split("?", 1)[0] ?? "");
  const type = (answer.headers.get("content-type") ?? "").split(";", 1)[0] ?? "";
  // Unknown paths and methods are not in the document, but must be rejected with a problem.
  if (operation === null) return expectProblem(method, path, answer, type);
  const response = operation.responses[String(answer.status)] ?? operation.responses.default;
  if (response === undefined) throw new Error(`${method} ${path}: ${answer.status} is not in the document`);
  if (response.content === undefined) return;
  const isType = ([documented]: [string, unknown]) => documented.split(";", 1)[0] === type;
  const content = Object.entries(response.content).find(isType)?.[1] ?? response.content["*/*"];
  if (content === undefined) throw new Error(`${method} ${path}: ${answer.status} as ${type} is not in the document`);
  // A file of a package can be any JSON.
  if (!type.endsWith("json") || response.content[type] === undefined) return;
  const body: unknown = await answer.clone().json();
  const { valid, errors } = validateBody(body, content.schema, loaded);
  if (valid) return;
  const problems = errors.map((error) => `${error.instanceLocation}: ${error.error}`).join("\n");
  throw new Error(
    `${method} ${path}: the ${answer.status} body is not as documented\n${problems}\n${JSON.stringify(body)}`,
  );
}

/** The schemas of `components` by their URI. Finding them traverses the whole document, so it happens once, and not for every response. */
let components: ReturnType<typeof dereference> | undefined;

const resolved = new WeakSet<Schema>();

/** Validates a body against the schema of a response, which refers to `components`. */
function validateBody(body: unknown, schema: Schema, document: Document): ValidationResult {
  components ??= dereference({ components: document.components });
  // Adds the absolute URI to every reference in the schema.
  if (!resolved.has(schema)) dereference(schema);
  resolved.add(schema);
  return validate(body, schema, "2020-12", components, false);
}

interface Place {
  pattern: RegExp;
  operations: Record<string, Operation>;
}

let places: Place[] | undefined;

/** Returns the paths of the document, the most literal first. */
function placesOf(document: Document): Place[] {
  return Object.entries(document.paths)
    .sort(([a], [b]) => literals(b) - literals(a))
    .map(([template, operations]) => ({ pattern: patternOf(template), operations }));
}

function operationOf(document: Document, method: string, path: string): Operation | null {
  places ??= placesOf(document);
  for (const { pattern, operations } of places) {
    const operation = pattern.test(path) ? operations[method.toLowerCase()] : undefined;
    if (operation !== undefined) return operation;
  }
  return null;
}

function patternOf(template: string): RegExp {
  const source = template
    .replace(/[.*+?^$()|[\]\\]/g, "\\$&")
    .replace(/\{path\}/g, ".+")
    .replace(/\{[^}]+\}/g, "[^/]+");
  return new RegExp(`^${source}/?$`);
}

function literals(template: string): number {
  return template.split("/").filter((segment) => segment !== "" && !segment.startsWith("{")).length;
}

function expectProblem(method: string, path: string, answer: Response, type: string): void {
  if (answer.status >= 400 && type === "application/problem+json") return;
  throw new Error(`${method} ${path}: ${answer.status} ${type} comes from a route that the document does not have`);
}
