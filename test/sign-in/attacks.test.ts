// Attacks on the sign-in page by an OAuth client, another site or a thief. The other files of this folder cover the token endpoint, client
// metadata documents, links, the issuer, and the endpoints.

import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { ADMIN_KEY, call, keyFor } from "../support/call";
import { NEVER_USED, OTHER_ADDRESSES, REGISTERED_ADDRESSES, SAME_ADDRESSES } from "../support/redirect-spellings";
import { BACK, Browser, CHALLENGE, GATEWAY, openPage, register, request } from "../support/sign-in";

type More = Record<string, string | null>;

/** Requests that the program did not send. */
const FOREIGN: [string, More | (() => Promise<More>)][] = [
  ["no client", { client_id: null }],
  ["an empty client", { client_id: "" }],
  ["an unknown client", { client_id: `dcr_${"0".repeat(64)}` }],
  ["a client by SQL", { client_id: "' OR 1=1 --" }],
  ["no redirect URI", { redirect_uri: null }],
  ["another host", { redirect_uri: "https://evil.example/callback" }],
  ["another path", { redirect_uri: "http://127.0.0.1:33418/other" }],
  ["a path with more", { redirect_uri: `${BACK}/../evil` }],
  ["a query", { redirect_uri: `${BACK}?next=https://evil.example` }],
  ["a fragment", { redirect_uri: `${BACK}#x` }],
  ["a user in front", { redirect_uri: "http://127.0.0.1:33418@evil.example/callback" }],
  ["another name of this machine", { redirect_uri: "http://localhost:33418/callback" }],
  ["https in place of http", { redirect_uri: "https://127.0.0.1:33418/callback" }],
  [
    "another program's URI",
    async () => {
      await register({ redirect_uris: ["https://other.example/b"] });
      return { redirect_uri: "https://other.example/b" };
    },
  ],
  [
    "a script that was registered beside a good one",
    async () => ({
      client_id: await register({ redirect_uris: [BACK, "javascript:alert(document.cookie)"] }),
      redirect_uri: "javascript:alert(document.cookie)",
    }),
  ],
];

/** Requests for too many rights or with too little protection, and the error for the client. */
const TOO_MUCH: [string, More, string][] = [
  ["no PKCE", { code_challenge: null, code_challenge_method: null }, "invalid_request"],
  ["PKCE by plain", { code_challenge_method: "plain" }, "invalid_request"],
  ["PKCE by no method, which means plain", { code_challenge_method: null }, "invalid_request"],
  ["an empty challenge", { code_challenge: "" }, "invalid_request"],
  ["a short challenge", { code_challenge: CHALLENGE.slice(1) }, "invalid_request"],
  ["a challenge with padding", { code_challenge: `${CHALLENGE}=` }, "invalid_request"],
  ["a token in the fragment", { response_type: "token" }, "unsupported_response_type"],
  ["code and token", { response_type: "code token" }, "unsupported_response_type"],
  ["no response type", { response_type: null }, "unsupported_response_type"],
  ["the answer in a fragment", { response_mode: "fragment" }, "invalid_request"],
  ["the answer in a form", { response_mode: "form_post" }, "invalid_request"],
  ["no question to the user", { prompt: "none" }, "interaction_required"],
  ["a request object", { request: "eyJ.eyJ." }, "request_not_supported"],
  ["a request somewhere else", { request_uri: "http://169.254.169.254/" }, "request_uri_not_supported"],
  ["no resource", { resource: null }, "invalid_target"],
  ["the whole gateway", { resource: GATEWAY }, "invalid_target"],
  ["the API", { resource: `${GATEWAY}/api/v1` }, "invalid_target"],
  ["the chat endpoint", { resource: `${GATEWAY}/openai/v1` }, "invalid_target"],
  ["another gateway", { resource: "https://evil.example/mcp" }, "invalid_target"],
  ["another gateway with ours as a user", { resource: "https://gateway.test@evil.example/mcp" }, "invalid_target"],
  ["ours without TLS", { resource: "http://gateway.test/mcp" }, "invalid_target"],
  ["a way out of /mcp", { resource: `${GATEWAY}/mcp/../api` }, "invalid_target"],
  ["a way out of /mcp that is encoded", { resource: `${GATEWAY}/mcp/%2e%2e/api` }, "invalid_target"],
  ["what only begins like /mcp", { resource: `${GATEWAY}/mcpx` }, "invalid_target"],
  ["a resource with a fragment", { resource: `${GATEWAY}/mcp#x` }, "invalid_target"],
  ["no URL", { resource: "mcp" }, "invalid_target"],
];

