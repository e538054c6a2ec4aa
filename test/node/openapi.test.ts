// The OpenAPI document: a linter accepts it, and it describes every route there is.

import { createConfig, lintFromString } from "@redocly/openapi-core";
import { describe, expect, it } from "vitest";
import { FIELDS } from "../../src/api/reference/fields";
import { wholeApp } from "../../src/edges";
import { openApiText } from "../support/openapi";

const app = await wholeApp();
const text = openApiText;

interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  "x-retry": string;
  parameters?: { in?: string; name?: string; $ref?: string; description?: string; example?: unknown }[];
  requestBody?: { content: Record<string, { example?: unknown; schema?: Schema }> };
  responses: Record<string, { content?: Record<string, Record<string, unknown>> }>;
}

interface Document {
  tags: { name: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema & Record<string, unknown>> };
}

interface Schema {
  $ref?: string;
  description?: string;
  properties?: Record<string, Schema>;
  allOf?: Schema[];
  anyOf?: Schema[];
}

const resolved = (schema: Schema, { components }: Document): Schema =>
  schema.$ref === undefined ? schema : (components.schemas[schema.$ref.split("/").at(-1) ?? ""] ?? {});

/** Returns the members of an object schema and of its parts, with their descriptions. */
function membersOf(schema: Schema, document: Document): [name: string, description: string | undefined][] {
  const { properties = {}, allOf = [], anyOf = [] } = resolved(schema, document);
  return [
    ...Object.entries(properties).map(([name, member]): [string, string | undefined] => [
      name,
      member.description ?? resolved(member, document).description,
    ]),
    ...[...allOf, ...anyOf].flatMap((part) => membersOf(part, document)),
  ];
}

const parsed = async (): Promise<Document> => JSON.parse(await text());
const operationsOf = ({ paths }: Document) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ route: `${method.toUpperCase()} ${path}`, ...operation })),
  );

