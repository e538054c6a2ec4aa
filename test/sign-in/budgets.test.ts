// Rate limits for unknown clients and hosts, in parallel, per hour and per day: beyond them, requests are rejected without storing or
// fetching anything.

import { env } from "cloudflare:workers";
import { afterEach, expect, it, vi } from "vitest";
import { askWith } from "../support/app";
import { call, keyFor } from "../support/call";
import { errorIn, post, refreshForm, signedIn } from "../support/grants";
import { BACK, Browser, openPage, register, request } from "../support/sign-in";

const LIMITED = { RATE_LIMITS: "true" };
const FROM = { headers: { "cf-connecting-ip": "192.0.2.40" } };
const DAY = 24 * 60 * 60_000;

afterEach(() => vi.restoreAllMocks());

/** Sets a counter to this value in every open window. */
async function fill(kind: string, count: number): Promise<void> {
  await env.DB.prepare("UPDATE usage SET count = ? WHERE kind = ?").bind(count, kind).run();
}

const registerAs = (name: string, settings = {}, headers = {}) => {
  const body = JSON.stringify({ client_name: name, redirect_uris: [BACK] });
  return askWith(settings, "/oauth/register", { method: "POST", body, headers });
};

it("fetches at most sixty documents per address and hour", async () => {
  const asked = vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response("no", { status: 404 }));
  const begin = async (n: number) => {
    const client_id = `https://host.dev/counted/${n}.json`;
    return askWith(LIMITED, await request({ client_id }), FROM);
  };
  expect((await begin(0)).status).toBe(400);
  await fill("strangers", 59);
  expect((await begin(1)).status).toBe(400);
  const refused = await begin(2);
  expect([refused.status, Number(refused.headers.get("retry-after")) > 0]).toEqual([429, true]);
  // Cached documents are not fetched again.
  expect((await begin(1)).status).toBe(400);
  expect(asked).toHaveBeenCalledTimes(2);
});

it("accepts two thousand new clients per day, from any number of addresses", async () => {
  await env.DB.prepare("DELETE FROM usage").run();
  expect((await registerAs("the first")).status).toBe(201);
  await fill("strangers", 1_999);
  expect((await registerAs("the last", LIMITED, { "cf-connecting-ip": "192.0.2.41" })).status).toBe(201);
  const refused = await registerAs("one more", LIMITED, { "cf-connecting-ip": "192.0.2.42" });
  expect([refused.status, await refused.json()]).toMatchObject([429, { error: "temporarily_unavailable" }]);
  expect((await registerAs("the first")).status).toBe(201);
  await env.DB.prepare("UPDATE usage SET window_start = window_start - ?").bind(DAY).run();
  expect((await registerAs("one more")).status).toBe(201);
});

it("opens three thousand sign-ins an hour for one address", async () => {
  const open = async () => askWith(LIMITED, await request(), FROM);
  expect((await open()).status).toBe(303);
  await fill("pages", 2_999);
  expect((await open()).status).toBe(303);
  const refused = await open();
  expect([refused.status, refused.headers.get("content-type")]).toEqual([429, expect.stringContaining("text/html")]);
  const elsewhere = await askWith(LIMITED, await request(), { headers: { "cf-connecting-ip": "192.0.2.43" } });
  expect(elsewhere.status).toBe(303);
});

it("counts guesses at links with all other guesses, and no good link", async () => {
  const guesses: string[] = [];
  const GUESS_RATE = { limit: async ({ key }: { key: string }) => ({ success: guesses.push(key) < 2 }) };
  const look = (secret: string, method = "GET") =>
    askWith({ ...LIMITED, GUESS_RATE }, `/oauth/link/${secret}`, { method, ...FROM });
  const made = await call("POST", "/api/v1/sign-ins", { json: { user_id: "budget-link" } });
  const { url } = await made.json<{ url: string }>();
  expect((await look(url.split("/").at(-1) ?? "")).status).toBe(200);
  expect(guesses).toEqual([]);
  expect((await look(`sgl_${"0".repeat(64)}`)).status).toBe(400);
  expect((await look(`sgl_${"1".repeat(64)}`, "POST")).status).toBe(429);
  expect(guesses).toEqual(["192.0.2.40", "192.0.2.40"]);
});

