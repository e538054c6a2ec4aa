// The gateway's servers in the MCP registry API: what anybody and what a caller can see, and the format that hosts read.

import { exports } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { readRegistryPage } from "../../src/domain/servers/catalog";
import { call, keyFor } from "../support/call";

const SERVERS = "/mcp/registry/v0.1/servers";
const SELF = "test.gateway/skill-gateway";
const HIDDEN = "https://hidden.example.com/mcp";

interface Listed {
  server: { name: string; description: string; version: string; remotes: { type: string; url: string }[] };
  _meta: Record<string, { isLatest: boolean; updatedAt: string }>;
}

interface Page {
  servers: Listed[];
  metadata: { count: number; nextCursor?: string };
}

let [owner, other] = ["", ""];

const page = async (query: string, key: string | null): Promise<Page> => {
  const answer = await call("GET", `${SERVERS}${query}`, { key });
  expect(answer.status).toBe(200);
  return answer.json<Page>();
};
const names = async (query: string, key: string | null) =>
  (await page(query, key)).servers.map(({ server }) => server.name);

beforeAll(async () => {
  [owner, other] = await Promise.all([keyFor("registry-owner"), keyFor("registry-other")]);
  const headers = { "X-Api-Key": ["$", "{{secrets.NONE}}"].join("") };
  const entries = {
    "reg-open": { url: HIDDEN, headers, public: true, description: "Open to all." },
    "reg-closed": { url: HIDDEN, headers },
    "reg-events": { url: HIDDEN, type: "sse" },
    "reg-off": { url: HIDDEN, public: true, enabled: false },
    "reg-ghost": { url: HIDDEN, public: true, ghosts: ["gho_1"] },
  };
  for (const [name, json] of Object.entries(entries))
    expect((await call("PUT", `/api/v1/mcp-servers/${name}`, { json })).status).toBe(201);
  const own = { url: HIDDEN, description: "Mine." };
  for (const name of ["reg-own", "reg-open"])
    expect((await call("PUT", `/api/v1/servers/${name}`, { key: owner, json: own })).status).toBe(201);
});

describe("what is visible", () => {
  it("without a key, the gateway itself and servers that an admin made public", async () => {
    expect(await names("", null)).toEqual(["test.gateway.servers/reg-open", SELF]);
    for (const name of ["reg-closed", "reg-own", "reg-off", "reg-ghost"]) {
      const path = `${SERVERS}/${encodeURIComponent(`test.gateway.servers/${name}`)}/versions/latest`;
      expect([name, (await call("GET", path, { key: null })).status]).toEqual([name, 404]);
    }
  });

  it("with a key, the servers that the caller can use", async () => {
    const all = ["reg-closed", "reg-events", "reg-open"];
    const of = (found: string[]) => found.map((name) => `test.gateway.servers/${name}`);
    expect(await names("?search=reg-", other)).toEqual(of(all));
    expect(await names("?search=reg-", owner)).toEqual(of([...all, "reg-own"]));
  });

  it("of one name, the caller's own server, as at the proxy", async () => {
    const described = async (key: string) => (await page("?search=reg-open", key)).servers[0]?.server.description;
    expect([await described(owner), await described(other)]).toEqual(["Mine.", "Open to all."]);
  });

  it("never an address, a header or a secret of a server", async () => {
    for (const key of [null, owner]) {
      const text = JSON.stringify(await page("?limit=100", key));
      expect(text).not.toMatch(/hidden\.example|X-Api-Key|secrets/i);
    }
  });

  it("nothing with a key that is not valid, or that must not use MCP", async () => {
    expect((await call("GET", SERVERS, { key: "sgw_nonsense" })).status).toBe(401);
    const reader = await keyFor("registry-reader", { scopes: ["skills:read"] });
    expect((await call("GET", SERVERS, { key: reader })).status).toBe(403);
  });

  it("an admin's flag only: users cannot make a server public", async () => {
    const json = { url: HIDDEN, public: true };
    expect((await call("PUT", "/api/v1/servers/reg-mine", { key: owner, json })).status).toBe(400);
  });
});

