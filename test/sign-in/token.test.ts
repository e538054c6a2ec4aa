// The token endpoint: a code is valid once and only for its client; a refresh token returns new tokens within its family only.

import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import {
  CLIENT,
  codeFor,
  codeForm,
  errorIn,
  initializeWith,
  MCP,
  ORIGIN,
  pass,
  post,
  REDIRECT,
  refreshed,
  refreshForm,
  signedIn,
  tokensIn,
} from "../support/grants";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe("a code", () => {
  it("becomes tokens that open their URL", async () => {
    const answer = await post("/oauth/token", codeForm(await codeFor(), { resource: `${MCP}/?ghost=x` }));
    expect(answer.headers.get("cache-control")).toBe("no-store");
    const tokens = await tokensIn(answer);
    expect(tokens).toEqual({
      access_token: expect.stringMatching(/^sga_/),
      token_type: "Bearer",
      expires_in: 3600,
      refresh_token: expect.stringMatching(/^sgr_/),
      scope: "mcp",
    });
    expect((await initializeWith("/mcp", tokens.access_token)).status).toBe(200);
    // The database stores digests only.
    const { results } = await env.DB.prepare("SELECT * FROM grants JOIN grant_tokens ON grant_id = grants.id").all();
    const kept = JSON.stringify(results);
    for (const secret of [tokens.access_token, tokens.refresh_token])
      for (const part of [secret, secret.slice(31, 95)]) expect(kept).not.toContain(part);
  });

  it("is valid once: presenting it again ends its grant", async () => {
    const code = await codeFor();
    const tokens = await tokensIn(await post("/oauth/token", codeForm(code)));
    expect(await errorIn(await post("/oauth/token", codeForm(code)))).toBe("400 invalid_grant");
    expect(await errorIn(await post("/oauth/token", refreshForm(tokens.refresh_token)))).toBe("400 invalid_grant");
    expect((await initializeWith("/mcp", tokens.access_token)).status).toBe(401);
    const why = await env.DB.prepare("SELECT ended_by FROM grants ORDER BY created_at DESC, id DESC LIMIT 1").first();
    expect(why).toEqual({ ended_by: "code_reuse" });
  });

  it("gives one grant to twenty concurrent exchanges, and none in the end", async () => {
    const code = await codeFor({ userId: "race" });
    const answers = await Promise.all(Array.from({ length: 20 }, () => post("/oauth/token", codeForm(code))));
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
    const counted = await env.DB.prepare(
      "SELECT count(*) AS made, sum(ended_at IS NULL) AS living FROM grants WHERE user_id = 'race'",
    ).first();
    expect(counted).toEqual({ made: 1, living: 0 });
  });

  it("is for its client, its redirect URI, its verifier and its URL, and a wrong one does not burn it", async () => {
    const code = await codeFor();
    const wrong: [Record<string, string>, string][] = [
      [{ client_id: "dcr_other" }, "400 invalid_grant"],
      [{ redirect_uri: `${REDIRECT}/` }, "400 invalid_grant"],
      [{ code_verifier: "b".repeat(43) }, "400 invalid_grant"],
      [{ code_verifier: "short" }, "400 invalid_request"],
      [{ code_verifier: "" }, "400 invalid_request"],
      [{ redirect_uri: "" }, "400 invalid_request"],
      [{ resource: `${MCP}/chat` }, "400 invalid_target"],
      [{ resource: "https://elsewhere.example/mcp" }, "400 invalid_target"],
      [{ resource: `${ORIGIN}/api/v1/me` }, "400 invalid_target"],
      [{ grant_type: "password" }, "400 unsupported_grant_type"],
      [{ grant_type: "client_credentials" }, "400 unsupported_grant_type"],
      [{ code: code.slice(0, -1) + (code.endsWith("0") ? "1" : "0") }, "400 invalid_grant"],
    ];
    for (const [more, error] of wrong) {
      expect(await errorIn(await post("/oauth/token", codeForm(code, more))), JSON.stringify(more)).toBe(error);
    }
    expect((await post("/oauth/token", codeForm(code))).status).toBe(200);
  });

  it("ends after a minute", async () => {
    const code = await codeFor();
    await pass(MINUTE + 1);
    expect(await errorIn(await post("/oauth/token", codeForm(code)))).toBe("400 invalid_grant");
  });

  it("names all missing parameters, and accepts none twice", async () => {
    const answer = await post("/oauth/token", { grant_type: "authorization_code" });
    expect(await answer.json()).toEqual({
      error: "invalid_request",
      error_description: "Missing parameters: code, client_id, redirect_uri, code_verifier.",
    });
    const twice = [...Object.entries(codeForm(await codeFor())), ["client_id", CLIENT]];
    expect(await errorIn(await post("/oauth/token", twice))).toBe("400 invalid_request");
    const json = await post("/oauth/token", {}, { "content-type": "application/json" });
    expect(await errorIn(json)).toBe("400 invalid_request");
    const large = await post("/oauth/token", { grant_type: "x".repeat(40_000) });
    expect(await errorIn(large)).toBe("413 invalid_request");
  });
});

