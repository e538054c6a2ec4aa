// The recorded examples of docs/api/: each satisfies the OpenAPI document, and every operation has one.

import { readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { EXCEPTIONS } from "../../scripts/docs/examples/exceptions.mjs";
import { holdAgainstDocument } from "../support/document";
import { openApi, openApiText } from "../support/openapi";

const file = path.join(import.meta.dirname, "../../docs/api/examples.json");
const text = await readFile(file, "utf8");
const examples = z
  .record(
    z.string(),
    z.strictObject({
      operation: z.string(),
      request: z.strictObject({
        method: z.string(),
        path: z.string(),
        headers: z.record(z.string(), z.string()).optional(),
        body: z.json().optional(),
        form: z.record(z.string(), z.string()).optional(),
      }),
      status: z.number(),
      body: z.json().optional(),
      shortened: z.array(z.string()).optional(),
    }),
  )
  .parse(JSON.parse(text));

interface Operation {
  operationId: string;
  responses: Record<string, { content?: Record<string, unknown> }>;
}

const { paths } = await openApi<{ paths: Record<string, Record<string, Operation>> }>();
const operations = new Map(
  Object.entries(paths).flatMap(([template, methods]) =>
    Object.entries(methods).map(
      ([method, operation]) =>
        [operation.operationId, { ...operation, method: method.toUpperCase(), template }] as const,
    ),
  ),
);

describe("docs/api/examples.json", () => {
  it("has an example of every operation, except of those with a reason", () => {
    const missing = [...operations.keys()].filter((id) => examples[id] === undefined);
    expect(missing.sort()).toEqual(Object.keys(EXCEPTIONS).sort());
    for (const reason of Object.values(EXCEPTIONS)) expect(reason.length).toBeGreaterThan(20);
  });

  it.each(Object.entries(examples))("%s is as the document describes it", async (name, example) => {
    const operation = operations.get(example.operation);
    if (operation === undefined) throw new Error(`The document has no operation ${example.operation}.`);
    const { method, path: route } = example.request;
    const pattern = operation.template.replaceAll("{path}", ".+").replace(/\{[^}]+\}/g, "[^/]+");
    expect([method, route.split("?", 1)[0]]).toEqual([
      operation.method,
      expect.stringMatching(new RegExp(`^${pattern}$`)),
    ]);
    if (name === example.operation) expect(example.status).toBeLessThan(300);
    const { content = {} } = operation.responses[String(example.status)] ?? operation.responses.default ?? {};
    const type = Object.keys(content).find((one) => /[/+]json\b/.test(one));
    // A file, an archive and the metrics are no JSON, so they have no body here.
    expect([name, example.body !== undefined]).toEqual([name, type !== undefined]);
    if (type === undefined) return;
    const response = new Response(JSON.stringify(example.body), {
      status: example.status,
      headers: { "content-type": type },
    });
    await holdAgainstDocument(openApiText, method, route, response);
  });

  it("has no secret, no address of this machine and no path of it", () => {
    const secrets = [...text.matchAll(/\bsg[a-z]_[0-9A-Za-z_-]{30,}/g)].map(([secret]) => secret);
    expect(secrets.filter((secret) => !secret.endsWith("EXAMPLE"))).toEqual([]);
    expect(text).not.toMatch(/127\.0\.0\.1|localhost|\/(tmp|home|root|work|Users)\//);
  });
});
