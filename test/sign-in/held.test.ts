// Rules of the sign-in that no other test covers: each rule was removed once, and all other tests still passed.

import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { sha256Hex } from "../../src/domain/digest";
import { readRefreshToken, writeRefreshToken } from "../../src/domain/sign-in/tokens";
import { approve } from "../../src/services/sign-in/pages";
import { readPage } from "../../src/storage/d1/sign-in/pages";
import { askWith } from "../support/app";
import { call, keyFor } from "../support/call";
import {
  CLIENT,
  codeFor,
  codeForm,
  errorIn,
  initializeWith,
  pass,
  post,
  refreshed,
  refreshForm,
  signedIn,
  signingIn,
  tokensIn,
} from "../support/grants";
import { Browser, GATEWAY, openPage, request } from "../support/sign-in";

describe("another site", () => {
  it("cannot press the button of a sign-in link, which stays good", async () => {
    const made = await call("POST", "/api/v1/sign-ins", { json: { user_id: "held-link" } });
    const path = (await made.json<{ url: string }>()).url.replace(GATEWAY, "");
    const marks = { origin: "https://evil.example", "sec-fetch-site": "cross-site" };
    expect((await new Browser().post(path, {}, marks)).status).toBe(403);
    expect((await new Browser().post(path, {})).status).toBe(200);
  });

  it("rejects a form if the browser sends only a referrer, as some do without an origin", async () => {
    const browser = new Browser();
    const page = await openPage(browser);
    await browser.post(page, { how: "key", key: await keyFor("held-form") });
    const send = (site: string) =>
      browser.send(page, {
        ...{ method: "POST", body: new URLSearchParams({ how: "approve" }) },
        headers: { "sec-fetch-site": site },
      });
    for (const site of ["cross-site", "same-site", "none"])
      expect([site, (await send(site)).status]).toEqual([site, 403]);
    expect((await send("same-origin")).status).toBe(303);
  });

  it("cannot have a form of any size read", async () => {
    const browser = new Browser();
    const page = await openPage(browser);
    expect((await browser.post(page, { how: "deny", more: "x".repeat(16 * 1_024) })).status).toBe(400);
    expect((await browser.post(page, { how: "deny", more: "x".repeat(8 * 1_024) })).status).toBe(303);
  });

  it("cannot have a state of any length carried along", async () => {
    const answer = await new Browser().send(await request({ state: "x".repeat(4_097) }));
    const back = new URL(answer.headers.get("location") ?? "").searchParams;
    expect([back.get("error"), back.has("state")]).toEqual(["invalid_request", false]);
  });
});

describe("a grant of a user who signed in half an hour ago", () => {
  it("lasts as long, and so do its tokens, however it is refreshed", async () => {
    const first = await signedIn({ userId: "held-short", endsAt: Date.now() + 30 * 60_000 });
    expect(first.expires_in).toBeLessThanOrEqual(30 * 60);
    await pass(29 * 60_000);
    const { access_token, refresh_token, expires_in } = await refreshed(first.refresh_token);
    expect(expires_in).toBeLessThanOrEqual(60);
    await pass(61_000);
    expect(await errorIn(await post("/oauth/token", refreshForm(refresh_token)))).toBe("400 invalid_grant");
    expect((await initializeWith("/mcp", access_token)).status).toBe(401);
  });
});

describe("revocation by a user", () => {
  it("is a code too, of a host that has not exchanged it yet", async () => {
    const code = await codeFor({ userId: "held-out" });
    await call("DELETE", "/api/v1/grants", { key: await keyFor("held-out") });
    expect(await errorIn(await post("/oauth/token", codeForm(code)))).toBe("400 invalid_grant");
  });

  it("cannot be used with the grant's id alone, for example from a token in a log", async () => {
    const tokens = await signedIn({ userId: "held-known" });
    const known = readRefreshToken(tokens.refresh_token);
    if (known === null) throw new Error("no refresh token");
    const forged = writeRefreshToken({ ...known, secret: "0".repeat(64), mark: "0".repeat(32) });
    expect((await post("/oauth/revoke", { token: forged, client_id: CLIENT })).status).toBe(200);
    expect((await initializeWith("/mcp", tokens.access_token)).status).toBe(200);
  });
});

