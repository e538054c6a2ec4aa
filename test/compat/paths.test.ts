// Fixed paths of clients: no route of the gateway's own API uses them, and the table of edges lists each.

import { exports } from "cloudflare:workers";
import { expect, it } from "vitest";
import { CLAWHUB } from "../../src/compat/clawhub/edges";
import { COMPAT_EDGES } from "../../src/compat/edges";
import { wholeApp } from "../../src/edges";
import { call } from "../support/call";
import { openApi } from "../support/openapi";

const PREFIXES = [...Object.keys(COMPAT_EDGES), ...Object.keys(CLAWHUB)];
const isBelow = (path: string, prefix: string) => path === prefix || path.startsWith(`${prefix}/`);

it("no other route uses an integration's path", async () => {
  const app = await wholeApp();
  const edges = { ...COMPAT_EDGES, ...CLAWHUB };
  for (const [prefix, edge] of Object.entries(edges)) {
    const own = new Set(
      [...(edge.open?.routes ?? []), ...edge.routes.routes].map(({ method, path }) => `${method} ${path}`),
    );
    const there = app.routes.filter(({ path, method }) => method !== "ALL" && isBelow(path.replace("/*", ""), prefix));
    expect([prefix, there.map(({ method, path }) => `${method} ${path}`).filter((route) => !own.has(route))]).toEqual([
      ...[prefix, []],
    ]);
    expect([prefix, own.size > 0]).toEqual([prefix, true]);
  }
  const document = await openApi<{ paths: Record<string, unknown> }>();
  const taken = Object.keys(document.paths).filter((path) => PREFIXES.some((prefix) => isBelow(path, prefix)));
  expect(taken).toEqual([]);
});

it("a path that only begins like an integration's is not part of it", async () => {
  // An API response in the gateway's own format.
  for (const path of ["/api/v1/search-index", "/api/v1/skillset", "/api/v1/whoami2", "/api/searching", "/settings"]) {
    const answer = await call("GET", path);
    expect([path, answer.headers.get("content-type")]).toEqual([path, "application/problem+json"]);
  }
  for (const path of ["/api/v1/skills/", "/api/v1/skills//x", "/api/v1/%73kills/x", "/api/v1/whoami/x"]) {
    const answer = await exports.default.fetch(`https://gateway.test${path}`);
    expect([path, answer.headers.get("content-type")?.split(";")[0]]).toEqual([
      path,
      path === "/api/v1/skills/" ? "application/json" : "text/plain",
    ]);
    await answer.body?.cancel();
  }
});
