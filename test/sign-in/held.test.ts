// Rules of signing in that nothing else would notice if they were gone: each was taken away once, and all other tests stayed green.

import { describe, expect, it } from "vitest";
import { readRefreshToken, writeRefreshToken } from "../../src/domain/sign-in/tokens";
import { call, keyFor } from "../support/call";
import {
  CLIENT,
  codeFor,
  codeForm,
  errorIn,
  knock,
  pass,
  post,
  refreshed,
  refreshForm,
  signedIn,
} from "../support/grants";
import { Browser, GATEWAY, request } from "../support/sign-in";

describe("another site", () => {
  it("cannot press the button of a sign-in link, which stays good", async () => {
    const made = await call("POST", "/api/v1/sign-ins", { json: { user_id: "held-link" } });
    const path = (await made.json<{ url: string }>()).url.replace(GATEWAY, "");
    const marks = { origin: "https://evil.example", "sec-fetch-site": "cross-site" };
    expect((await new Browser().post(path, {}, marks)).status).toBe(403);
    expect((await new Browser().post(path, {})).status).toBe(200);
  });

  it("cannot have a state of any length carried along", async () => {
    const answer = await new Browser().send(await request({ state: "x".repeat(4_097) }));
    const back = new URL(answer.headers.get("location") ?? "").searchParams;
    expect([back.get("error"), back.has("state")]).toEqual(["invalid_request", false]);
  });
});

describe("a grant of somebody who signed in for half an hour", () => {
  it("lasts as long, and so do its tokens, however it is refreshed", async () => {
    const first = await signedIn({ userId: "held-short", endsAt: Date.now() + 30 * 60_000 });
    expect(first.expires_in).toBeLessThanOrEqual(30 * 60);
    await pass(29 * 60_000);
    const { access_token, refresh_token, expires_in } = await refreshed(first.refresh_token);
    expect(expires_in).toBeLessThanOrEqual(60);
    await pass(61_000);
    expect(await errorIn(await post("/oauth/token", refreshForm(refresh_token)))).toBe("400 invalid_grant");
    expect((await knock("/mcp", access_token)).status).toBe(401);
  });
});

describe("what a user takes back", () => {
  it("is a code too, of a host that has not exchanged it yet", async () => {
    const code = await codeFor({ userId: "held-out" });
    await call("DELETE", "/api/v1/grants", { key: await keyFor("held-out") });
    expect(await errorIn(await post("/oauth/token", codeForm(code)))).toBe("400 invalid_grant");
  });

  it("is not taken by who knows only the grant's id, as a token in a log might tell it", async () => {
    const tokens = await signedIn({ userId: "held-known" });
    const known = readRefreshToken(tokens.refresh_token);
    if (known === null) throw new Error("no refresh token");
    const forged = writeRefreshToken({ ...known, secret: "0".repeat(64), mark: "0".repeat(32) });
    expect((await post("/oauth/revoke", { token: forged, client_id: CLIENT })).status).toBe(200);
    expect((await knock("/mcp", tokens.access_token)).status).toBe(200);
  });
});