it("counts keys that are guessed on a page, too", async () => {
  const guesses: string[] = [];
  const GUESS_RATE = { limit: async ({ key }: { key: string }) => ({ success: guesses.push(key) < 9 }) };
  const browser = new Browser({ ...LIMITED, GUESS_RATE });
  const page = await openPage(browser);
  await browser.post(page, { how: "key", key: `sgw_guess_${"0".repeat(40)}` }, FROM.headers);
  expect(guesses).toEqual(["192.0.2.40"]);
  await browser.post(page, { how: "key", key: await keyFor("budget-page") }, FROM.headers);
  expect(guesses).toHaveLength(1);
});

it("limits the refreshes of one grant, and reports a dead grant as dead", async () => {
  const counted: string[] = [];
  const PRINCIPAL_RATE = { limit: async ({ key }: { key: string }) => ({ success: counted.push(key) < 2 }) };
  const tokens = await signedIn({ userId: "budget-fast" });
  const refresh = (token: string) => {
    const body = new URLSearchParams(refreshForm(token));
    return askWith({ ...LIMITED, PRINCIPAL_RATE }, "/oauth/token", { method: "POST", body, ...FROM });
  };
  expect((await refresh(tokens.refresh_token)).status).toBe(200);
  const fast = await refresh(tokens.refresh_token);
  expect([fast.headers.get("ratelimit-policy"), await errorIn(fast)]).toEqual([
    expect.stringContaining("principal"),
    "429 temporarily_unavailable",
  ]);
  expect(counted[0]).toMatch(/^grant \w+$/);
  await post("/oauth/revoke", { token: tokens.refresh_token });
  expect(await errorIn(await refresh(tokens.refresh_token))).toBe("400 invalid_grant");
  expect(counted).toHaveLength(2);
});

it("keeps the newest hundred access tokens of one grant", async () => {
  const { access_token, refresh_token } = await signedIn({ userId: "budget-tokens" });
  const grant = "(SELECT id FROM grants WHERE user_id = 'budget-tokens')";
  await env.DB.prepare(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 150)
     INSERT INTO grant_tokens (id, grant_id, generation, hash, created_at, expires_at)
     SELECT 'many-' || i, ${grant}, 0, 'x', created_at - i, expires_at FROM n, grant_tokens WHERE grant_id = ${grant}`,
  ).run();
  const next = await (await post("/oauth/token", refreshForm(refresh_token))).json<{ access_token: string }>();
  const counted = await env.DB.prepare(`SELECT count(*) AS n FROM grant_tokens WHERE grant_id = ${grant}`).first();
  expect(counted).toEqual({ n: 100 });
  for (const token of [access_token, next.access_token]) {
    const answer = await askWith({}, "/mcp", {
      method: "POST",
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }),
      headers: {
        ...{ authorization: `Bearer ${token}`, "content-type": "application/json" },
        accept: "application/json, text/event-stream",
      },
    });
    expect(answer.status).toBe(200);
  }
});

it("deletes a client that was not approved for a day, and does not redirect to it", async () => {
  const client_id = await register({ client_name: "Forgotten" });
  const begin = async () => new Browser().send(await request({ client_id }));
  expect((await begin()).status).toBe(303);
  await env.DB.prepare("UPDATE oauth_clients SET expires_at = expires_at - ? WHERE id = ?").bind(DAY, client_id).run();
  const refused = await begin();
  expect([refused.status, refused.headers.get("location")]).toEqual([400, null]);
  expect(await refused.text()).toContain("This program is not registered");
});
