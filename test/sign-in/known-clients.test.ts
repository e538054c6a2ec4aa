// OAuth clients registered by an admin: they sign users in like any other client, and authenticate with a secret at the token endpoint.

import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { exchangeGrantCode } from "../../src/services/sign-in/exchange";
import { call, keyFor } from "../support/call";
import { errorIn, initializeWith, post, signingIn, type tokensIn } from "../support/grants";
import { allow, BACK, Browser, GATEWAY, openPage, register, VERIFIER } from "../support/sign-in";

const CLIENTS = "/api/v1/oauth-clients";
const WORDS = { display_name: "The team's host", redirect_uris: [BACK, "https://claude.ai/api/mcp/auth_callback"] };

interface Known {
  client_id: string;
  client_secret: string;
}

type Tokens = Awaited<ReturnType<typeof tokensIn>>;

let made = 0;
async function known(): Promise<Known & { name: string }> {
  const name = `host-${++made}`;
  const answer = await call("PUT", `${CLIENTS}/${name}`, { json: WORDS });
  expect(answer.status).toBe(201);
  return { name, ...(await answer.json<Known>()) };
}

const basic = ({ client_id, client_secret }: Known, encode: (text: string) => string = encodeURIComponent) => ({
  authorization: `Basic ${btoa(`${encode(client_id)}:${encode(client_secret)}`)}`,
});

/** Returns the form that a client posts for a code, without its client authentication. */
const codeForm = (code: string) => ({
  ...{ grant_type: "authorization_code", code },
  ...{ redirect_uri: BACK, code_verifier: VERIFIER },
});

const refreshForm = (refresh_token: string) => ({ grant_type: "refresh_token", refresh_token });

async function codeOf(client_id: string): Promise<string> {
  const browser = new Browser();
  const page = await openPage(browser, { client_id });
  return (await allow(browser, page, await keyFor("known-user"))).searchParams.get("code") ?? "";
}

async function tokensOf({ client_id, client_secret }: Known): Promise<Tokens> {
  const form = { ...codeForm(await codeOf(client_id)), client_id, client_secret };
  const answer = await post("/oauth/token", form);
  expect(answer.status).toBe(200);
  return answer.json<Tokens>();
}

