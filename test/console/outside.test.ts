// Sign-in to the console at an external issuer: the code flow, and all ways in which a response could belong to another user.

import { env } from "cloudflare:workers";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { COOKIE, ConsolePage, SESSION, verdict } from "../support/console";
import { claims, ISSUER, Issuer, sign } from "../support/issuer";
import { GATEWAY } from "../support/sign-in";

const CLIENT = "the-gateway";
const PLAIN = { "x-skillgate-console": null, "sec-fetch-site": "cross-site" };

let settings: Record<string, unknown>;
let pair: Awaited<ReturnType<Issuer["pair"]>>;
let exchanged: URLSearchParams[];
let idToken: () => Promise<string>;
let nonce: string;

beforeAll(async () => {
  const issuer = new Issuer();
  pair = await issuer.add("ec");
  settings = {
    ...{ JWT_ISSUER: ISSUER, JWT_AUDIENCE: `${GATEWAY}/mcp`, JWT_JWKS_URL: issuer.keysUrl, IDENTITY_MEMORY_S: "0" },
    ...{ OIDC_CLIENT_ID: CLIENT, OIDC_CLIENT_SECRET: "of the gateway", JWT_GROUPS_CLAIM: "groups" },
  };
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const url = String(input);
    if (url === `${ISSUER}/.well-known/openid-configuration`)
      return Response.json({
        ...{ issuer: ISSUER, authorization_endpoint: `${ISSUER}/authorize`, token_endpoint: `${ISSUER}/token` },
      });
    if (url !== `${ISSUER}/token`) return issuer.fetch(url);
    exchanged.push(new URLSearchParams(String(init?.body)));
    return Response.json({ id_token: await idToken(), access_token: "x", token_type: "Bearer" });
  });
});
afterAll(() => vi.restoreAllMocks());
beforeEach(() => {
  exchanged = [];
  idToken = () => sign(pair, { ...claims({ aud: CLIENT }), nonce });
});

/** Presses the button and returns the request to the issuer. */
async function begin(browser: ConsolePage, json: object = {}): Promise<URLSearchParams> {
  const begun = await browser.ask("POST", `${SESSION}/issuer`, json);
  expect(begun.status).toBe(201);
  const { location } = await begun.json<{ location: string }>();
  const asked = new URL(location);
  expect(asked.origin + asked.pathname).toBe(`${ISSUER}/authorize`);
  nonce = asked.searchParams.get("nonce") ?? "";
  return asked.searchParams;
}

const back = (browser: ConsolePage, answer: Record<string, string>) =>
  browser.ask("GET", `/oauth/callback?${new URLSearchParams(answer)}`, undefined, PLAIN);
const stateOf = (asked: URLSearchParams) => asked.get("state") ?? "";

describe("signing in at the issuer", () => {
  it("begins a session of whom the ID token names, and leads back into the console", async () => {
    const browser = new ConsolePage(settings);
    const asked = await begin(browser, { return_to: "/console/library?q=a" });
    expect(asked.get("redirect_uri")).toBe(`${GATEWAY}/oauth/callback`);
    const returned = await back(browser, { code: "c", state: stateOf(asked), iss: ISSUER });
    expect([returned.status, returned.headers.get("location")]).toEqual([303, `${GATEWAY}/console/library?q=a`]);
    expect([...browser.cookies.keys()]).toEqual([COOKIE]);
    expect(await (await browser.ask("GET", SESSION)).json()).toMatchObject({
      ...{ user: { id: claims({}).sub }, signed_in_by: "issuer", rights: { act_as: false } },
    });
  });

  it("ends with another issuer in the settings", async () => {
    const browser = new ConsolePage(settings);
    await back(browser, { code: "c", state: stateOf(await begin(browser)), iss: ISSUER });
    const changed = new ConsolePage({ ...settings, JWT_AUDIENCE: `${GATEWAY}/other` });
    changed.cookies.set(COOKIE, browser.secret);
    expect((await browser.ask("GET", SESSION)).status).toBe(200);
    expect((await changed.ask("GET", SESSION)).status).toBe(401);
  });

  it("is linked, and rejected if there is none", async () => {
    const asked = await new ConsolePage(settings).ask("GET", SESSION);
    expect(await asked.json()).toMatchObject({ issuer: new URL(ISSUER).host });
    expect(await verdict(await new ConsolePage().ask("POST", `${SESSION}/issuer`, {}))).toEqual([404, "NO_ISSUER"]);
  });

  it.each([
    "https://evil.example/",
    "//evil.example/console",
    "/\\evil.example",
    "/console/../oauth/token",
    "/console/%2e%2e/api",
    "/console/%2E%2E/%2E%2E/evil",
    "/consolex",
    "/console/api/v1/me",
    "/console#https://evil.example",
    "/console\n//evil.example",
    "javascript:alert(1)",
    "console",
    "",
  ])("leads nowhere else: %o", async (return_to) => {
    const answered = await new ConsolePage(settings).ask("POST", `${SESSION}/issuer`, { return_to });
    expect(await verdict(answered)).toEqual([400, "INVALID_REQUEST"]);
  });
});