describe("a yes", () => {
  it("is valid for the displayed user only: a user who signed in meanwhile has not given it", async () => {
    const browser = new Browser();
    const place = await openPage(browser);
    await browser.post(place, { how: "key", key: await keyFor("held-shown") });
    const id = place.split("/").at(-1) ?? "";
    const secret = browser.cookies.get(`__Host-sgw-tx-${id}`) ?? "";
    const mine = { id, browser: await sha256Hex(secret) };
    const context = signingIn();
    const asShown = await readPage(context.db, mine);
    expect(asShown?.userId).toBe("held-shown");
    await browser.post(place, { how: "again" });
    await browser.post(place, { how: "key", key: await keyFor("held-meanwhile") });
    expect(await approve(context, mine, asShown, secret)).toBeNull();
    const codes = "SELECT count(*) AS n FROM grant_codes WHERE user_id LIKE 'held-shown' OR user_id LIKE 'held-mean%'";
    expect(await env.DB.prepare(codes).first()).toEqual({ n: 0 });
    expect((await browser.post(place, { how: "approve" })).status).toBe(303);
  });
});

describe("a deployment with another key", () => {
  const [OLD, NEW] = [btoa("o".repeat(32)), btoa("n".repeat(32))];
  const before = { SECRETS_KEY: OLD };
  const after = { SECRETS_KEY: NEW, SECRETS_KEYS_PREVIOUS: OLD };
  const token = (settings: object, form: Record<string, string>) =>
    askWith({ ...settings }, "/oauth/token", { method: "POST", body: new URLSearchParams(form) });
  const refresh = async (settings: object, shown: string) => tokensIn(await token(settings, refreshForm(shown)));

  it("keeps its grants with the previous key: repetitions are equal, and stolen tokens are detected", async () => {
    const first = await tokensIn(await token(before, codeForm(await codeFor({ userId: "held-keys" }))));
    const second = await refresh(before, first.refresh_token);
    // The response was lost, and the key was changed meanwhile.
    expect((await refresh(after, first.refresh_token)).refresh_token).toBe(second.refresh_token);
    const third = await refresh(after, second.refresh_token);
    expect((await refresh(after, second.refresh_token)).refresh_token).toBe(third.refresh_token);
    expect((await initializeWith("/mcp", third.access_token)).status).toBe(200);
    // Signed with the old key and two generations old, so it counts as stolen.
    expect(await errorIn(await token(after, refreshForm(first.refresh_token)))).toBe("400 invalid_grant");
    expect((await initializeWith("/mcp", third.access_token)).status).toBe(401);
  });

  it("cannot distinguish an old token from a forged one without the previous key, and ends nothing", async () => {
    const first = await tokensIn(await token(before, codeForm(await codeFor({ userId: "held-lost" }))));
    const third = await refresh(before, (await refresh(before, first.refresh_token)).refresh_token);
    const alone = { SECRETS_KEY: NEW };
    expect(await errorIn(await token(alone, refreshForm(first.refresh_token)))).toBe("400 invalid_grant");
    expect((await refresh(alone, third.refresh_token)).scope).toBe("mcp");
  });
});

describe("the token endpoint", () => {
  it("reads forms only, whatever else has the same bytes in it", async () => {
    const form = codeForm(await codeFor({ userId: "held-json" }));
    for (const type of ["application/json", "text/plain", "multipart/form-data; boundary=x", ""]) {
      const answer = await post("/oauth/token", form, { "content-type": type });
      expect([type, await errorIn(answer)]).toEqual([type, "400 invalid_request"]);
    }
    const json = { method: "POST", body: JSON.stringify(form), headers: { "content-type": "application/json" } };
    expect(await errorIn(await askWith({}, "/oauth/token", json))).toBe("400 invalid_request");
    expect((await post("/oauth/token", form)).status).toBe(200);
  });
});
