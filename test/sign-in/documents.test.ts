// OAuth clients whose id is the URL of a metadata document: which documents are fetched, how often, and which fields are trusted. An
// independent library also validates the gateway's own documents.

import * as oauth from "oauth4webapi";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { askWith } from "../support/app";
import { expectLog } from "../support/logs";
import { BACK, Browser, GATEWAY, openPage, register, request } from "../support/sign-in";

/** Each test uses its own document URL, because documents are cached. */
let at: string;
let addresses = 0;
const documentOf = (more: object = {}) => ({
  ...{ client_id: at, client_name: "Host", redirect_uris: ["https://host.dev/back", "http://127.0.0.1/callback"] },
  ...more,
});

describe("a program with a document", () => {
  let asked: [string, RequestInit | undefined][];
  let answer: () => Response | Promise<Response>;
  beforeEach(() => {
    at = `https://host.dev/oauth/${addresses++}.json`;
    asked = [];
    answer = () => Response.json(documentOf());
    vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
      asked.push([String(input), init]);
      return answer();
    });
  });
  afterEach(() => vi.restoreAllMocks());

  const begin = (more: Record<string, string | null> = {}) => request({ client_id: at, redirect_uri: BACK, ...more });

  it("is shown with its host, and fetched once while it is valid, without redirects or credentials", async () => {
    const browser = new Browser();
    const page = await openPage(browser, { client_id: at });
    await openPage(browser, { client_id: at, redirect_uri: "https://host.dev/back" });
    expect(asked).toEqual([
      [at, { headers: { accept: "application/json" }, redirect: "manual", signal: expect.any(AbortSignal) }],
    ]);
    const text = await (await browser.send(page)).text();
    expect(text).toContain("Published by <strong>host.dev</strong>");
    expect(text).toContain("Any program on this computer can receive the answer");
  });

  const WRONG: [string, () => Response | Promise<Response>][] = [
    ["redirects", () => new Response(null, { status: 302, headers: { location: "http://169.254.169.254/" } })],
    ["is not there", () => new Response("no", { status: 404 })],
    ["is a page", () => new Response(JSON.stringify(documentOf()), { headers: { "content-type": "text/html" } })],
    ["is no JSON", () => new Response("{", { headers: { "content-type": "application/json" } })],
    ["is too large", () => Response.json(documentOf({ padding: "x".repeat(9_000) }))],
    ["speaks for another", () => Response.json(documentOf({ client_id: "https://claude.ai/oauth/client.json" }))],
    ["names no redirect URI", () => Response.json({ client_id: at })],
    ["names none that can be used", () => Response.json(documentOf({ redirect_uris: ["javascript:x"] }))],
    ["does not come", () => Promise.reject(new Error("connect"))],
  ];

  it.each(WRONG)("that %s is rejected, and not fetched again at once", async (problem, wrong) => {
    answer = wrong;
    if (problem === "does not come") expectLog("client_document_failed");
    for (let n = 0; n < 3; n++) {
      const refused = await new Browser().send(await begin());
      expect([refused.status, refused.headers.get("location")]).toEqual([400, null]);
      expect(await refused.text()).toContain("is not valid");
    }
    expect(asked).toHaveLength(1);
  });

  it.each([
    ...["http://host.dev/client.json", "https://127.0.0.1/client.json", "https://169.254.169.254/latest/meta-data/x"],
    ...[
      "https://localhost:8787/client.json",
      "https://printer.local/client.json",
      `${GATEWAY}/client.json`,
      "file:///etc/passwd",
    ],
  ])("at %s is never fetched, in a development build too", async (client_id) => {
    const refused = await new Browser().send(await begin({ client_id }));
    expect([refused.status, asked]).toEqual([400, []]);
  });

  it("may send its answer to its own addresses only", async () => {
    const refused = await new Browser().send(await begin({ redirect_uri: "https://host.dev/other" }));
    expect([refused.status, refused.headers.get("location")]).toEqual([400, null]);
  });
});

describe("strangers", () => {
  it("that register the same program are one client without a secret", async () => {
    const ids = await Promise.all([
      register({ token_endpoint_auth_method: "client_secret_post" }),
      register({ logo_uri: "https://evil.example/logo.svg" }),
      register(),
    ]);
    expect(new Set(ids).size).toBe(1);
    expect(ids[0]).toMatch(/^dcr_[0-9a-f]{64}$/);
    const body = JSON.stringify({ redirect_uris: [BACK], token_endpoint_auth_method: "client_secret_basic" });
    const answer = await askWith({}, "/oauth/register", { method: "POST", body });
    const told = await answer.json<Record<string, unknown>>();
    expect(told).toMatchObject({ token_endpoint_auth_method: "none", redirect_uris: [BACK], scope: "mcp" });
    expect(told).not.toHaveProperty("client_secret");
  });

  it("are refused in OAuth's words, and beyond sixty new programs an hour from one address", async () => {
    const send = (body: string, settings = {}) =>
      askWith(settings, "/oauth/register", { method: "POST", body, headers: { "cf-connecting-ip": "192.0.2.7" } });
    for (const [body, error] of [
      ["", "invalid_client_metadata"],
      ["[]", "invalid_client_metadata"],
      ["{}", "invalid_redirect_uri"],
      ['{"redirect_uris":["javascript:x"]}', "invalid_redirect_uri"],
      [`{"redirect_uris":["${BACK}"],"grant_types":["client_credentials"]}`, "invalid_client_metadata"],
    ] as const) {
      const answer = await send(body);
      expect([body, answer.status, await answer.json()]).toMatchObject([body, 400, { error }]);
    }
    expect((await send("x".repeat(40_000))).status).toBe(413);
    const LIMITED = { RATE_LIMITS: "true" };
    const program = (n: number) => JSON.stringify({ client_name: `p${n}`, redirect_uris: [BACK] });
    for (let n = 0; n < 60; n++) expect((await send(program(n), LIMITED)).status).toBe(201);
    const refused = await send(program(60), LIMITED);
    expect([refused.status, Number(refused.headers.get("retry-after")) > 0]).toEqual([429, true]);
    expect((await send(program(3), LIMITED)).status).toBe(201);
  });
});

describe("an outside judge of metadata (oauth4webapi)", () => {
  it.each(["/mcp", "/mcp/my-project", "/mcp/servers/x", "/mcp?ghost=researcher", "/mcp/a%3Ab?preload=x"])(
    "accepts the metadata from %s alone",
    async (path) => {
      const ask = (url: string) => askWith({}, url.slice(GATEWAY.length));
      const resource = new URL(GATEWAY + path);
      const options = { [oauth.customFetch]: (url: string) => ask(url) };
      const protectedBy = await oauth.processResourceDiscoveryResponse(
        resource,
        await oauth.resourceDiscoveryRequest(resource, options),
      );
      const issuer = new URL(protectedBy.authorization_servers?.[0] ?? "");
      const server = await oauth.processDiscoveryResponse(
        issuer,
        await oauth.discoveryRequest(issuer, { ...options, algorithm: "oauth2" }),
      );
      expect(server).toMatchObject({ issuer: GATEWAY, code_challenge_methods_supported: ["S256"] });
      const back = new URL(`${BACK}?code=c&state=s&iss=${encodeURIComponent(GATEWAY)}`);
      expect(oauth.validateAuthResponse(server, { client_id: "c" }, back, "s").get("code")).toBe("c");
    },
  );
});
