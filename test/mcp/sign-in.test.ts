// What a host learns that looks for a sign-in, at whatever MCP URL it was given; and what a token for one URL opens.

import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { audiencesAt } from "../../src/domain/access/token";
import { askWith } from "../support/app";
import { call } from "../support/call";
import { claims, ISSUER, Issuer, sign } from "../support/issuer";

const GATEWAY = "https://gateway.test";
const URLS = [
  "/mcp",
  "/mcp/my-project",
  "/mcp/servers/x",
  "/mcp?ghost=researcher",
  "/mcp/a%3Ab?preload=x,y&tool_mode=fixed",
];

describe("an MCP URL", () => {
  it.each(URLS)("%s is the resource of its own metadata", async (path) => {
    const refused = await askWith({}, path, { method: "POST" });
    expect(refused.status).toBe(401);
    const [, where = ""] = /resource_metadata="([^"]+)"/.exec(refused.headers.get("www-authenticate") ?? "") ?? [];
    const metadata = await askWith({}, where.slice(GATEWAY.length));
    expect([metadata.status, await metadata.json()]).toMatchObject([200, { resource: GATEWAY + path }]);
  });

  it("tells pages of the web where to sign in", async () => {
    const headers = { origin: "https://app.example", "access-control-request-headers": "mcp-protocol-version" };
    const wellKnown = "/.well-known/oauth-protected-resource/mcp/p";
    const asked = await askWith({}, wellKnown, {
      method: "OPTIONS",
      headers: { ...headers, "access-control-request-method": "GET" },
    });
    expect([asked.status, asked.headers.get("access-control-allow-origin")]).toEqual([204, "*"]);
    expect(asked.headers.get("access-control-allow-headers")).toContain("mcp-protocol-version");
    const read = await askWith({}, wellKnown, { headers });
    expect(read.headers.get("access-control-allow-origin")).toBe("*");
    const settings = { ALLOWED_ORIGINS: "https://app.example" };
    const refused = await askWith(settings, "/mcp/p", { method: "POST", headers });
    expect(refused.headers.get("access-control-expose-headers")?.toLowerCase()).toContain("www-authenticate");
  });
});

it.each([
  ["POST", "/register"],
  ["POST", "/token"],
  ["GET", "/authorize"],
  ["GET", "/.well-known/oauth-authorization-server"],
  ["GET", "/.well-known/oauth-authorization-server/mcp/p"],
])("%s %s tells in OAuth's words to send a key", async (method, path) => {
  const answer = await call(method, path, { key: null });
  expect([answer.status, await answer.json()]).toMatchObject([
    404,
    {
      error: expect.stringMatching(/^invalid_/),
      error_description: expect.stringContaining("Authorization: Bearer <key>"),
    },
  ]);
  const signed = await askWith(SETTINGS, path, { method });
  expect(await signed.json()).toMatchObject({ error_description: expect.stringContaining(ISSUER) });
});

const SETTINGS = { JWT_ISSUER: ISSUER, JWT_AUDIENCE: `${GATEWAY}/mcp`, JWT_JWKS_URL: `${ISSUER}/keys.json` };

describe("a token for one MCP URL", () => {
  let issuer: Issuer;
  let pair: Awaited<ReturnType<Issuer["pair"]>>;
  beforeAll(async () => {
    issuer = new Issuer();
    pair = await issuer.add("ec");
    vi.spyOn(globalThis, "fetch").mockImplementation((input) => issuer.fetch(String(input)));
  });
  afterAll(() => vi.restoreAllMocks());

  const at = async (aud: string, path: string, origin = GATEWAY) => {
    const headers = { authorization: `Bearer ${await sign(pair, claims({ aud }))}`, host: new URL(origin).host };
    const answer = await askWith({ ...SETTINGS, JWT_JWKS_URL: issuer.keysUrl }, path, {
      method: path.startsWith("/api") ? "GET" : "POST",
      headers,
    });
    await answer.body?.cancel();
    return answer.status !== 401;
  };

  it("opens this one, and nothing else", async () => {
    expect(await at(`${GATEWAY}/mcp/one`, "/mcp/one")).toBe(true);
    expect(await at(`${GATEWAY}/mcp/one`, "/mcp/one?preload=x")).toBe(true);
    expect(await at(`${GATEWAY}/mcp?ghost=a`, "/mcp?ghost=a")).toBe(true);
    expect(await at(`${GATEWAY}/mcp/servers/x`, "/mcp/servers/x/message?to=y")).toBe(true);
    for (const path of ["/mcp", "/mcp/on", "/mcp/one1", "/mcp/servers/one", "/api/v1/me", "/api/v1/conversations/one"])
      expect([path, await at(`${GATEWAY}/mcp/one`, path)]).toEqual([path, false]);
    expect(await at(`${GATEWAY}/mcp?ghost=a`, "/mcp?ghost=b")).toBe(false);
    expect(await at(`${GATEWAY}/mcp?ghost=a`, "/mcp")).toBe(false);
    expect(await at(`${GATEWAY}/api/v1/me`, "/api/v1/me")).toBe(false);
  });

  it("counts only where the settings say that the gateway is, whatever the request says", async () => {
    expect(await at("https://other.test/mcp/one", "/mcp/one", "https://other.test")).toBe(false);
    expect(audiencesAt(["api://gateway"], "/mcp/one")).toEqual(["api://gateway"]);
  });
});

describe("a page's origin", () => {
  const from = async (origin: string) => (await askWith({}, "/mcp", { method: "POST", headers: { origin } })).status;

  it("may be a desktop program's, and not any page's", async () => {
    for (const origin of ["vscode-file://vscode-app", "app://obsidian.md", "tauri://localhost"])
      expect([origin, await from(origin)]).toEqual([origin, 401]);
    for (const origin of ["null", "https://evil.example", "http://evil.example", "file://", "FILE://x", "blob://x"])
      expect([origin, await from(origin)]).toEqual([origin, 403]);
  });
});