describe("a refresh token", () => {
  it("is exchanged for another one, and an access token that comes beside the old one", async () => {
    const first = await signedIn();
    const second = await refreshed(first.refresh_token);
    expect(second.refresh_token).not.toBe(first.refresh_token);
    for (const { access_token } of [first, second])
      expect((await initializeWith("/mcp", access_token)).status).toBe(200);
    const third = await refreshed(second.refresh_token);
    expect((await initializeWith("/mcp", third.access_token)).status).toBe(200);
  });

  it("leads to the same successor however often and by how many it is shown", async () => {
    const first = await signedIn();
    const answers = await Promise.all(Array.from({ length: 20 }, () => refreshed(first.refresh_token)));
    expect(new Set(answers.map(({ refresh_token }) => refresh_token)).size).toBe(1);
    expect(new Set(answers.map(({ access_token }) => access_token)).size).toBe(20);
    for (const { access_token } of answers.slice(0, 3))
      expect((await initializeWith("/mcp", access_token)).status).toBe(200);
    await pass(76_000);
    expect((await refreshed(first.refresh_token)).refresh_token).toBe(answers[0]?.refresh_token);
  });

  it("can be repeated for days while its successor is unused", async () => {
    const first = await signedIn();
    const lost = await refreshed(first.refresh_token);
    await pass(20 * 24 * HOUR);
    const found = await refreshed(first.refresh_token);
    expect(found.refresh_token).toBe(lost.refresh_token);
    // The token is now in use, and another process of the host sends its request shortly after.
    expect((await initializeWith("/mcp", found.access_token)).status).toBe(200);
    await pass(76_000);
    expect((await refreshed(first.refresh_token)).refresh_token).toBe(lost.refresh_token);
  });

  it("ends its grant when it is shown long after its successor was seen in use", async () => {
    const first = await signedIn({ userId: "late" });
    const second = await refreshed(first.refresh_token);
    expect((await initializeWith("/mcp", second.access_token)).status).toBe(200);
    await vi.waitFor(async () => {
      const { arrived } = (await env.DB.prepare("SELECT arrived FROM grants WHERE user_id = 'late'").first()) ?? {};
      expect(arrived).toBe(1);
    });
    await pass(9 * MINUTE);
    expect((await refreshed(first.refresh_token)).refresh_token).toBe(second.refresh_token);
    await pass(2 * MINUTE);
    expect(await errorIn(await post("/oauth/token", refreshForm(first.refresh_token)))).toBe("400 invalid_grant");
    expect((await initializeWith("/mcp", second.access_token)).status).toBe(401);
    expect(await errorIn(await post("/oauth/token", refreshForm(second.refresh_token)))).toBe("400 invalid_grant");
  });

  it("ends its grant at once when it is two generations old", async () => {
    const first = await signedIn();
    const second = await refreshed(first.refresh_token);
    const third = await refreshed(second.refresh_token);
    expect(await errorIn(await post("/oauth/token", refreshForm(first.refresh_token)))).toBe("400 invalid_grant");
    expect((await initializeWith("/mcp", third.access_token)).status).toBe(401);
    expect(await errorIn(await post("/oauth/token", refreshForm(third.refresh_token)))).toBe("400 invalid_grant");
  });

  it("ends nothing when it is forged, of another client, or for another URL", async () => {
    const first = await signedIn();
    const second = await refreshed((await refreshed(first.refresh_token)).refresh_token);
    const forged = first.refresh_token.replace(/_[0-9a-f]{8}/, "_00000000");
    expect(await errorIn(await post("/oauth/token", refreshForm(forged)))).toBe("400 invalid_grant");
    const other = refreshForm(second.refresh_token, { client_id: "dcr_other" });
    expect(await errorIn(await post("/oauth/token", other))).toBe("400 invalid_grant");
    const wider = refreshForm(second.refresh_token, { resource: `${ORIGIN}/mcp/chat` });
    expect(await errorIn(await post("/oauth/token", wider))).toBe("400 invalid_target");
    expect((await refreshed(second.refresh_token)).scope).toBe("mcp");
  });

  it("expires after thirty days without a refresh, and after half a year", async () => {
    const idle = await signedIn();
    let busy = await signedIn();
    await pass(29 * 24 * HOUR);
    busy = await refreshed(busy.refresh_token);
    await pass(2 * 24 * HOUR);
    expect(await errorIn(await post("/oauth/token", refreshForm(idle.refresh_token)))).toBe("400 invalid_grant");
    for (let month = 0; month < 6; month++) {
      busy = await refreshed(busy.refresh_token);
      await pass(29 * 24 * HOUR);
    }
    expect(await errorIn(await post("/oauth/token", refreshForm(busy.refresh_token)))).toBe("400 invalid_grant");
  });
});