/** Forms of other sites. */
const FOREIGN_FORMS: [string, Record<string, string>][] = [
  ["another site", { origin: "https://evil.example", "sec-fetch-site": "cross-site" }],
  ["another site that hides its origin", { origin: "null", "sec-fetch-site": "cross-site" }],
  ["another host of the domain", { origin: "https://x.gateway.test", "sec-fetch-site": "same-site" }],
  ["an address bar", { origin: "null", "sec-fetch-site": "none" }],
  ["an old browser on another site", { origin: "https://evil.example", "sec-fetch-site": "" }],
  ["the same name without TLS", { origin: "http://gateway.test", "sec-fetch-site": "same-origin" }],
];

const soon = () => new Date(Date.now() + 30 * 60_000).toISOString();
/** Credentials that are too powerful for an OAuth client, and the message of the page. */
const WEAK: [string, () => Promise<string> | string, string][] = [
  ["the environment's key", () => ADMIN_KEY, "an admin"],
  ["an admin's key", () => keyFor("weak-admin", { role: "admin" }), "an admin"],
  ["a limited key of an admin", () => keyFor("weak-admin-mcp", { role: "admin", scopes: ["mcp"] }), "an admin"],
  ["a service's key", () => keyFor("weak-service", { scopes: ["act_as"] }), "without `act_as`"],
  [
    "a service's key that is limited to MCP",
    () => keyFor("weak-both", { scopes: ["act_as", "mcp"] }),
    "without `act_as`",
  ],
  [
    "a key that may not use MCP",
    () => keyFor("weak-chat", { scopes: ["chat", "conversations"] }),
    "with access to MCP",
  ],
  ["a key that ends soon", () => keyFor("weak-soon", { expires_at: soon() }), "at least one hour"],
  ["a revoked key", () => revoked(), "unknown, expired or revoked"],
  ["a mistyped key", async () => `${(await keyFor("weak-typo")).slice(0, -1)}!`, "key"],
  ["nothing", () => "", "key"],
  ["a token of nobody", () => "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZG1pbiJ9.", "not valid for this gateway"],
  ["a sign-in link of nobody", () => `sgl_${"0".repeat(64)}`, "already used"],
  ["a code", () => `sgc_abcd_${"0".repeat(72)}`, "key"],
];

async function revoked(): Promise<string> {
  const key = await keyFor("weak-revoked");
  await call("DELETE", `/api/v1/keys/${key.split("_")[1]}`);
  return key;
}

describe("the table", () => {
  it("has sixty rows at least, each once", () => {
    const rows = [...FOREIGN, ...TOO_MUCH, ...FOREIGN_FORMS, ...WEAK].map(([name]) => name);
    const all = [...rows, ...NEVER_USED, ...OTHER_ADDRESSES];
    expect(all.length).toBeGreaterThanOrEqual(60);
    expect(new Set(all).size).toBe(all.length);
  });
});

describe("an address for the answer that the program has not registered", () => {
  let client_id: string;
  beforeAll(async () => {
    client_id = await register({
      redirect_uris: [...REGISTERED_ADDRESSES, ...NEVER_USED.slice(0, 29)],
    });
  });

  it.each([...NEVER_USED, ...OTHER_ADDRESSES])("%j: nothing is sent there", async (redirect_uri) => {
    const browser = new Browser();
    const answer = await browser.send(await request({ client_id, redirect_uri }));
    expect([answer.status, answer.headers.get("location"), browser.cookies.size]).toEqual([400, null, 0]);
  });

  it.each(SAME_ADDRESSES)("%s: is one that it has registered, at the port that it got", async (redirect_uri) => {
    const answer = await new Browser().send(await request({ client_id, redirect_uri }));
    expect([answer.status, answer.headers.get("location")]).toEqual([303, expect.stringContaining("/oauth/sign-in/")]);
  });
});