describe("a program that an admin has made known", () => {
  it.each([
    ["client_secret_post", (client: Known) => [{ ...client }, {}]],
    ["client_secret_basic", (client: Known) => [{}, basic(client)]],
    ["client_secret_basic without encoding", (client: Known) => [{}, basic(client, (text) => text)]],
    ["client_secret_basic and its id again", (client: Known) => [{ client_id: client.client_id }, basic(client)]],
  ] as const)("signs a user in by %s, and uses the token", async (_, proof) => {
    const { name: _name, ...client } = await known();
    const [form, headers] = proof(client) as [Record<string, string>, Record<string, string>];
    const first = await post("/oauth/token", { ...codeForm(await codeOf(client.client_id)), ...form }, headers);
    expect(first.status).toBe(200);
    const tokens = await first.json<Tokens>();
    expect((await initializeWith("/mcp", tokens.access_token)).status).toBe(200);
    const next = await post("/oauth/token", { ...refreshForm(tokens.refresh_token), ...form }, headers);
    expect(next.status).toBe(200);
    const { refresh_token } = await next.json<Tokens>();
    const given = await post("/oauth/revoke", { token: refresh_token, ...form }, headers);
    expect([given.status, (await initializeWith("/mcp", tokens.access_token)).status]).toEqual([200, 401]);
  });

  it("is shown as registered by an admin", async () => {
    const { client_id } = await known();
    const browser = new Browser();
    const text = await (await browser.send(await openPage(browser, { client_id }))).text();
    expect(text).toContain("<strong>The team&#39;s host</strong>. Registered by an admin of this gateway.");
    const stranger = await (await browser.send(await openPage(browser))).text();
    expect(stranger).toContain("The program registered itself. Its name is not verified.");
  });

  it("gets nothing for a code, a refresh token or a revocation without its secret, and burns nothing so", async () => {
    const client = await known();
    const other = await known();
    const { client_id, client_secret } = client;
    const code = await codeOf(client_id);
    const tokens = await tokensOf(client);
    const mistyped = client_secret.slice(0, -1) + (client_secret.endsWith("0") ? "1" : "0");
    const digest = (await env.DB.prepare("SELECT secret_hash FROM known_clients").first<string>("secret_hash")) ?? "";
    const WRONG: [string, Record<string, string>, Record<string, string>, string][] = [
      ["no secret", { client_id }, {}, "401 invalid_client"],
      ["an empty secret", { client_id, client_secret: "" }, {}, "401 invalid_client"],
      ["a mistyped secret", { client_id, client_secret: mistyped }, {}, "401 invalid_client"],
      ["the secret's digest", { client_id, client_secret: digest }, {}, "401 invalid_client"],
      ["another program's secret", { client_id, client_secret: other.client_secret }, {}, "401 invalid_client"],
      ["a program that is not there", { client_id: "app_nobody", client_secret }, {}, "401 invalid_client"],
      ["a mistyped secret in the header", {}, basic({ client_id, client_secret: mistyped }), "401 invalid_client"],
      ["a header that holds nothing", {}, { authorization: "Basic" }, "401 invalid_client"],
      ["a header that is no base64", {}, { authorization: "Basic %%%" }, "401 invalid_client"],
      ["a header with a bad escape", {}, { authorization: `Basic ${btoa("app_x%:y")}` }, "401 invalid_client"],
      ["the secret twice", { client_secret }, basic(client), "400 invalid_request"],
      ["two ids", { client_id: other.client_id }, basic(client), "400 invalid_request"],
    ];
    for (const [what, form, headers, error] of WRONG) {
      const asked = [
        ["/oauth/token", { ...codeForm(code), ...form }],
        ["/oauth/token", { ...refreshForm(tokens.refresh_token), ...form }],
        ["/oauth/revoke", { token: tokens.refresh_token, ...form }],
      ] as const;
      for (const [path, body] of asked) {
        const answer = await post(path, body, headers);
        if (error.startsWith("401")) expect(answer.headers.get("www-authenticate")).toContain("Basic");
        expect([what, path, await errorIn(answer)]).toEqual([what, path, error]);
      }
    }
    // A thief of the token cannot revoke its grant without the client's secret, neither without a client id nor with that of a public
    // client.
    expect(await errorIn(await post("/oauth/revoke", { token: tokens.refresh_token }))).toBe("401 invalid_client");
    const stranger = { token: tokens.refresh_token, client_id: await register() };
    expect((await post("/oauth/revoke", stranger)).status).toBe(200);
    // Another authenticated client cannot use it.
    const byOther = { client_id: other.client_id, client_secret: other.client_secret };
    expect(await errorIn(await post("/oauth/token", { ...codeForm(code), ...byOther }))).toBe("400 invalid_grant");
    const stolen = { ...refreshForm(tokens.refresh_token), ...byOther };
    expect(await errorIn(await post("/oauth/token", stolen))).toBe("400 invalid_grant");
    expect((await post("/oauth/token", { ...codeForm(code), client_id, client_secret })).status).toBe(200);
    expect((await initializeWith("/mcp", tokens.access_token)).status).toBe(200);
  });

  it("does not bypass consent: PKCE, redirect URI and approval are required as for any client", async () => {
    const { client_id } = await known();
    const browser = new Browser();
    const query = (more: Record<string, string>) =>
      `/oauth/authorize?${new URLSearchParams({ client_id, response_type: "code", redirect_uri: BACK, resource: `${GATEWAY}/mcp`, ...more })}`;
    const bare = await browser.send(query({}));
    expect(new URL(bare.headers.get("location") ?? "").searchParams.get("error")).toBe("invalid_request");
    const elsewhere = await browser.send(query({ redirect_uri: "https://evil.example/" }));
    expect([elsewhere.status, elsewhere.headers.get("location")]).toEqual([400, null]);
  });

  it("is deleted with everything that users granted, including unexchanged codes", async () => {
    const client = await known();
    const { name, client_id, client_secret } = client;
    const [tokens, code] = [await tokensOf(client), await codeOf(client_id)];
    expect((await call("DELETE", `${CLIENTS}/${name}`)).status).toBe(204);
    expect((await initializeWith("/mcp", tokens.access_token)).status).toBe(401);
    const proof = { client_id, client_secret };
    for (const form of [codeForm(code), refreshForm(tokens.refresh_token)])
      expect(await errorIn(await post("/oauth/token", { ...form, ...proof }))).toBe("401 invalid_client");
    const browser = new Browser();
    const asked = await browser.send(`/oauth/authorize?${new URLSearchParams({ client_id, redirect_uri: BACK })}`);
    expect([asked.status, await asked.text()]).toEqual([
      400,
      expect.stringContaining("This program is not registered"),
    ]);
    // It is not exchanged either if the client was removed just after its authentication.
    const shown = { code, clientId: client_id, redirectUri: BACK, verifier: VERIFIER, resource: null };
    await expect(exchangeGrantCode(signingIn(), shown)).rejects.toMatchObject({ reason: "INVALID_GRANT" });
    // A client that is registered again under the same name has a new secret and none of the old grants.
    const anew = await (await call("PUT", `${CLIENTS}/${name}`, { json: WORDS })).json<Known>();
    expect(anew.client_secret).not.toBe(client_secret);
    const now = { client_id, client_secret: anew.client_secret };
    const old = { ...refreshForm(tokens.refresh_token), ...now };
    expect(await errorIn(await post("/oauth/token", old))).toBe("400 invalid_grant");
    expect((await call("DELETE", `${CLIENTS}/${name}`)).status).toBe(204);
    expect((await call("DELETE", `${CLIENTS}/${name}`)).status).toBe(404);
  });
});

