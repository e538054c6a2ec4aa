// Scheduled checks of the gateway's MCP servers: what is checked and when, the history, and what checks send.

import { createScheduledController } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { scheduled } from "../../src/cron";
import { call } from "../support/call";
import { protectedServer } from "../support/connections";
import { gatewayServers } from "../support/servers";
import { forget, methods, scripted, seen } from "../support/upstream";

const DAY_MS = 24 * 60 * 60_000;
const DOWN = { status: 503, headers: { "content-type": "text/plain" }, body: "no" };
const BROKEN = { "server/discover": DOWN, initialize: DOWN };

interface Details {
  down_since?: string;
  checks: { at: string; url: string; latency_ms: number; error?: string }[];
}

beforeEach(async () => {
  await forget();
  await gatewayServers({});
});

const run = (settings: Record<string, string> = {}) =>
  scheduled(createScheduledController({ cron: "*/5 * * * *" }), { ...env, ...settings });
const details = async (name: string) => (await call("GET", `/api/v1/mcp-servers/${name}`)).json<Details>();

/** Makes all checks older by this number of milliseconds. */
const age = (ms: number) => env.DB.prepare("UPDATE server_checks SET at = at - ?").bind(ms).run();
const MINUTES = (count: number) => count * 60_000;

describe("the history of a server", () => {
  it("has a check of each address, and the server is down only if all of them fail", async () => {
    const [well, ill] = [await scripted("chk-a", {}), await scripted("chk-b", BROKEN)];
    await gatewayServers({ pair: { url: well, urls: [{ url: well }, { url: ill }] } });
    await run();
    const first = await details("pair");
    expect(first.checks).toEqual([
      { at: expect.stringMatching(/^\d{4}-/), url: well, latency_ms: expect.any(Number) },
      { at: first.checks[0]?.at, url: ill, latency_ms: expect.any(Number), error: "the server returned HTTP 503" },
    ]);
    expect(first.down_since).toBeUndefined();
    await scripted("chk-a", BROKEN);
    await age(MINUTES(16));
    await run();
    const second = await details("pair");
    expect(second.checks.map(({ error }) => error !== undefined)).toEqual([true, true, false, true]);
    expect(second.down_since).toMatch(/^\d{4}-/);
    // A server that is down is checked in the next run, and one that works is not.
    await scripted("chk-b", {});
    await age(MINUTES(5));
    await run();
    const third = await details("pair");
    expect(third.checks).toHaveLength(6);
    expect(third.down_since).toBeUndefined();
    await age(MINUTES(5));
    await run();
    expect((await details("pair")).checks).toHaveLength(6);
  });

  it("ends with a handshake: no list, no call, and the session is closed", async () => {
    const session = { "content-type": "application/json", "mcp-session-id": "s1" };
    const greeting = `{"jsonrpc":"2.0","id":@id,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}`;
    const url = await scripted("chk-session", { initialize: { headers: session, body: greeting } });
    await gatewayServers({ one: { url } });
    await run();
    expect(await methods("/scripted/chk-session")).toEqual([
      "server/discover",
      "initialize",
      "notifications/initialized",
      "DELETE",
    ]);
  });

  it("is deleted after seven days, and with its server", async () => {
    await gatewayServers({
      old: { url: await scripted("chk-old", {}) },
      gone: { url: await scripted("chk-gone", {}) },
    });
    await run();
    const left = async () => (await env.DB.prepare("SELECT server FROM server_checks ORDER BY 1").all()).results;
    expect(await left()).toEqual([{ server: "gone" }, { server: "old" }]);
    await call("DELETE", "/api/v1/mcp-servers/gone");
    expect(await left()).toEqual([{ server: "old" }]);
    await age(7 * DAY_MS - MINUTES(1));
    await scheduled(createScheduledController(), env);
    expect(await left()).toEqual([{ server: "old" }]);
    await age(MINUTES(2));
    await scheduled(createScheduledController(), env);
    expect(await left()).toEqual([]);
  });
});

describe("a run", () => {
  it("checks 20 addresses at most, and the next run continues", async () => {
    const url = await scripted("chk-many", {});
    const names = Array.from({ length: 25 }, (_, n) => `many-${n}`);
    await gatewayServers(Object.fromEntries(names.map((name) => [name, { url }])));
    const checked = async () => {
      const row = await env.DB.prepare("SELECT count(*) AS n FROM server_checks").first<{ n: number }>();
      return row?.n;
    };
    await run();
    expect(await checked()).toBe(20);
    await run();
    expect(await checked()).toBe(25);
    await run();
    expect(await checked()).toBe(25);
  });

  it("checks nothing that is off, and nothing without an interval", async () => {
    const url = await scripted("chk-off", {});
    await gatewayServers({ off: { url, enabled: false } });
    await run();
    await gatewayServers({ on: { url } });
    await run({ MCP_CHECK_MINUTES: "0" });
    expect(await methods("/scripted/chk-off")).toEqual([]);
  });

  it("goes on after a server whose secret is missing, and stores why", async () => {
    const url = await scripted("chk-next", {});
    await gatewayServers({ "a-secret": { url, headers: { "x-key": `\${{secrets.NOWHERE}}` } }, "b-next": { url } });
    await run();
    expect((await details("a-secret")).checks).toMatchObject([{ error: "the secret 'NOWHERE' was not found" }]);
    expect((await details("b-next")).checks).toHaveLength(1);
  });
});

describe("without a user", () => {
  it("no header that depends on the user is sent, and a rejection then counts as an answer", async () => {
    const rejecting = { "server/discover": { status: 401 }, initialize: { status: 401 } };
    const url = await scripted("chk-user", rejecting);
    await gatewayServers({ personal: { url, headers: { "x-user": `\${{user.id}}`, "x-plain": "plain" } } });
    await run();
    expect((await details("personal")).checks).toEqual([
      { at: expect.any(String), url, latency_ms: expect.any(Number) },
    ]);
    const requests = await seen("/scripted/chk-user");
    expect(requests.length).toBeGreaterThan(0);
    for (const { headers } of requests) {
      expect(headers).toMatchObject({ "x-plain": "plain" });
      expect(headers).not.toHaveProperty("x-user");
    }
    // With credentials of the gateway, a rejection is a failure.
    await gatewayServers({ fixed: { url, headers: { authorization: "Bearer of-the-gateway" } } });
    await run();
    expect((await details("fixed")).checks).toMatchObject([{ error: expect.stringContaining("HTTP 401") }]);
  });

  it("an address that depends on the user is not contacted", async () => {
    const url = (await scripted("chk-path", {})).replace("chk-path", `\${{user.id}}`);
    await gatewayServers({ path: { url } });
    await run();
    expect((await details("path")).checks).toEqual([]);
    expect(await methods("/scripted/deployment")).toEqual([]);
  });

  it("a server that users sign in to counts as up, and receives no token", async () => {
    const server = await protectedServer();
    await run();
    expect((await details(server.name)).checks).toMatchObject([{ url: server.url }]);
    expect((await details(server.name)).checks[0]).not.toHaveProperty("error");
    const { calls } = await server.log();
    expect(calls.length).toBeGreaterThan(0);
    expect(calls.filter(({ authorization }) => authorization !== "")).toEqual([]);
  });
});