describe("a request that is not the program's own", () => {
  it.each(FOREIGN)("%s: the page shows an error, and nothing is sent", async (_, more) => {
    const browser = new Browser();
    const asked = await request(typeof more === "function" ? await more() : more);
    const answer = await browser.send(asked.replace("client_id=null&", ""));
    expect([answer.status, answer.headers.get("location"), browser.cookies.size]).toEqual([400, null, 0]);
    expect(answer.headers.get("content-type")).toContain("text/html");
  });

  it("authenticates twice", async () => {
    for (const twice of ["client_id=x", `redirect_uri=${encodeURIComponent("https://evil.example")}`]) {
      const answer = await new Browser().send(`${await request()}&${twice}`);
      expect([twice, answer.status, answer.headers.get("location")]).toEqual([twice, 400, null]);
    }
  });
});

describe("a request with too many rights or too little protection", () => {
  it.each(TOO_MUCH)("%s: the program receives %o", async (_, more, error) => {
    const browser = new Browser();
    const answer = await browser.send(await request(more));
    const back = new URL(answer.headers.get("location") ?? "");
    expect([answer.status, back.origin + back.pathname, browser.cookies.size]).toEqual([303, BACK, 0]);
    expect(Object.fromEntries(back.searchParams)).toMatchObject({ error, state: "of the host", iss: GATEWAY });
    expect(back.searchParams.has("code")).toBe(false);
  });

  it("contains a parameter twice, or two resources", async () => {
    const asked = await request();
    for (const [twice, error] of [
      [`resource=${encodeURIComponent(`${GATEWAY}/mcp/x`)}`, "invalid_target"],
      ["code_challenge_method=plain", "invalid_request"],
      [`code_challenge=${"A".repeat(43)}`, "invalid_request"],
      ["state=x", "invalid_request"],
      ["scope=admin&scope=mcp", "invalid_request"],
    ] as const) {
      const answer = await new Browser().send(`${asked}&${twice}`);
      const back = new URL(answer.headers.get("location") ?? "");
      expect([twice, back.searchParams.get("error")]).toEqual([twice, error]);
    }
  });

  it("gets the only scope, whatever it requests", async () => {
    const page = await openPage(new Browser(), { scope: "admin act_as keys offline_access mcp" });
    expect(page).toMatch(/^\/oauth\/sign-in\/sin_/);
    const { resource } = (await env.DB.prepare("SELECT resource FROM sign_ins").first<{ resource: string }>()) ?? {};
    expect(resource).toBe(`${GATEWAY}/mcp`);
  });

  it("puts no words of its own into the page", async () => {
    const client_id = await register({ client_name: `<script>alert(1)</script>"'><img src=x onerror=y>` });
    const browser = new Browser();
    const page = await openPage(browser, { client_id, resource: `${GATEWAY}/mcp/a"><b>` });
    const text = await (await browser.send(page)).text();
    expect(text).toContain("&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&gt;");
    expect(text).not.toMatch(/<script|<img|<b>/);
  });
});

