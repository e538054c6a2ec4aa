// GET /metrics: access, counts, and their persistence.

import { evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { beginWith } from "../support/app";
import { ADMIN_KEY, keyFor } from "../support/call";
import { ConsolePage, OWN } from "../support/console";
import { readOpenMetrics, sampleOf } from "../support/open-metrics";
import { gatewayServers } from "../support/servers";
import { forget, scripted } from "../support/upstream";

const ON = { METRICS: "on" };

function ask(
  path: string,
  { key = ADMIN_KEY, ...init }: RequestInit & { key?: string | null } = {},
  settings: object = ON,
) {
  const headers = { ...(key === null ? {} : { authorization: `Bearer ${key}` }), ...init.headers };
  return beginWith({ ...settings }, path, { ...init, headers });
}

async function metrics(): Promise<string> {
  const answer = await ask("/metrics");
  expect([answer.status, answer.headers.get("content-type"), answer.headers.get("cache-control")]).toEqual([
    200,
    "application/openmetrics-text; version=1.0.0; charset=utf-8",
    "no-store",
  ]);
  // The runtime logs a warning for text with an unknown content type.
  return new TextDecoder().decode(await answer.arrayBuffer());
}

async function verdict(answer: Response): Promise<[number, string]> {
  return [answer.status, (await answer.json<{ code: string }>()).code];
}

beforeEach(async () => {
  await forget();
  await gatewayServers({});
});

describe("access to metrics", () => {
  it("is for admins only", async () => {
    expect(await verdict(await ask("/metrics", { key: null }))).toEqual([401, "UNAUTHENTICATED"]);
    expect(await verdict(await ask("/metrics", { key: "sgw_no_such_key_at_all" }))).toEqual([401, "UNAUTHENTICATED"]);
    expect(await verdict(await ask("/metrics", { key: await keyFor("reader") }))).toEqual([403, "ADMIN_ONLY"]);
    const service = await keyFor("service", { scopes: ["act_as"] });
    const asAdmin = { key: service, headers: { "on-behalf-of": "admin" } };
    expect((await ask("/metrics", asAdmin)).status).toBe(403);
    const limited = await keyFor("limited", { role: "admin", scopes: ["mcp"] });
    expect((await ask("/metrics", { key: limited })).status).toBe(403);
    const monitor = await keyFor("monitor", { role: "admin", scopes: ["admin"] });
    expect((await ask("/metrics", { key: monitor })).status).toBe(200);
  });

  it("no cookie of the console opens it, there or below the console", async () => {
    const page = await new ConsolePage().signIn(ADMIN_KEY);
    const cookie = [...page.cookies].map((pair) => pair.join("=")).join("; ");
    expect((await ask("/metrics", { key: null, headers: { ...OWN, cookie } as HeadersInit })).status).toBe(401);
    expect((await page.ask("GET", "/console/api/metrics")).status).toBe(404);
  });

  it("explains how to enable metrics if they are off", async () => {
    const off = await ask("/metrics", {}, { METRICS: "off" });
    const { code, detail } = await off.json<{ code: string; detail: string }>();
    expect([off.status, code, detail]).toEqual([404, "METRICS_OFF", expect.stringContaining("Set `METRICS=on`")]);
    expect((await ask("/metrics", { key: await keyFor("reader") }, { METRICS: "off" })).status).toBe(403);
  });
});

describe("counted values", () => {
  it("requests by edge and status, and refusals by code", async () => {
    const before = await metrics();
    await ask("/api/v1/me");
    await ask("/api/v1/me", { key: null });
    await ask("/mcp/servers/nobody-has-this", { method: "POST", body: "{}" });
    await ask("/health", { key: null });
    const after = await metrics();
    const grown = (name: string, labels: Record<string, string>) =>
      sampleOf(after, `skill_gateway_${name}`, labels) - sampleOf(before, `skill_gateway_${name}`, labels);
    expect([
      grown("requests_total", { edge: "api", status: "2xx" }),
      grown("requests_total", { edge: "api", status: "4xx" }),
      grown("requests_total", { edge: "proxy", status: "4xx" }),
      grown("refusals_total", { code: "UNAUTHENTICATED" }),
      // The health request, and the earlier read of the metrics.
      grown("requests_total", { edge: "other", status: "2xx" }),
    ]).toEqual([1, 1, 1, 1, 2]);
  });

  it("calls at the gateway's servers by name, at those of users only as such", async () => {
    const url = await scripted("counted", {});
    await gatewayServers({ counted: { url, timeout: 60 } });
    const own = await ask("/api/v1/servers/my-private-name", {
      method: "PUT",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ url }),
    });
    expect(own.ok).toBe(true);
    const before = await metrics();
    for (const name of ["counted", "my-private-name"])
      await ask(`/mcp/servers/${name}`, {
        method: "POST",
        headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "a", arguments: {} } }),
      });
    const after = await metrics();
    for (const server of ["counted", "(user)"]) {
      const grown = (name: string) =>
        sampleOf(after, `skill_gateway_${name}`, { server }) - sampleOf(before, `skill_gateway_${name}`, { server });
      expect([server, grown("upstream_calls_total"), grown("upstream_seconds_count")]).toEqual([server, 1, 1]);
    }
    expect(after).not.toContain("my-private-name");
  });

  it("stays when its object is gone from memory, and only grows", async () => {
    await ask("/api/v1/me");
    const before = await metrics();
    await evictDurableObject(env.METER.getByName("meter"));
    const after = await metrics();
    for (const { type, samples } of readOpenMetrics(before).values())
      for (const { name, labels, value } of type === "gauge" ? [] : samples)
        expect(sampleOf(after, name, labels)).toBeGreaterThanOrEqual(value);
    expect(sampleOf(before, "skill_gateway_requests_total", { edge: "api", status: "2xx" })).toBeGreaterThan(0);
  });
});
