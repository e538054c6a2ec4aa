// `npm run try:sign-in`: real MCP hosts sign their user in with only the URL, in Chromium, and call a tool. Their tokens are valid for that
// URL only.

import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Gateway, startShared } from "../../smoke/launcher";
import { UserBrowser } from "./browser";
import { codex, type Home, type KnownClient, mcpInspector, mcpRemote } from "./hosts";

const URLS = ["/mcp", "/mcp/my-project", "/mcp/servers/itself"];
const ELSEWHERE = [...URLS, "/mcp/other", "/api/v1/me", "/openai/v1/models"];

let gateway: Gateway;
let browser: UserBrowser;
let key = "";
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "try-sign-in-"));
  gateway = await startShared();
  key = (await made<{ key: string }>("POST", "/api/v1/keys", { user_id: "alice" })).key;
  const headers = { Authorization: `Bearer ${key}` };
  await made("PUT", "/api/v1/mcp-servers/itself", { url: `${gateway.url}/mcp`, type: "streamable-http", headers });
  browser = await UserBrowser.start(() => key);
});
afterAll(async () => {
  await browser?.stop();
  await rm(folder, { recursive: true, force: true });
});

async function made<T>(method: string, route: string, body: object): Promise<T> {
  const headers = { "content-type": "application/json" };
  const answer = await gateway.fetch(route, { method, headers, body: JSON.stringify(body) });
  const text = await answer.text();
  expect(answer.status, text).toBeLessThan(300);
  return JSON.parse(text) as T;
}

/** Registers an OAuth client as an admin does, for hosts that need a client id and secret. All redirect URIs are on this machine. */
async function knownClient(): Promise<KnownClient> {
  const paths = ["/callback", "/oauth/callback"];
  const redirect_uris = ["127.0.0.1", "localhost"].flatMap((host) => paths.map((path) => `http://${host}${path}`));
  const words = { display_name: "A known host", redirect_uris };
  await gateway.fetch("/api/v1/oauth-clients/known", { method: "DELETE" });
  const client = await made<{ client_id: string; client_secret: string }>("PUT", "/api/v1/oauth-clients/known", words);
  return { id: client.client_id, secret: client.client_secret };
}

async function newHome(): Promise<Home> {
  const home = await mkdtemp(path.join(folder, "home-"));
  await mkdir(path.join(home, ".codex"));
  const env = { PATH: process.env.PATH ?? "", HOME: home, CODEX_HOME: path.join(home, ".codex") };
  return { folder: home, env: { ...env, ...browser.env } };
}

async function statusAt(route: string, token: string): Promise<number> {
  return (await fetch(gateway.url + route, { headers: { authorization: `Bearer ${token}` } })).status;
}

describe.each([mcpRemote, mcpInspector, codex])("$name", (host) => {
  it.each(URLS)("signs in from %s alone, calls a tool, and asks nobody the next time", async (route) => {
    const home = await newHome();
    const before = browser.opened.length;
    const called = await host.call(home, gateway.url + route).catch((error: Error) => {
      throw new Error([error.message, ...browser.problems].join("\n"));
    });
    expect(called).toContain("Drawing Mermaid diagrams");
    expect(browser.opened.length - before).toBe(1);
    expect(await host.call(home, gateway.url + route)).toContain("Drawing Mermaid diagrams");
    expect([browser.opened.length - before, browser.problems]).toEqual([1, []]);
    const token = await host.token(home);
    for (const other of ELSEWHERE)
      if (other !== route) expect([other, await statusAt(other, token)]).toEqual([other, 401]);
  });

  it("signs in with an id and a secret that an admin has given it", async () => {
    const home = await newHome();
    const client = await knownClient();
    const called = await host.call(home, `${gateway.url}/mcp`, client).catch((error: Error) => {
      throw new Error([error.message, ...browser.problems].join("\n"));
    });
    expect([called.includes("Drawing Mermaid diagrams"), browser.problems]).toEqual([true, []]);
    expect(await host.call(home, `${gateway.url}/mcp`, client)).toContain("Drawing Mermaid diagrams");
    const { items } = JSON.parse(await (await gateway.fetch("/api/v1/grants")).text());
    expect(items[0]).toMatchObject({ client_id: client.id, user_id: "alice" });
  });
});