describe("another user or site on the page", () => {
  let key: string;
  beforeAll(async () => {
    key = await keyFor("attacked");
  });

  it.each(FOREIGN_FORMS)("%s sends the form: nothing happens", async (_, marks) => {
    const browser = new Browser();
    const page = await openPage(browser);
    await browser.post(page, { how: "key", key });
    for (const how of ["approve", "deny", "again"]) expect((await browser.post(page, { how }, marks)).status).toBe(403);
    expect(await (await browser.send(page)).text()).toContain("as attacked?");
  });

  it("is refused in any other browser, whatever it knows of the page", async () => {
    const browser = new Browser();
    const page = await openPage(browser);
    await browser.post(page, { how: "key", key });
    const thief = new Browser();
    await openPage(thief);
    const id = page.split("/").at(-1) ?? "";
    expect((await thief.send(page)).status).toBe(400);
    expect((await thief.post(page, { how: "approve" })).status).toBe(403);
    const [own = ""] = thief.cookies.values();
    thief.cookies.set(`__Host-sgw-tx-${id}`, own);
    expect((await thief.send(page)).status).toBe(400);
    expect((await thief.post(page, { how: "approve" })).status).toBe(400);
    expect((await thief.post(page, { how: "deny" })).status).toBe(400);
    expect((await browser.post(page, { how: "approve" })).status).toBe(303);
  });

  it("gets one code from two approvals, none before a sign-in, and none after a denial or the end", async () => {
    const browser = new Browser();
    const key = await keyFor("approves-once");
    const page = await openPage(browser);
    expect((await browser.post(page, { how: "approve" })).status).toBe(400);
    await browser.post(page, { how: "key", key });
    const cookies = new Map(browser.cookies);
    const answers = await Promise.all(Array.from({ length: 8 }, () => browser.post(page, { how: "approve" })));
    const codes = answers.map(
      ({ headers }) => URL.parse(headers.get("location") ?? "")?.searchParams.get("code") ?? "",
    );
    expect([codes[0], new Set(codes).size]).toEqual([expect.stringMatching(/^sgc_/), 1]);
    expect((await browser.post(page, { how: "approve" })).status).toBe(403);
    // After the client has exchanged the code, or after the code has expired, submitting again returns nothing.
    for (const over of ["claimed_by = 'x'", "claimed_by = NULL, expires_at = created_at"]) {
      for (const [name, value] of cookies) browser.cookies.set(name, value);
      await env.DB.prepare(`UPDATE grant_codes SET ${over}`).run();
      expect((await browser.post(page, { how: "approve" })).status).toBe(400);
    }
    const { items } = await (await call("GET", "/api/v1/audit?action=sign_in.approve&actor=approves-once")).json<{
      items: { resource_id: string; after: object }[];
    }>();
    expect(items).toMatchObject([{ resource_id: page.split("/").at(-1), after: { at: "/mcp", via: "key" } }]);
    const late = await openPage(browser);
    await browser.post(late, { how: "key", key });
    await env.DB.prepare("UPDATE sign_ins SET expires_at = created_at").run();
    expect((await browser.post(late, { how: "approve" })).status).toBe(400);
    const { results } = await env.DB.prepare("SELECT hash FROM grant_codes WHERE user_id = 'approves-once'").all();
    expect(results).toHaveLength(1);
  });

  it("can post no more than a form, and tries five keys on a page", async () => {
    const browser = new Browser();
    const page = await openPage(browser);
    expect((await browser.post(page, { how: "key", key: "x".repeat(100_000) })).status).toBe(400);
    for (let n = 0; n < 4; n++) await browser.post(page, { how: "key", key: `sgw_guess_${n}` });
    expect(await (await browser.post(page, { how: "key", key })).text()).toContain("Too many attempts");
  });
});

describe("a credential that no program should have", () => {
  it.each(WEAK)("%s signs no user in", async (_, credential, says) => {
    const browser = new Browser();
    const page = await openPage(browser);
    const answer = await browser.post(page, { how: "key", key: await credential() });
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining(says)]);
    expect((await browser.post(page, { how: "approve" })).status).toBe(400);
  });
});

describe("making a sign-in link", () => {
  const make = (options: Parameters<typeof call>[2]) => call("POST", "/api/v1/sign-ins", options);

  it("requires an admin or a service, and is for its users only", async () => {
    const service = await keyFor("link-service", { scopes: ["act_as"] });
    expect((await make({ key: service, json: { user_id: "link-user" } })).status).toBe(201);
    const user = await keyFor("link-user");
    expect((await make({ key: user, json: { user_id: "link-user" } })).status).toBe(403);
    const limited = await keyFor("link-limited", { role: "admin", scopes: ["mcp"] });
    expect((await make({ key: limited, json: { user_id: "link-user" } })).status).toBe(403);
    expect((await make({ key: service, as: "link-user", json: { user_id: "link-user" } })).status).toBe(403);
    for (const user_id of ["admin", "0", "deployment"]) expect((await make({ json: { user_id } })).status).toBe(400);
  });

  it("ends at ten for one user", async () => {
    for (let n = 0; n < 10; n++) expect((await make({ json: { user_id: "link-many" } })).status).toBe(201);
    const refused = await make({ json: { user_id: "link-many" } });
    expect([refused.status, await refused.json()]).toMatchObject([409, { code: "TOO_MANY_SIGN_INS" }]);
  });
});
