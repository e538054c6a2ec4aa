// Sign-in at the configured issuer through the gateway's page: the code flow, and responses that belong to a different browser or user.

import { env } from "cloudflare:workers";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { claims, ISSUER, Issuer, sign } from "../support/issuer";
import { BACK, Browser, CHALLENGE, GATEWAY, register } from "../support/sign-in";

const CLIENT = "the-gateway";

let issuer: Issuer;
let pair: Awaited<ReturnType<Issuer["pair"]>>;
let settings: Record<string, unknown>;
/** Requests to the issuer's token endpoint, and its response. */
let exchanged: URLSearchParams[];
let idToken: (nonce: string) => Promise<string>;
let nonce: string;
let metadata: Record<string, string>;

beforeAll(async () => {
  issuer = new Issuer();
  pair = await issuer.add("ec");
  settings = {
    ...{ OAUTH_SERVER: "own", JWT_ISSUER: ISSUER, JWT_AUDIENCE: `${GATEWAY}/mcp`, JWT_JWKS_URL: issuer.keysUrl },
    ...{ OIDC_CLIENT_ID: CLIENT, OIDC_CLIENT_SECRET: "of the gateway", JWT_GROUPS_CLAIM: "groups" },
  };
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const url = String(input);
    if (url === `${ISSUER}/.well-known/openid-configuration`) return Response.json(metadata);
    if (url !== `${ISSUER}/token`) return issuer.fetch(url);
    exchanged.push(new URLSearchParams(String(init?.body)));
    return Response.json({ id_token: await idToken(nonce), access_token: "x", token_type: "Bearer" });
  });
});
afterAll(() => vi.restoreAllMocks());
beforeEach(() => {
  exchanged = [];
  metadata = { issuer: ISSUER, authorization_endpoint: `${ISSUER}/authorize`, token_endpoint: `${ISSUER}/token` };
  idToken = (of) => sign(pair, { ...claims({ aud: CLIENT }), nonce: of, groups: ["crew"] });
});

/** Opens a page and presses the issuer's button. Returns the URL that the browser is sent to. */
async function atIssuer(browser: Browser): Promise<{ page: string; sent: URL }> {
  const asked = new URLSearchParams({
    ...{ client_id: await register({}, settings), redirect_uri: BACK, response_type: "code", state: "s" },
    ...{ code_challenge: CHALLENGE, code_challenge_method: "S256", resource: `${GATEWAY}/mcp` },
  });
  const opened = await browser.send(`/oauth/authorize?${asked}`);
  const page = (opened.headers.get("location") ?? "").replace(GATEWAY, "");
  const pressed = await browser.post(page, { how: "issuer" });
  const sent = new URL(pressed.headers.get("location") ?? "");
  nonce = sent.searchParams.get("nonce") ?? "";
  return { page, sent };
}

const back = (browser: Browser, answer: Record<string, string>) =>
  browser.send(`/oauth/callback?${new URLSearchParams(answer)}`);

