// The served OpenAPI document: a linter accepts it, and it describes every route there is.

import { createConfig, lintFromString } from "@redocly/openapi-core";
import { describe, expect, it } from "vitest";
import { wholeApp } from "../../src/edges";

const app = await wholeApp();
const text = async () => (await app.request("https://gateway.test/openapi.json")).text();

describe("/openapi.json", () => {
  it("passes the linter", async () => {
    const config = await createConfig({
      extends: ["recommended"],
      rules: {
        // Every route refuses with `default`; a 4xx of its own is listed where it has one.
        "operation-4xx-response": "off",
        "no-ambiguous-paths": "off",
        "info-license-strict": "off",
      },
    });
    const problems = await lintFromString({ source: await text(), config });
    expect(
      problems.map(
        (problem) => `${problem.severity} ${problem.ruleId} ${problem.location[0]?.pointer}: ${problem.message}`,
      ),
    ).toEqual([]);
  });

  it("names every operation once, by its path, and what it is about", async () => {
    const document: { paths: Record<string, Record<string, { operationId: string; tags: string[] }>> } = JSON.parse(
      await text(),
    );
    const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
    const ids = operations.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(document.paths["/api/v1/conversations/{id}/turns"]?.post).toMatchObject({
      operationId: "postConversationsByIdTurns",
      tags: ["conversations"],
    });
    expect(document.paths["/api/v1/kinds/skills/{id}/files/{path}"]?.get).toMatchObject({
      operationId: "getSkillsByIdFilesByPath",
      tags: ["skills"],
    });
    for (const { operationId, tags } of operations)
      expect([operationId, tags]).toEqual([
        expect.stringMatching(/^[a-z]+([A-Z0-9][A-Za-z0-9]*)+$/),
        [expect.any(String)],
      ]);
  });

  it("says how many a list gives at most", async () => {
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
      .filter((route) => route.method !== "ALL" && route.path !== "/openapi.json")
      // OpenAPI has no word for all paths below one: the entry of that one describes them.
      .filter((route) => !route.path.endsWith("/*"))
      .map((route) => `${route.method} ${route.path.replace(/:(\w+)(\{[^}]*\})?/g, "{$1}")}`);
    expect([...new Set(routed)].sort()).toEqual(described.sort());
  });
});