describe("an answer that is not this browser's", () => {
  type Try = (browser: ConsolePage, asked: URLSearchParams) => Promise<Response>;
  const TRIES: [string, Try][] = [
    [
      "comes to another browser (login CSRF)",
      (_, asked) => back(new ConsolePage(settings), { code: "c", state: stateOf(asked) }),
    ],
    ["has another state", (browser, asked) => back(browser, { code: "c", state: `${stateOf(asked)}0` })],
    [
      "has the state of another sign-in",
      async (browser) => back(browser, { code: "c", state: stateOf(await begin(new ConsolePage(settings))) }),
    ],
    ["has no state", (browser) => back(browser, { code: "c" })],
    [
      "comes from another issuer (mix-up)",
      (browser, asked) => back(browser, { code: "c", state: stateOf(asked), iss: "https://evil.example" }),
    ],
    ["has no code", (browser, asked) => back(browser, { state: stateOf(asked), error: "access_denied", iss: ISSUER })],
    [
      "names a user for another client",
      (browser, asked) => {
        idToken = () => sign(pair, { ...claims({ aud: "another-client" }), nonce });
        return back(browser, { code: "c", state: stateOf(asked) });
      },
    ],
    [
      "names a user for the API",
      (browser, asked) => {
        idToken = () => sign(pair, { ...claims({ aud: `${GATEWAY}/mcp` }), nonce });
        return back(browser, { code: "c", state: stateOf(asked) });
      },
    ],
    [
      "has the nonce of another sign-in",
      (browser, asked) => {
        idToken = () => sign(pair, { ...claims({ aud: CLIENT }), nonce: "0".repeat(64) });
        return back(browser, { code: "c", state: stateOf(asked) });
      },
    ],
    [
      "has a token that was given to another party",
      (browser, asked) => {
        idToken = () => sign(pair, { ...claims({ aud: CLIENT }), nonce, azp: "another-client" });
        return back(browser, { code: "c", state: stateOf(asked) });
      },
    ],
    [
      "comes again",
      async (browser, asked) => {
        const state = stateOf(asked);
        const cookies = new Map(browser.cookies);
        await back(browser, { code: "c", state });
        browser.cookies.clear();
        for (const [name, value] of cookies) browser.cookies.set(name, value);
        return back(browser, { code: "c", state });
      },
    ],
  ];

  it.each(TRIES)("%s: no session is started", async (_, attack) => {
    const browser = new ConsolePage(settings);
    const answered = await attack(browser, await begin(browser));
    expect([answered.status, answered.headers.get("location")]).toEqual([400, null]);
    expect(answered.headers.getSetCookie().some((set) => set.startsWith(COOKIE))).toBe(false);
    expect((await browser.ask("GET", SESSION)).status).toBe(401);
  });

  it("is no page of a program's sign-in", async () => {
    const browser = new ConsolePage(settings);
    const id = stateOf(await begin(browser)).split(".")[0] ?? "";
    const shown = await browser.ask("GET", `/oauth/sign-in/${id}`, undefined, PLAIN);
    expect(shown.status).toBe(400);
    const row = await env.DB.prepare("SELECT stage, purpose FROM sign_ins WHERE id = ?").bind(id).first();
    expect(row).toEqual({ stage: "open", purpose: "console" });
  });

  it("is nothing while the console is off", async () => {
    const browser = new ConsolePage(settings);
    const asked = await begin(browser);
    const off = new ConsolePage({ ...settings, CONSOLE: "off" });
    for (const [name, value] of browser.cookies) off.cookies.set(name, value);
    expect((await back(off, { code: "c", state: stateOf(asked) })).status).toBe(400);
  });
});