describe("signing in at the issuer", () => {
  it("uses its client with state and nonce, and signs in the user of the ID token, not as an admin, for twelve hours", async () => {
    const browser = new Browser(settings);
    const { page, sent } = await atIssuer(browser);
    const asked = Object.fromEntries(sent.searchParams);
    expect([sent.origin + sent.pathname, asked]).toEqual([
      `${ISSUER}/authorize`,
      {
        ...{
          response_type: "code",
          client_id: CLIENT,
          redirect_uri: `${GATEWAY}/oauth/callback`,
          scope: "openid profile",
        },
        ...{ state: expect.stringMatching(/^sin_.+\.[0-9a-f]{64}$/), nonce: expect.stringMatching(/^[0-9a-f]{64}$/) },
        ...{ code_challenge: expect.stringMatching(/^[\w-]{43}$/), code_challenge_method: "S256" },
      },
    ]);
    const returned = await back(browser, { code: "c", state: asked.state ?? "", iss: ISSUER });
    expect([returned.status, returned.headers.get("location")]).toEqual([303, GATEWAY + page]);
    expect(Object.fromEntries(exchanged[0] ?? [])).toMatchObject({ grant_type: "authorization_code", code: "c" });
    const shown = await (await browser.send(page)).text();
    expect(shown).toContain(`as ${claims({}).sub}?`);
    const [, ends = ""] = /and until (\S+ \S+) UTC at most/.exec(shown) ?? [];
    const left = Date.parse(`${ends.replace(" ", "T")}:00Z`) - Date.now();
    expect(Math.abs(left - 12 * 3_600_000)).toBeLessThan(120_000);
    expect((await browser.post(page, { how: "approve" })).status).toBe(303);
    const code = await env.DB.prepare(
      "SELECT via, via_id, key_id, claimed, grant_until - created_at AS life FROM grant_codes",
    ).first();
    expect(code).toMatchObject({ via: "issuer", via_id: `${ISSUER} ${claims({}).sub}`, key_id: null });
    expect(String(code?.claimed)).toContain("crew");
    expect(Math.abs(Number(code?.life) - 12 * 3_600_000)).toBeLessThan(60_000);
  });

  const ROWS: [string, (state: string) => Record<string, string>, () => void][] = [
    ["of another page", (state) => ({ code: "c", state: `${state.split(".")[0]}.${"0".repeat(64)}` }), () => {}],
    ["of another issuer", (state) => ({ code: "c", state, iss: "https://evil.example" }), () => {}],
    ["that is a no", (state) => ({ error: "access_denied", state }), () => {}],
    ["with a token for another page", (state) => ({ code: "c", state }), () => say({ nonce: "0".repeat(64) })],
    ["with a token without a nonce", (state) => ({ code: "c", state }), () => say({ nonce: undefined })],
    ["with a token for another client", (state) => ({ code: "c", state }), () => say({ aud: "another" })],
    ["with a token that another client got", (state) => ({ code: "c", state }), () => say({ azp: "another" })],
    ["with a token of another issuer", (state) => ({ code: "c", state }), () => say({ iss: "https://evil.example" })],
    ["with a token that has ended", (state) => ({ code: "c", state }), () => say({ exp: 1 })],
    ["with a token of nobody who can be a user", (state) => ({ code: "c", state }), () => say({ sub: "admin" })],
    ["with no token", (state) => ({ code: "c", state }), () => (idToken = async () => "nothing")],
  ];

  function say(more: Record<string, unknown>): void {
    idToken = (of) => sign(pair, { ...claims({ aud: CLIENT }), nonce: of, ...more });
  }

  it.each(ROWS)("refuses an answer %s", async (_, answer, arrange) => {
    const browser = new Browser(settings);
    const { page, sent } = await atIssuer(browser);
    arrange();
    const refused = await back(browser, answer(sent.searchParams.get("state") ?? ""));
    expect(refused.status).toBe(400);
    expect((await browser.post(page, { how: "approve" })).status).toBe(400);
  });

  it("rejects an answer in another browser, and accepts one sign-in once", async () => {
    const browser = new Browser(settings);
    const { page, sent } = await atIssuer(browser);
    const state = sent.searchParams.get("state") ?? "";
    expect((await back(new Browser(settings), { code: "c", state })).status).toBe(400);
    idToken = (of) => sign(pair, { ...claims({ aud: CLIENT }), nonce: of, sub: "first" });
    expect((await back(browser, { code: "c", state })).status).toBe(303);
    idToken = (of) => sign(pair, { ...claims({ aud: CLIENT }), nonce: of, sub: "second" });
    expect((await back(browser, { code: "d", state })).status).toBe(303);
    expect(await (await browser.send(page)).text()).toContain("as first?");
    expect(exchanged.map((form) => form.get("code"))).toEqual(["c"]);
  });

  it("does not believe metadata that speaks for another issuer, or leads to plain http", async () => {
    const logged = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const good = metadata;
    for (const [name, value] of [
      ["issuer", "https://evil.example"],
      ["token_endpoint", "http://evil.example/token"],
    ] as const) {
      metadata = { ...good, [name]: value };
      await expect(atIssuer(new Browser(settings))).rejects.toThrow("Invalid URL");
    }
    logged.mockRestore();
  });
});
