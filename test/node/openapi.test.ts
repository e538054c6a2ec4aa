// The served OpenAPI document: a linter accepts it, and it describes every route there is.

import { createConfig, lintFromString } from "@redocly/openapi-core";
import { describe, expect, it } from "vitest";
import { createApp } from "../../src/app";

const app = createApp();
const text = async () => (await app.request("https://gateway.test/openapi.json")).text();

describe("/openapi.json", () => {
  it("passes the linter", async () => {
    const config = await createConfig({
      extends: ["recommended"],
      rules: {
        // Every route refuses with `default`; a 4xx of its own is listed where it has one.
        "operation-4xx-response": "off",
        "operation-operationId": "off",
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

  it("describes every route", async () => {
    const document: { paths: Record<string, Record<string, unknown>> } = JSON.parse(await text());
    const described = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const routed = app.routes
      .filter((route) => route.method !== "ALL" && route.path !== "/openapi.json")
      .map((route) => `${route.method} ${route.path.replace(/:(\w+)(\{[^}]*\})?/g, "{$1}")}`);
    expect([...new Set(routed)].sort()).toEqual(described.sort());
  });
});
