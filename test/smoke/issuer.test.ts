// A gateway with an external issuer (npm `oidc-provider`). Users sign in through the gateway's page, or hosts sign in at the issuer
// directly. Its tokens grant access only to their audience.

import { createServer } from "node:net";
import { auth, Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Organization } from "../support/oidc/organization";
import { form, skillZip } from "../support/skill";
import { type Gateway, startShared } from "./launcher";
import { SignedInHost, Visitor } from "./visitor";

const BACK = "http://127.0.0.1:39002/callback";
const OWN = { id: "the-gateway", secret: "of the gateway" };
const URLS = ["/mcp", "/mcp/my-project", "/mcp/servers/itself"];

let organization: Organization;
let gateways: Record<"own" | "outside", Gateway>;

beforeAll(async () => {
  const [own, outside] = [await freePort(), await freePort()];
  organization = await Organization.start({ ...OWN, redirectUri: `http://127.0.0.1:${own}/oauth/callback` });
  const settings = (port: number) => ({
    JWT_ISSUER: organization.issuer,
    JWT_JWKS_URL: organization.keysUrl,
    JWT_AUDIENCE: `http://127.0.0.1:${port}/mcp`,
    JWT_GROUPS_CLAIM: "groups",
  });
  const page = { OAUTH_SERVER: "own", OIDC_CLIENT_ID: OWN.id, OIDC_CLIENT_SECRET: OWN.secret };
  gateways = {
    own: await startShared({ port: own, env: { ...settings(own), ...page } }),
    outside: await startShared({ port: outside, env: { ...settings(outside), OAUTH_SCOPES: "mcp" } }),
  };
}, 60_000);
afterAll(() => organization?.close());

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}

async function callAt(url: string, authProvider: SignedInHost, skill = "mermaid-diagram"): Promise<string> {
  const client = new Client({ name: "host", version: "1.0.0" });
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { authProvider }));
  const answer = await client.callTool({ name: "load_skill", arguments: { skill_name: skill } });
  await client.close();
  return JSON.stringify(answer.content);
}

async function opens(gateway: Gateway, token: string, path: string): Promise<boolean> {
  const post = { jsonrpc: "2.0", id: 1, method: "ping" };
  const init = path.startsWith("/mcp") ? { method: "POST", body: JSON.stringify(post) } : {};
  const headers = {
    authorization: `Bearer ${token}`,
    accept: "application/json, text/event-stream",
    "content-type": "application/json",
  };
  return (await fetch(gateway.url + path, { ...init, headers })).status !== 401;
}

async function signIn(host: SignedInHost, serverUrl: string): Promise<void> {
  await auth(host, { serverUrl });
  const iss = host.iss === undefined ? {} : { iss: host.iss };
  expect(await auth(host, { serverUrl, authorizationCode: host.code, ...iss })).toBe("AUTHORIZED");
}

describe("the gateway's page with the issuer's button", () => {
  const visit = async (url: string) => {
    const visitor = new Visitor(BACK);
    const shown = await visitor.go(url);
    expect(shown.text).toContain(`Sign in at ${new URL(organization.issuer).host}`);
    const consent = await visitor.post(shown.url.href, { how: "issuer" });
    expect(consent.url.href).toBe(shown.url.href);
    expect(consent.text).toContain(`as ${organization.account}?`);
    return (await visitor.post(consent.url.href, { how: "approve" })).url;
  };

  it.each(["/mcp", "/mcp/my-project"])("signs in from %s alone, and in there only", async (path) => {
    const gateway = gateways.own;
    organization.account = "ada";
    const host = new SignedInHost(BACK, visit);
    await signIn(host, gateway.url + path);
    expect(await callAt(gateway.url + path, host)).toContain("Mermaid");
    const token = host.kept?.access_token ?? "";
    for (const other of [...URLS, "/api/v1/me"])
      expect([other, await opens(gateway, token, other)]).toEqual([other, other === path]);
    const listed = await gateway.fetch("/api/v1/grants");
    const { items } = (await listed.json()) as { items: { user_id: string; signed_in_by: string; resource: string }[] };
    expect(items.find(({ resource }) => resource === gateway.url + path)).toMatchObject({
      user_id: "ada",
      signed_in_by: "issuer",
    });
  });

  it("gives the groups that the ID token names", async () => {
    const gateway = gateways.own;
    const headers = { "content-type": "application/json" };
    const made = await gateway.fetch("/api/v1/groups", { method: "POST", headers, body: '{ "name": "crew" }' });
    expect(made.status).toBe(201);
    const skill = form(skillZip({ name: "of-the-crew" }), { namespace: "crew" });
    const published = await gateway.fetch("/api/v1/kinds/skills/upload", { method: "POST", body: skill });
    expect(published.status, await published.text()).toBe(201);
    const seen: boolean[] = [];
    for (const groups of [["crew"], []]) {
      Object.assign(organization, { account: "bea", groups });
      const host = new SignedInHost(BACK, visit);
      await signIn(host, `${gateway.url}/mcp`);
      seen.push((await callAt(`${gateway.url}/mcp`, host, "of-the-crew")).includes("Do it like this."));
    }
    expect(seen).toEqual([true, false]);
  });
});

describe("the issuer itself", () => {
  const visit = async (url: string) => (await new Visitor(BACK).go(url)).url;

  it.each(URLS)("signs a host in from %s alone; its token opens what its audience says", async (path) => {
    const gateway = gateways.outside;
    organization.account = "dan";
    const host = new SignedInHost(BACK, visit);
    await signIn(host, gateway.url + path);
    const token = host.kept?.access_token ?? "";
    expect(decodeJwt(token)).toMatchObject({ iss: organization.issuer, aud: gateway.url + path });
    if (path !== "/mcp/servers/itself") expect(await callAt(gateway.url + path, host)).toContain("Mermaid");
    // The audience in the settings belongs to the whole gateway.
    const all = path === "/mcp";
    for (const other of [...URLS, "/mcp/another", "/api/v1/me", "/openai/v1/models"])
      expect([other, await opens(gateway, token, other)]).toEqual([other, all || other === path]);
    expect(await opens(gateways.own, token, path)).toBe(false);
  });

  it("gives the gateway nothing to sign in with: its own endpoints are closed", async () => {
    const gateway = gateways.outside;
    for (const route of ["/oauth/authorize", "/.well-known/oauth-authorization-server"])
      expect((await fetch(gateway.url + route)).status).toBe(404);
    const registered = await fetch(`${gateway.url}/oauth/register`, { method: "POST", body: "{}" });
    expect(registered.status).toBe(404);
  });
});
