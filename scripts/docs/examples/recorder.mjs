// Sends requests to a gateway by operation id, and records one request and response per example.

import { setTimeout as pause } from "node:timers/promises";

/** How long a request is repeated, in milliseconds. */
const PATIENCE_MS = 30_000;

/**
 * @typedef {{ as?: string, path?: Record<string, string | number>, query?: Record<string, string | number | boolean>, headers?: Record<string, string>, json?: unknown, form?: Record<string, string | { name: string, bytes: Uint8Array }>, status?: number, repeatWhile?: (answer: { status: number, body: any }) => boolean }} Sent
 * `as`: the user; `status`: the expected status, else any success; `repeatWhile`: whether the response is not final
 */

export class Recorder {
  #url;
  #operations;
  #keys = new Map();
  /** The start of each request, in milliseconds. The position is the number of the step. */
  steps = [];
  /** @type {Map<string, any>} the recorded examples by name */
  examples = new Map();

  /**
   * @param {URL} url the gateway
   * @param {any} document its OpenAPI document
   */
  constructor(url, document) {
    this.#url = url;
    this.#operations = new Map(
      Object.entries(document.paths).flatMap(([path, methods]) =>
        Object.entries(methods).map(([method, operation]) => [
          operation.operationId,
          { method: method.toUpperCase(), path, responses: operation.responses },
        ]),
      ),
    );
  }

  /** Adds a user. Requests name the user, not the key. */
  addUser(name, key) {
    this.#keys.set(name, key);
  }

  /**
   * Sends a request and records it under the id of its operation.
   * @param {string} operationId
   * @param {Sent} [sent]
   */
  record(operationId, sent = {}) {
    return this.recordAs(operationId, operationId, sent);
  }

  /**
   * Sends a request and records it under a name of its own.
   * @param {string} name
   * @param {string} operationId
   * @param {Sent} [sent]
   */
  async recordAs(name, operationId, sent = {}) {
    if (this.examples.has(name)) throw new Error(`${name} is recorded twice.`);
    const step = this.steps.length;
    const { method, route, response, body } = await this.#exchange(operationId, sent);
    const request = {
      method,
      path: route,
      ...(sent.headers !== undefined && { headers: sent.headers }),
      ...(sent.json !== undefined && { body: sent.json }),
      ...(sent.form !== undefined && { form: Object.fromEntries(Object.entries(sent.form).map(shownPart)) }),
    };
    this.examples.set(name, { operation: operationId, step, request, status: response.status, ...body });
    return body.body;
  }

  /**
   * Sends a request without recording it, and returns the parsed body.
   * @param {string} operationId
   * @param {Sent} [sent]
   */
  async send(operationId, sent = {}) {
    return (await this.#exchange(operationId, sent)).body.body;
  }

  async #exchange(operationId, { as = "alice", path = {}, query, headers = {}, json, form, status, repeatWhile }) {
    const operation = this.#operations.get(operationId);
    if (operation === undefined) throw new Error(`The OpenAPI document has no operation ${operationId}.`);
    const filled = operation.path.replace(/\{(\w+)\}/g, (_, name) => {
      if (path[name] === undefined) throw new Error(`${operationId} needs the path parameter ${name}.`);
      return name === "path" ? path[name] : encodeURIComponent(path[name]);
    });
    const route = query === undefined ? filled : `${filled}?${new URLSearchParams(Object.entries(query))}`;
    this.steps.push(Date.now());
    const credentials = as === "nobody" ? {} : { authorization: `Bearer ${this.keyOf(as)}` };
    const send = async () => {
      const response = await fetch(new URL(route, this.#url), {
        method: operation.method,
        headers: { ...credentials, ...headers, ...(json !== undefined && { "content-type": "application/json" }) },
        body: json === undefined ? formOf(form) : JSON.stringify(json),
        redirect: "manual",
      });
      return { response, body: await bodyOf(response) };
    };
    let { response, body } = await send();
    const deadline = Date.now() + PATIENCE_MS;
    while (repeatWhile?.({ status: response.status, ...body }) === true) {
      if (Date.now() > deadline) throw new Error(`${operationId}: no final response within ${PATIENCE_MS / 1_000} s.`);
      await pause(100);
      ({ response, body } = await send());
    }
    const isExpected =
      status === undefined ? response.ok && String(response.status) in operation.responses : response.status === status;
    if (!isExpected)
      throw new Error(
        `${operationId}: ${operation.method} ${route} returned ${response.status}\n${JSON.stringify(body)}`,
      );
    return { method: operation.method, route, response, body };
  }

  /** Returns the key of a user. */
  keyOf(name) {
    const key = this.#keys.get(name);
    if (key === undefined) throw new Error(`${name} has no key.`);
    return key;
  }
}

const shownPart = ([name, value]) => [name, typeof value === "string" ? value : `@${value.name}`];

function formOf(parts) {
  if (parts === undefined) return undefined;
  const form = new FormData();
  for (const [name, value] of Object.entries(parts)) {
    if (typeof value === "string") form.set(name, value);
    else form.set(name, new Blob([value.bytes], { type: "application/zip" }), value.name);
  }
  return form;
}

/** Returns the body as JSON, or only its type. */
async function bodyOf(response) {
  const text = await response.text();
  const type = response.headers.get("content-type") ?? "";
  if (text === "") return {};
  return /[/+]json\b/.test(type) ? { body: JSON.parse(text) } : { type: type.split(";", 1)[0] };
}
