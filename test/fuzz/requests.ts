// Creates requests for an operation, from values in earlier responses.

import fc from "fast-check";
import { strToU8, zipSync } from "fflate";
import type { JsonSchema, Operation } from "./document";
import { hostileText, isKnown, known, valueFor } from "./values";

/** A request before its placeholders are filled. */
export interface Draft {
  operation: Operation;
  path: Record<string, unknown>;
  query: Record<string, unknown>;
  headers: Record<string, string>;
  body: { type: string; value: unknown } | null;
  principal: number;
}

export interface Sendable {
  url: string;
  init: RequestInit & { headers: Record<string, string> };
}

export function draftFor(schemas: Record<string, JsonSchema>, operation: Operation): fc.Arbitrary<Draft> {
  const named = (where: string) =>
    Object.fromEntries(
      operation.parameters
        .filter((parameter) => parameter.in === where)
        .map(({ name, schema }) => [name, parameterFor(schemas, operation.path, name, schema)]),
    );
  const path = named("path");
  return fc.record({
    operation: fc.constant(operation),
    path: fc.record(path),
    query: fc.record(named("query"), { requiredKeys: [] }),
    headers: fc
      .record(
        {
          "idempotency-key": fc.constantFrom("a", "b", "c", "\u00e4", "x".repeat(300)),
          "if-none-match": fc.constantFrom("*", '"x"', "W/"),
          "x-request-id": fc.constantFrom("fuzz", "a b", "x".repeat(200)),
          "x-d1-bookmark": fc.constantFrom("00000001-00000000-00000000-00000000000000000000000000000000", "nonsense"),
          range: fc.constantFrom("bytes=0-9", "bytes=5-", "bytes=-1", "bytes=9-3", "lines=1"),
          "on-behalf-of": fc.constantFrom("fuzz-a", "fuzz-b", "0", "ä"),
        },
        { requiredKeys: [] },
      )
      .map((headers) => (Object.keys(headers).length > 3 ? {} : headers)),
    body: operation.body === null ? fc.constant(null) : bodyFor(schemas, operation.body),
    principal: fc.nat(),
  });
}

function parameterFor(
  schemas: Record<string, JsonSchema>,
  route: string,
  name: string,
  schema: JsonSchema,
): fc.Arbitrary<unknown> {
  const kind = name === "id" ? idOf(route) : NAMED[name];
  const fitting = kind === undefined ? valueFor(schemas, schema, name) : known(kind);
  return fc.oneof({ weight: 14, arbitrary: fitting }, { weight: 1, arbitrary: hostileText });
}

/** What a parameter of a path names, by its own name. */
const NAMED: Record<string, string> = {
  ...{ version_id: "version_id", request_id: "request_id", path: "path", name: "name" },
  ...{ skill: "skill", group: "group" },
};

function bodyFor(
  schemas: Record<string, JsonSchema>,
  body: { type: string; schema: JsonSchema },
): fc.Arbitrary<Draft["body"]> {
  if (body.type === "multipart/form-data") {
    const field = Object.hasOwn(body.schema.properties ?? {}, "files[]") ? "files[]" : "file";
    return uploadBody.map((value) => ({ type: body.type, value: { ...value, field } }));
  }
  return fc.oneof(
    { weight: 15, arbitrary: valueFor(schemas, body.schema).map((value) => ({ type: body.type, value })) },
    { weight: 1, arbitrary: hostileText.map((value) => ({ type: "raw", value })) },
    { weight: 1, arbitrary: fc.constant({ type: "text/plain", value: {} }) },
  );
}

interface Upload {
  /** What the form calls the file. */
  field: string;
  folder: unknown;
  text: string;
  form: Record<string, unknown>;
  broken: number;
}

const uploadBody: fc.Arbitrary<Omit<Upload, "field">> = fc.record({
  folder: known("skill"),
  text: fc.oneof(
    fc.constantFrom(
      '---\ndescription: "Made by the fuzzer."\n---\n\nBody.\n',
      '---\ndescription: "Made by the fuzzer."\nversion: "1.0.0"\ntags: [a, b]\n---\n\nOther body.\n',
      "---\nname: x\n---\n",
      "no frontmatter",
      "---\n: : :\n---\n",
    ),
    hostileText.map((text) => `---\ndescription: ${JSON.stringify(text)}\n---\n${text}`),
  ),
  form: fc.record({ name: known("name"), namespace: known("group"), other: hostileText }, { requiredKeys: [] }),
  broken: fc.nat(30),
});