describe("the OpenAPI document", () => {
  it("passes the linter's strict rules", { tags: ["slow"] }, async () => {
    const config = await createConfig({
      extends: ["recommended-strict"],
      rules: {
        // Every route has the error `default`, and lists its specific 4xx statuses.
        "operation-4xx-response": "off",
        // `/public/list` next to `/{id}/files`: the router prefers literal segments.
        "no-ambiguous-paths": "off",
        "info-license-strict": "off",
        "operation-description": "error",
        "parameter-description": "error",
        "tag-description": "error",
        "operation-tag-defined": "error",
        "operation-singular-tag": "error",
        "operation-operationId": "error",
        "tags-alphabetical": "error",
        "no-invalid-parameter-examples": "error",
        "no-duplicated-tag-names": "error",
        "no-http-verbs-in-paths": "off",
        "no-enum-type-mismatch": "error",
        "no-required-schema-properties-undefined": "error",
        "path-params-defined": "error",
      },
    });
    const problems = await lintFromString({ source: await text(), config });
    const told = problems.map(
      (problem) => `${problem.severity} ${problem.ruleId} ${problem.location[0]?.pointer}: ${problem.message}`,
    );
    // Used by `x-event-schema`, because OpenAPI 3.1 cannot describe the events of a stream.
    expect(told).toEqual([
      expect.stringMatching(/^error no-unused-components #\/components\/schemas\/ToolCallEvent: /),
      expect.stringMatching(/^error no-unused-components #\/components\/schemas\/RegistryEvent: /),
    ]);
  });

  it("names every operation once, with a description and whether it can be repeated", async () => {
    const document = await parsed();
    const operations = operationsOf(document);
    const ids = operations.map(({ operationId }) => operationId);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    const tags = document.tags.map(({ name }) => name);
    for (const { route, operationId, tags: own, description, "x-retry": retry } of operations) {
      expect(operationId, `${route} needs a row in src/api/reference`).toMatch(/^[a-z][A-Za-z]+\.[a-z][A-Za-z]+$/);
      expect([route, own]).toEqual([route, [operationId.split(".", 1)[0]]]);
      expect(tags).toContain(own[0]);
      expect(description.length, route).toBeGreaterThan(5);
      expect(["safe", "idempotent", "never"], route).toContain(retry);
      if (route.startsWith("GET ") && operationId !== "conversations.socket")
        expect([route, retry]).toEqual([route, "safe"]);
    }
    // Every tag is used.
    expect(tags.filter((tag) => !operations.some(({ tags: own }) => own.includes(tag)))).toEqual([]);
  });

  it("has an example of every parameter and of every body", async () => {
    const missing = operationsOf(await parsed()).flatMap(({ route, parameters = [], requestBody }) => [
      ...parameters
        .filter((one) => one.$ref === undefined && (one.example === undefined || one.description === undefined))
        .map(({ name }) => `${route}: ${name}`),
      ...Object.entries(requestBody?.content ?? {})
        .filter(([, { example }]) => example === undefined)
        .map(([type]) => `${route}: ${type}`),
    ]);
    expect(missing).toEqual([]);
  });

  it("describes every member of every body, and nothing else", async () => {
    const document = await parsed();
    const fields = operationsOf(document).flatMap(({ operationId, requestBody }) =>
      Object.values(requestBody?.content ?? {}).flatMap(({ schema }) =>
        membersOf(schema ?? {}, document).map(([name, description]) => ({ operationId, name, description })),
      ),
    );
    expect(fields.length).toBeGreaterThan(100);
    expect(fields.filter(({ description }) => description === undefined)).toEqual([]);
    const known = new Set(fields.flatMap(({ operationId, name }) => [name, `${operationId}.${name}`]));
    expect(Object.keys(FIELDS).filter((name) => !known.has(name))).toEqual([]);
  });

  it("lists the routes of each header", async () => {
    const takes = (header: string) =>
      operationsOf(document)
        .filter(({ parameters = [] }) => parameters.some(({ $ref }) => $ref?.endsWith(`/${header}`)))
        .map(({ operationId }) => operationId);
    const document = await parsed();
    expect(takes("IdempotencyKey").sort()).toEqual([
      "conversations.create",
      "conversations.set",
      "drafts.promote",
      "questions.answer",
      "questions.ask",
      "skills.publish",
      "skills.publishPublic",
      "skills.publishPublicForm",
      "skills.publishPublicVersion",
      "skills.publishVersion",
      "skills.share",
      "toolCalls.run",
      "turns.prepare",
    ]);
    expect(takes("OnBehalfOf")).not.toContain("gateway.health");
    expect(takes("OnBehalfOf")).toContain("turns.prepare");
  });

  it("documents the error of every route with a header", async () => {
    const silent = operationsOf(await parsed())
      .filter(({ parameters = [] }) => parameters.some(({ $ref }) => $ref !== undefined))
      .filter(({ responses }) => responses["400"] === undefined && responses.default === undefined);
    expect(silent.map(({ route }) => route)).toEqual([]);
  });

  it("has patterns that readers of JSON Schema understand", async () => {
    const patterns = [...(await text()).matchAll(/"pattern":("(?:[^"\\]|\\.)*")/g)].map(([, found = ""]) =>
      JSON.parse(found),
    );
    expect(patterns.length).toBeGreaterThan(20);
    for (const pattern of patterns) {
      expect(() => new RegExp(pattern, "u")).not.toThrow();
      expect(pattern).not.toMatch(/\$\/[a-z]+$/);
    }
  });

  it("describes the frames of a stream of tool calls", async () => {
    const { paths, components } = await parsed();
    const stream =
      paths["/api/v1/conversations/{id}/tool-calls"]?.post?.responses["200"]?.content?.["text/event-stream"];
    expect(stream?.["x-event-schema"]).toEqual({ $ref: "#/components/schemas/ToolCallEvent" });
    const { anyOf } = components.schemas.ToolCallEvent as {
      anyOf: { properties: { event: { const?: string; enum?: string[] } } }[];
    };
    expect(anyOf.map(({ properties: { event } }) => event.const ?? event.enum?.[0])).toEqual([
      "progress",
      "sign_in",
      "result",
      "done",
      "error",
    ]);
  });

  it("documents the maximum of every list", async () => {
    type Parameter = { name: string; schema: Record<string, unknown> };
    const document: { paths: Record<string, Record<string, { parameters?: Parameter[] }>> } = JSON.parse(await text());
    const limits = Object.entries(document.paths).flatMap(([path, { get }]) =>
      (get?.parameters ?? []).filter(({ name }) => name === "limit").map(({ schema }) => [path, schema] as const),
    );
    expect(limits.length).toBeGreaterThan(10);
    for (const [path, schema] of limits)
      expect(schema, path).toEqual({ type: "integer", minimum: 1, maximum: path.endsWith("/events") ? 1_000 : 100 });
  });

  it("describes every route", async () => {
    const document: { paths: Record<string, Record<string, unknown>> } = JSON.parse(await text());
    const described = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const routed = app.routes
      .filter((route) => route.method !== "ALL")
      // Integrations implement external protocols, on paths that an OpenAPI entry would not describe.
      .filter(
        (route) =>
          !/^\/(s|t|api\/search|api\/skill-market|\.well-known\/(agent-)?skills|(openai|anthropic)\/v1\/skills|mcp\/registry\/v0\.1)(\/|$)/.test(
            route.path,
          ),
      )
      .filter(
        (route) =>
          !/^\/\.well-known\/clawhub|^\/api\/v1\/(whoami|search|resolve|download|skills)(\/|$)/.test(route.path),
      )
      // The console's page, its redirects, and requests that only it can send (docs/console.md).
      .filter((route) => !/^\/(console|demo)(\/|$)/.test(route.path))
      // Pages for people (docs/catalog-pages.md).
      .filter((route) => !/^\/(skills|robots\.txt|sitemap\.xml)(\/|$)/.test(route.path))
      // OAuth endpoints have their own format. The metadata of RFC 8414 lists them.
      .filter((route) => !/^\/(oauth|\.well-known\/oauth-authorization-server)(\/|$)/.test(route.path))
      // OpenAPI cannot describe all paths below a path, so the entry of that path describes them.
      .filter((route) => !route.path.endsWith("/*"))
      .map((route) => `${route.method} ${route.path.replace(/:(\w+)(\{[^}]*\})?/g, "{$1}")}`);
    expect([...new Set(routed)].sort()).toEqual(described.sort());
  });
});