describe("the format", () => {
  it("is a page that the catalog of another gateway reads", async () => {
    const read = readRegistryPage(await page("?search=reg-", other), "https://gateway.test");
    expect(read?.map(({ entry_name, type, url }) => [entry_name, type, url])).toEqual([
      ["reg-closed", "streamable-http", "https://gateway.test/mcp/servers/reg-closed"],
      ["reg-events", "sse", "https://gateway.test/mcp/servers/reg-events"],
      ["reg-open", "streamable-http", "https://gateway.test/mcp/servers/reg-open"],
    ]);
  });

  it("every server has what VS Code requires: name, description, version, and a `_meta`", async () => {
    for (const { server, _meta } of (await page("", null)).servers) {
      expect(server.name).toMatch(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/);
      expect(server.description.length).toBeGreaterThan(0);
      expect(server.description.length).toBeLessThanOrEqual(100);
      expect(server.version).toMatch(/^\d+\.\d+\.\d+/);
      expect(_meta).toBeTypeOf("object");
    }
  });

  it("returns what VS Code requests: a probe, pages, and one server by its name", async () => {
    // As its mcpGalleryManifestService.ts and mcpGalleryService.ts send it: the cursor is not encoded.
    expect((await page("?limit=1", null)).servers).toHaveLength(1);
    const { metadata } = await page("?limit=1&version=latest", other);
    expect(metadata.nextCursor).toMatch(/^[\w-]+$/);
    const { servers } = await page("?limit=50&version=latest&search=reg-open", null);
    const [name = ""] = servers.map(({ server }) => server.name);
    const latest = await call("GET", `${SERVERS}/${encodeURIComponent(name)}/versions/latest`, { key: null });
    expect(await latest.json()).toEqual(servers[0]);
  });

  it("pages by cursor, and counts the servers of a page", async () => {
    const first = await page("?search=reg-&limit=2", other);
    expect(first.metadata).toEqual({ count: 2, nextCursor: expect.any(String) });
    const second = await page(`?search=reg-&limit=2&cursor=${first.metadata.nextCursor}`, other);
    expect(second.servers.map(({ server }) => server.name)).toEqual(["test.gateway.servers/reg-open"]);
    expect(second.metadata).toEqual({ count: 1 });
  });

  it("filters by version and date, and ignores unknown parameters", async () => {
    const all = await names("?search=reg-", other);
    expect(await names("?search=reg-&version=latest&include_deleted=false&more=1", other)).toEqual(all);
    expect(await names("?search=reg-&version=1.0.0", other)).toEqual(all);
    expect(await names("?search=reg-&version=2.0.0", other)).toEqual([]);
    expect(await names("?search=reg-&updated_since=2020-01-01T00:00:00Z", other)).toEqual(all);
    expect(await names("?search=reg-&updated_since=2100-01-01T00:00:00Z", other)).toEqual([]);
  });

  it.each(["?limit=0", "?limit=many", "?cursor=nonsense", "?updated_since=yesterday"])("%s is 400", async (query) => {
    const answer = await call("GET", `${SERVERS}${query}`, { key: null });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: expect.any(String), code: expect.any(String) });
  });

  it("returns one server by name and version, and its versions", async () => {
    const place = `${SERVERS}/${encodeURIComponent("test.gateway.servers/reg-open")}/versions`;
    const [latest, exact, missing, list] = await Promise.all(
      ["/latest", "/1.0.0", "/9.9.9", ""].map((version) => call("GET", `${place}${version}`, { key: null })),
    );
    expect([latest?.status, exact?.status, missing?.status, list?.status]).toEqual([200, 200, 404, 200]);
    const one = await latest?.json<Listed>();
    expect(one).toEqual(await exact?.json());
    expect(await list?.json()).toEqual({ servers: [one], metadata: { count: 1 } });
    expect(await missing?.json()).toMatchObject({ error: expect.stringContaining("not found"), status: 404 });
  });
});

describe("origins", () => {
  it.each(["https://page.test", "vscode-file://vscode-app", "null"])("%s can read it", async (origin) => {
    const asked = { "access-control-request-method": "GET", "access-control-request-headers": "authorization" };
    const ask = (method: string, more: Record<string, string> = {}) =>
      exports.default.fetch(`https://gateway.test${SERVERS}`, { method, headers: { origin, ...more } });
    const preflight = await ask("OPTIONS", asked);
    const allowed = (name: string) => preflight.headers.get(`access-control-allow-${name}`);
    expect([allowed("origin"), allowed("methods"), allowed("headers")]).toEqual([
      ...["*", "GET,OPTIONS", "Authorization,Content-Type"],
    ]);
    const answer = await ask("GET");
    expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([200, "*"]);
    expect(answer.headers.get("access-control-allow-credentials")).toBeNull();
    await answer.body?.cancel();
  });

  it("the conversation 'registry' is still a conversation, which other pages cannot use", async () => {
    const headers = { origin: "https://page.test" };
    expect((await call("POST", "/mcp/registry", { headers, json: {} })).status).toBe(403);
  });
});

it("anybody's answer can be cached, a caller's cannot", async () => {
  const cached = async (key: string | null) => (await call("GET", SERVERS, { key })).headers.get("cache-control");
  expect([await cached(null), await cached(owner)]).toEqual(["public, max-age=60", "private, no-store"]);
});