/** Values from earlier responses, by kind; the newest few hundred of each. */
export class Knowledge {
  readonly #kinds: Record<string, string[]>;

  constructor(start: Record<string, string[]>) {
    this.#kinds = start;
  }

  add(kind: string, value: string): void {
    const all = this.#kinds[kind] ?? [];
    this.#kinds[kind] = all;
    if (all.includes(value)) return;
    all.push(value);
    if (all.length > 300) all.splice(20, 1);
  }

  /** Takes ids, names and cursors out of an answer of a route. */
  learn(route: string, value: unknown, kind = ""): void {
    if (typeof value === "string") {
      if (value.length === 0 || value.length > 400 || kind === "") return;
      this.add(kind === "id" ? idOf(route) : kind, value);
    } else if (Array.isArray(value)) {
      for (const one of value) this.learn(route, one, kind);
    } else if (typeof value === "object" && value !== null) {
      for (const [key, one] of Object.entries(value)) this.learn(route, one, KINDS[key] ?? "");
    }
  }

  fill(value: unknown): unknown {
    if (isKnown(value)) {
      const all = this.#kinds[value.known] ?? [];
      return all.length === 0 ? "nothing-yet" : all[value.at % all.length];
    }
    if (Array.isArray(value)) return value.map((one) => this.fill(one));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, this.fill(one)]));
  }
}

/** Which things the `id` of a route names: skills, ghosts, conversations, keys… A task is a conversation; vendors have ids of their own. */
function idOf(route: string): string {
  if (/\/(anthropic|openai)\/v1\/skills/.test(route)) return "id of vendors";
  const collection = /^\/api\/(?:v1\/)?(?:kinds\/)?([^/]+)/.exec(route)?.[1] ?? "";
  return `id of ${collection === "tasks" ? "conversations" : collection}`;
}

const KINDS: Record<string, string> = {
  id: "id",
  version_id: "version_id",
  latest_version_id: "version_id",
  request_id: "request_id",
  next_cursor: "cursor",
  etag: "etag",
  name: "name",
  path: "path",
};

export function sendable(draft: Draft, knowledge: Knowledge): Sendable {
  const text = (value: unknown) => {
    const filled = knowledge.fill(value);
    return (typeof filled === "string" ? filled : JSON.stringify(filled)).toWellFormed();
  };
  const path = draft.operation.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(text(draft.path[name])),
  );
  const query = Object.entries(draft.query).map(([name, value]) => `${name}=${encodeURIComponent(text(value))}`);
  const url = query.length === 0 ? path : `${path}?${query.join("&")}`;
  const init: Sendable["init"] = { method: draft.operation.method, headers: latin(draft.headers) };
  const { body } = draft;
  if (body === null) return { url, init };
  if (body.type === "multipart/form-data")
    return { url, init: { ...init, body: form(knowledge.fill(body.value) as Upload) } };
  init.headers["content-type"] = body.type === "raw" ? "application/json" : body.type;
  const filled = body.type === "raw" ? String(body.value) : JSON.stringify(patient(knowledge.fill(body.value)));
  return { url, init: { ...init, body: filled } };
}

/** No page answers the fuzzer's requests, so it does not wait for answers. */
function patient(value: unknown): unknown {
  if (typeof value !== "object" || value === null || !("action" in value)) return value;
  return "wait_ms" in value && typeof value.wait_ms !== "number" ? value : { ...value, wait_ms: 0 };
}

/** Header values are bytes; other values cannot be sent. */
function latin(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter(([, value]) => /^[\u0020-\u007e\u00a0-\u00ff]*$/.test(value)),
  );
}

function form(upload: Upload): FormData {
  const data = new FormData();
  const folder = String(upload.folder).replace(/[^a-z0-9-]/g, "") || "x";
  const zip = zipSync({ [`${folder}/SKILL.md`]: strToU8(upload.text.toWellFormed()) }, { level: 0 });
  if (upload.broken === 1) zip[zip.length >> 1] = 255;
  const bytes = upload.broken === 2 ? zip.subarray(0, zip.length - 10) : zip;
  if (upload.broken === 3) data.set(upload.field, "text");
  else if (upload.broken !== 4) data.set(upload.field, new Blob([new Uint8Array(bytes)]), `${folder}.zip`);
  for (const [name, value] of Object.entries(upload.form))
    if (upload.broken % 4 === 0) data.set(name, String(value).toWellFormed());
  return data;
}