describe("public programs", () => {
  it("can send any secret, which is ignored", async () => {
    const client_id = await register();
    const code = await codeOf(client_id);
    const answer = await post("/oauth/token", { ...codeForm(code), client_id, client_secret: "whatever" });
    const { refresh_token } = await answer.json<Tokens>();
    const header = basic({ client_id, client_secret: "whatever" });
    expect((await post("/oauth/token", refreshForm(refresh_token), header)).status).toBe(200);
  });
});

describe("making a program known", () => {
  const put = (name: string, json: object, key?: string) =>
    call("PUT", `${CLIENTS}/${name}`, { json, ...(key && { key }) });

  it("shows the secret once, stores its digest, and keeps it through a change", async () => {
    const first = await put("once", WORDS);
    expect([first.status, first.headers.get("cache-control")]).toEqual([201, "no-store"]);
    const { client_secret, ...shown } = await first.json<Known>();
    expect(client_secret).toMatch(/^sgs_[0-9a-f]{64}$/);
    expect(shown).toMatchObject({ ...WORDS, name: "once", client_id: "app_once" });
    const redirect_uris = ["https://other.example/back", BACK];
    const again = await put("once", { display_name: "Renamed", redirect_uris });
    expect([again.status, await again.json()]).toEqual([
      200,
      { ...shown, display_name: "Renamed", redirect_uris, updated_at: expect.any(String) },
    ]);
    const listed = await (await call("GET", CLIENTS)).text();
    const { results } = await env.DB.prepare("SELECT * FROM known_clients").all();
    const audit = await (await call("GET", "/api/v1/audit?action=oauth_client.put")).text();
    expect(listed).toContain("app_once");
    for (const text of [listed, JSON.stringify(results), audit]) expect(text).not.toContain(client_secret.slice(4));
    const code = await codeOf("app_once");
    const proof = { client_id: "app_once", client_secret };
    expect((await post("/oauth/token", { ...codeForm(code), ...proof })).status).toBe(200);
  });

  it("names everything that is wrong, and stores nothing of it", async () => {
    const redirect_uris = [BACK, "javascript:alert(1)", "http://evil.example/", "HTTPS://x.example/"];
    const answer = await put("wrong", { display_name: "x", redirect_uris });
    expect(answer.status).toBe(400);
    const { issues } = await answer.json<{ issues: { path: string }[] }>();
    expect(issues.map(({ path }) => path)).toEqual(["redirect_uris.1", "redirect_uris.2", "redirect_uris.3"]);
    for (const body of [
      {},
      { display_name: "x" },
      { display_name: "", redirect_uris: [] },
      { ...WORDS, secret: "mine" },
    ])
      expect((await put("wrong", body)).status).toBe(400);
    expect((await put("..%2fwrong", WORDS)).status).toBe(400);
    expect(await (await call("GET", CLIENTS)).text()).not.toContain("wrong");
    expect((await call("PUT", `${CLIENTS}/wrong`, { json: WORDS, headers: { "idempotency-key": "k" } })).status).toBe(
      400,
    );
  });

  it("is an admin's act, which is recorded, and ends at a hundred", async () => {
    const limited = await keyFor("limited-admin", { role: "admin", scopes: ["mcp", "keys"] });
    for (const key of [await keyFor("nobody-special"), limited]) {
      expect((await put("mine", WORDS, key)).status).toBe(403);
      expect((await call("GET", CLIENTS, { key })).status).toBe(403);
    }
    await put("recorded", WORDS);
    await call("DELETE", `${CLIENTS}/recorded`);
    const { items } = await (await call("GET", "/api/v1/audit?resource_type=oauth_client&resource_id=recorded")).json<{
      items: object[];
    }>();
    expect(items).toMatchObject([
      { action: "oauth_client.delete" },
      { action: "oauth_client.put", after: { ...WORDS, display_name: "The team's host" } },
    ]);
    await env.DB.prepare("DELETE FROM known_clients").run();
    const rows = Array.from({ length: 100 }, (_, n) =>
      env.DB.prepare("INSERT INTO known_clients VALUES (?, 'x', '[]', 'x', 'admin', 0, 0)").bind(`full-${n}`),
    );
    await env.DB.batch(rows);
    const full = await put("one-more", WORDS);
    expect([full.status, await full.json()]).toMatchObject([409, { code: "QUOTA_EXCEEDED", limit: 100 }]);
    expect((await put("full-0", WORDS)).status).toBe(200);
    const page = await (await call("GET", `${CLIENTS}?limit=60`)).json<{ items: unknown[]; next_cursor: string }>();
    const rest = await (await call("GET", `${CLIENTS}?limit=60&cursor=${page.next_cursor}`)).json<typeof page>();
    expect([page.items.length, rest.items.length, rest.next_cursor]).toEqual([60, 40, null]);
    await env.DB.prepare("DELETE FROM known_clients").run();
  });
});
