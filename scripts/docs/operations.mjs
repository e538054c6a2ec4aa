// Writes the reference of operations for the pages of docs/api/, from the OpenAPI document and the recorded examples.

import { CODES } from "./error-codes.mjs";
import { exampleText } from "./example-text.mjs";

export class Operations {
  #document;
  #need;
  #errors;
  #examples;

  /**
   * @param {any} document the OpenAPI document
   * @param {(method: string, path: string) => string} need which scope a request needs of a key
   * @param {{ code: string, status: string }[]} errors those of the sources
   * @param {Record<string, import("./example-text.mjs").Example>} examples recorded requests and responses by name
   */
  constructor(document, need, errors, examples) {
    this.#document = document;
    this.#need = need;
    this.#errors = new Map(errors.filter(({ kind }) => kind === "http").map(({ code, status }) => [code, status]));
    this.#examples = examples;
  }

  /** Operations of some tags, in the order of the tags. */
  of(tags) {
    const all = Object.entries(this.#document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, ...operation })),
    );
    return tags.flatMap((tag) => all.filter((one) => one.tags?.[0] === tag));
  }

  /** A table of the operations with links to their sections. */
  table(tags) {
    const rows = this.of(tags).map(
      (one) =>
        `| [\`${one.method} ${one.path}\`](#${anchor(one.operationId)}) | ${cell(one.summary)} | ${this.#scope(one)} |`,
    );
    return ["| Method and path | Description | Key scope |", "|---|---|---|", ...rows].join("\n");
  }

  /** One section an operation. */
  sections(tags) {
    return this.of(tags)
      .map((one) => this.#section(one))
      .join("\n\n");
  }

  /** A recorded request with its response. */
  example(name) {
    const example = this.#examples[name];
    if (example === undefined) throw new Error(`docs/api/examples.json has no ${name}: run \`npm run docs:examples\`.`);
    return exampleText(example);
  }

  #section(operation) {
    const { method, path, operationId, description } = operation;
    const parts = [
      `### ${operationId}`,
      `\`${method} ${path}\``,
      description,
      this.#facts(operation),
      this.#parameters(operation),
      this.#body(operation),
      this.#responses(operation),
      this.#failures(operation),
      ...(operationId in this.#examples ? [this.example(operationId)] : []),
    ];
    return parts.filter((part) => part !== "").join("\n\n");
  }

  #scope(operation) {
    if (operation.security?.length === 0) return "none";
    const need = this.#need(operation.method, operation.path.replace(/\{[^}]+\}/g, "x"));
    if (need === "any") return "any key";
    return need === "unlimited" ? "key without scopes" : `\`${need}\``;
  }

  #facts(operation) {
    const keyed = (operation.parameters ?? []).some(({ $ref }) => $ref?.endsWith("/IdempotencyKey"));
    const scope = operation.security?.length === 0 ? "No key needed." : `Key scope: ${this.#scope(operation)}.`;
    const retry = {
      safe: "Safe to repeat.",
      idempotent: "Idempotent.",
      never: "Not safe to repeat.",
    }[operation["x-retry"]];
    return `${scope} ${retry ?? ""}${keyed ? " Accepts `Idempotency-Key`." : ""}`.trim();
  }

  #parameters({ parameters = [] }) {
    const rows = parameters
      .filter((one) => one.name !== undefined && one.in !== "header")
      .map(
        (one) =>
          `| \`${one.name}\`${one.required && one.in === "query" ? " (required)" : ""} | ${one.in} | ${this.#type(one.schema)} | ${cell(one.description ?? "")} |`,
      );
    return rows.length === 0
      ? ""
      : ["| Parameter | In | Type | Description |", "|---|---|---|---|", ...rows].join("\n");
  }

  #body({ requestBody }) {
    const [content] = Object.entries(requestBody?.content ?? {});
    if (content === undefined) return "";
    const { properties, required } = this.#members(content[1].schema);
    const rows = Object.entries(properties).map(
      ([name, schema]) =>
        `| \`${name}\`${required.has(name) ? " (required)" : ""} | ${this.#type(schema)} | ${cell(schema.description ?? this.#resolved(schema).description ?? "")} |`,
    );
    if (rows.length === 0) return "";
    const kind = content[0] === "application/json" ? "Body" : `Body (\`${content[0]}\`)`;
    return [`| ${kind} | Type | Description |`, "|---|---|---|", ...rows].join("\n");
  }

  #responses({ responses }) {
    const statuses = Object.entries(responses)
      .filter(([status]) => /^[123]/.test(status))
      .map(([status, { description }]) => `\`${status}\` ${description}`);
    return statuses.length === 0 ? "" : `Responses: ${statuses.join(" ")}`;
  }

  #failures({ operationId, responses }) {
    const statuses = Object.keys(responses).filter((status) => /^[45]/.test(status));
    const codes = (CODES[operationId] ?? []).map((code) => {
      const status = this.#errors.get(code);
      if (status === undefined) throw new Error(`${operationId}: no source has the error ${code}`);
      return `\`${status} ${code}\``;
    });
    const all = [
      ...codes,
      ...statuses
        .filter((status) => !codes.some((code) => code.startsWith(`\`${status}`)))
        .map((status) => `\`${status}\``),
    ];
    return all.length === 0 ? "" : `Errors: ${all.join(", ")}. See [Errors](errors.md).`;
  }

  #resolved(schema) {
    if (schema?.$ref === undefined) return schema ?? {};
    return this.#resolved(this.#document.components.schemas[schema.$ref.split("/").at(-1)]);
  }

  /** The properties of an object, of all of its parts. */
  #members(schema) {
    const found = this.#resolved(schema);
    const parts = [...(found.allOf ?? []), ...(found.anyOf ?? []), ...(found.oneOf ?? [])].map((part) =>
      this.#members(part),
    );
    return {
      properties: Object.assign({}, ...parts.map(({ properties }) => properties), found.properties),
      required: new Set([...(found.required ?? []), ...parts.flatMap(({ required }) => [...required])]),
    };
  }

  #type(schema) {
    const found = this.#resolved(schema);
    if (found.const !== undefined) return `\`${JSON.stringify(found.const)}\``;
    if (found.enum !== undefined) return found.enum.map((value) => `\`${value}\``).join(", ");
    const several = found.anyOf ?? found.oneOf;
    if (several !== undefined) return [...new Set(several.map((one) => this.#type(one)))].join(" or ");
    if (found.allOf !== undefined) return "object";
    if (found.type === "array") return `array of ${this.#type(found.items)}`;
    if (Array.isArray(found.type)) return found.type.join(" or ");
    return found.type ?? "any";
  }
}

/** The anchor that a heading has on GitHub. */
const anchor = (heading) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_\- ]/gu, "")
    .replaceAll(" ", "-");

/** Text for a cell of a table. */
export const cell = (text) => text.replaceAll("|", "\\|").replaceAll("\n", " ");
