// OAuth discovery for hosts at every MCP URL, and the URLs for which a token is valid.

import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { audiencesAt } from "../../src/domain/access/token";
import { askWith } from "../support/app";
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

  it("shows web pages where to sign in", async () => {
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

describe("the gateway as its own authorization server", () => {
  it.each(URLS)("is named by the metadata of %s, with the one scope", async (path) => {
    const metadata = await askWith({}, `/.well-known/oauth-protected-resource${path}`);
    expect(await metadata.json()).toMatchObject({
      resource: GATEWAY + path,
      authorization_servers: [GATEWAY],
      scopes_supported: ["mcp"],
    });
    const refused = await askWith({}, path, { method: "POST" });
    expect(refused.headers.get("www-authenticate")).toMatch(/, scope="mcp"$/);
  });

  it("returns the fields of RFC 8414, and always names the same origin", async () => {
    const where = "/.well-known/oauth-authorization-server";
    const answer = await askWith({}, where);
    expect([answer.status, await answer.json()]).toMatchObject([
      200,
      {
        issuer: GATEWAY,
        authorization_endpoint: `${GATEWAY}/oauth/authorize`,
        token_endpoint: `${GATEWAY}/oauth/token`,
        registration_endpoint: `${GATEWAY}/oauth/register`,
        client_id_metadata_document_supported: true,
        code_challenge_methods_supported: ["S256"],
        authorization_response_iss_parameter_supported: true,
      },
    ]);
    const PUBLIC_ORIGIN = "https://skills.example.com";
    const named = await askWith({ PUBLIC_ORIGIN }, where);
    expect(await named.json()).toMatchObject({ issuer: PUBLIC_ORIGIN, token_endpoint: `${PUBLIC_ORIGIN}/oauth/token` });
    const resource = await askWith({ PUBLIC_ORIGIN }, "/.well-known/oauth-protected-resource/mcp/p");
    expect(await resource.json()).toMatchObject({ resource: `${PUBLIC_ORIGIN}/mcp/p` });
    const closed = await (await askWith({ OAUTH_REGISTRATION: "off" }, where)).json<object>();
    expect(closed).not.toHaveProperty("registration_endpoint");
    expect((await askWith({ OAUTH_REGISTRATION: "off" }, "/oauth/register", { method: "POST" })).status).toBe(404);
  });

  it("uses a configured issuer, whose scopes are in metadata and challenge, unless the operator disables it", async () => {
    const settings = { ...SETTINGS, OAUTH_SCOPES: "openid,skills" };
    const metadata = await askWith(settings, "/.well-known/oauth-protected-resource/mcp");
    expect(await metadata.json()).toMatchObject({
      authorization_servers: [ISSUER],
      scopes_supported: ["openid", "skills"],
    });
    const refused = await askWith(settings, "/mcp", { method: "POST" });
    expect(refused.headers.get("www-authenticate")).toContain('scope="openid skills"');
    for (const path of ["/oauth/authorize", "/.well-known/oauth-authorization-server"])
      expect((await askWith(settings, path)).status).toBe(404);
    const own = await askWith({ ...SETTINGS, OAUTH_SERVER: "own" }, "/.well-known/oauth-protected-resource/mcp");
    expect(await own.json()).toMatchObject({ authorization_servers: [GATEWAY] });
  });
});

it.each([
  ["POST", "/register"],
  ["POST", "/token"],
  ["GET", "/authorize"],
  ["GET", "/.well-known/openid-configuration"],
  ["GET", "/.well-known/oauth-authorization-server/mcp/p"],
])("%s %s returns an OAuth error with the way to continue", async (method, path) => {
  const told = async (settings: object) => {
    const answer = await askWith({ ...settings }, path, { method });
    const { error, error_description } = await answer.json<{ error: string; error_description: string }>();
    expect([answer.status, error]).toEqual([404, expect.stringMatching(/^invalid_/)]);
    return error_description;
  };
  expect(await told({})).toContain("/.well-known/oauth-authorization-server");
  expect(await told(SETTINGS)).toContain(ISSUER);
  expect(await told({ SECRETS_KEY: undefined })).toContain("Authorization: Bearer <key>");
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

  it("uses only the origin in the settings, whatever the request contains", async () => {
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
