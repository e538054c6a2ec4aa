// The URLs where a grant's tokens are valid, the user they authenticate, and the events that end them.

import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { SUBPROTOCOL } from "../../src/domain/questions/frame";
import { askWith } from "../support/app";
import { call, keyFor } from "../support/call";
import { CLIENT, errorIn, initializeWith, MCP, ORIGIN, pass, post, refreshForm, signedIn } from "../support/grants";
import { seedSkill } from "../support/registry";

const codeOf = async (answer: Response) => `${answer.status} ${(await answer.json<{ code: string }>()).code}`;
const grantOf = async (userId: string) =>
  (
    await env.DB.prepare("SELECT id FROM grants WHERE user_id = ? ORDER BY id DESC")
      .bind(userId)
      .first<{ id: string }>()
  )?.id ?? "";

describe("a token", () => {
  it("opens its URL in every spelling, and no other one", async () => {
    const doors: [string, string[]][] = [
      ["/mcp", ["/mcp", "/mcp/", "/mcp?tool_mode=dynamic", "/%6dcp"]],
      ["/mcp/a:b", ["/mcp/a:b", "/mcp/a%3Ab", "/mcp/%61:b?tool_mode=fixed"]],
      ["/mcp/servers", ["/mcp/servers"]],
    ];
    for (const [path, spellings] of doors) {
      const { access_token } = await signedIn({ userId: "door", resource: ORIGIN + path });
      for (const spelling of spellings)
        expect((await initializeWith(spelling, access_token)).status, spelling).toBe(200);
      const others = ["/mcp", "/mcp/a:b", "/mcp/a:b:c", "/mcp/servers", "/mcp/servers/a:b"].filter(
        (one) => one !== path,
      );
      for (const other of others) {
        const answer = await initializeWith(other, access_token);
        expect(answer.headers.get("www-authenticate"), other).toMatch(
          new RegExp(
            `error="invalid_token".*resource_metadata="${ORIGIN}/.well-known/oauth-protected-resource${other}"`,
          ),
        );
        expect(await codeOf(answer), other).toBe("401 TOKEN_ELSEWHERE");
      }
    }
  });

  it("opens a server of the gateway, and its address for messages", async () => {
    const { access_token } = await signedIn({ resource: `${ORIGIN}/mcp/servers/none` });
    // The server does not exist. A 404 proves that the token was accepted.
    expect((await initializeWith("/mcp/servers/none", access_token)).status).toBe(404);
    expect((await initializeWith("/mcp/servers/none/message?to=x", access_token)).status).toBe(404);
    expect((await initializeWith("/mcp/servers/other", access_token)).status).toBe(401);
  });

  it("gives no access to the API, the chat endpoint and sockets, and acts for no other user", async () => {
    const { access_token: key } = await signedIn({ userId: "closed" });
    const paths = ["/api/v1/me", "/api/v1/keys", "/api/v1/grants", "/api/v1/conversations", "/api/v1/kinds/skills"];
    for (const path of [...paths, "/api/v1/conversations/a/socket", "/openai/v1/models", "/anthropic/v1/models"]) {
      const answer = await call("GET", path, { key, headers: { "x-api-key": key } });
      expect(answer.status, path).toBe(401);
    }
    const upgraded = await call("GET", "/api/v1/conversations/a/socket", {
      key,
      headers: { upgrade: "websocket", "sec-websocket-protocol": SUBPROTOCOL },
    });
    const closed = new Promise((resolve) => upgraded.webSocket?.addEventListener("close", ({ code }) => resolve(code)));
    upgraded.webSocket?.accept();
    expect(await closed).toBe(4401);
    const ticket = await call("POST", "/api/v1/conversations/a/tickets", { key, json: {} });
    expect(await codeOf(ticket)).toBe("401 TOKEN_ELSEWHERE");
    expect(await codeOf(await initializeWith("/mcp", key, { "on-behalf-of": "eve" }))).toBe("403 ACT_AS_DENIED");
  });

  it("is no other kind of token: a refresh token and a code open nothing", async () => {
    const { refresh_token, access_token } = await signedIn();
    const mistyped = access_token.slice(0, -1) + (access_token.endsWith("0") ? "1" : "0");
    for (const other of [refresh_token, access_token.replace("sga_", "sgw_"), mistyped]) {
      expect(await codeOf(await initializeWith("/mcp", other))).toBe("401 UNAUTHENTICATED");
    }
  });

  it("belongs to a user, is never an admin, and has the groups that the issuer claimed", async () => {
    await call("POST", "/api/v1/groups", { json: { name: "claimed-team" } });
    await seedSkill({ name: "team-skill", scope: "group:claimed-team" });
    const listed = async (token: string) => {
      const body = { jsonrpc: "2.0", id: 1, method: "initialize" };
      const answer = await (await initializeWith("/mcp", token, { "x-test": body.method })).text();
      return answer.includes("team-skill");
    };
    const claimed = [{ group: "claimed-team", role: "Developer" as const }];
    const with_ = await signedIn({ userId: "jo", via: "issuer", viaId: "https://i jo", claimed });
    const without = await signedIn({ userId: "jo" });
    expect(await listed(with_.access_token)).toBe(true);
    // The same user, cached by this isolate with the claims of the other grant.
    expect(await listed(without.access_token)).toBe(false);
    const me = await call("GET", "/api/v1/me", { key: await keyFor("jo") });
    expect(await me.json()).toMatchObject({ groups: [] });
  });

  it("ends after an hour, and is no guess then", async () => {
    const { access_token } = await signedIn();
    await pass(59 * 60_000);
    expect((await initializeWith("/mcp", access_token)).status).toBe(200);
    await pass(60_001);
    const limited = { RATE_LIMITS: "true", GUESS_RATE: { limit: async () => ({ success: false }) } };
    const headers = { authorization: `Bearer ${access_token}`, "cf-connecting-ip": "192.0.2.1" };
    const ask = (more: object) =>
      askWith({ ...limited, IDENTITY_MEMORY_S: "0" }, "/mcp", { method: "POST", headers: { ...headers, ...more } });
    expect(await codeOf(await ask({}))).toBe("401 TOKEN_ENDED");
    // A key that never existed counts as a guess, and this one exceeds the limit.
    expect((await ask({ authorization: `Bearer sgw_${"1".repeat(26)}_${"0".repeat(64)}` })).status).toBe(429);
  });
});

describe("a grant", () => {
  const keyOf = async (userId: string, more: object = {}) => {
    const answer = await call("POST", "/api/v1/keys", { json: { user_id: userId, ...more } });
    return answer.json<{ id: string; key: string }>();
  };

  it("dies with the key that its user signed in with, revoked or expired", async () => {
    for (const end of ["revoke", "expire"]) {
      const { id } = await keyOf("signer");
      const tokens = await signedIn({ userId: "signer", via: "key", viaId: id, keyId: id });
      const other = await signedIn({ userId: "signer" });
      expect((await initializeWith("/mcp", tokens.access_token)).status).toBe(200);
      if (end === "revoke") await call("DELETE", `/api/v1/keys/${id}`);
      else {
        await env.DB.prepare("UPDATE keys SET expires_at = 1 WHERE id = ?").bind(id).run();
        // The statement above bypassed the gateway. Revoking another grant clears the cached caller of this isolate.
        await call("DELETE", `/api/v1/grants/${await grantOf("signer")}`);
      }
      expect((await initializeWith("/mcp", tokens.access_token)).status).toBe(401);
      expect(await errorIn(await post("/oauth/token", refreshForm(tokens.refresh_token)))).toBe("400 invalid_grant");
      if (end === "revoke") expect((await initializeWith("/mcp", other.access_token)).status).toBe(200);
    }
  });

  it("is not made of a code whose key was revoked meanwhile", async () => {
    const { id } = await keyOf("hasty");
    await call("DELETE", `/api/v1/keys/${id}`);
    await expect(signedIn({ userId: "hasty", via: "key", viaId: id, keyId: id })).rejects.toThrow("invalid_grant");
    expect(await grantOf("hasty")).toBe("");
  });

  it("is ended by its user, by an admin, and by a holder of its token; no other user sees it", async () => {
    const [{ key: own }, { key: other }] = [await keyOf("holder"), await keyOf("stranger")];
    const list = async (key?: string) => {
      const answer = await call("GET", "/api/v1/grants", key === undefined ? {} : { key });
      return (await answer.json<{ items: { id: string; user_id: string }[] }>()).items;
    };
    const ended = async (token: string) => expect((await initializeWith("/mcp", token)).status).toBe(401);
    for (const by of [own, undefined]) {
      const { access_token } = await signedIn({ userId: "holder" });
      expect((await initializeWith("/mcp", access_token)).status).toBe(200);
      const [grant] = await list(own);
      expect(grant).toMatchObject({ user_id: "holder", client_id: CLIENT, resource: MCP, signed_in_by: "link" });
      expect((await list()).map(({ id }) => id)).toContain(grant?.id);
      expect(await list(other)).toEqual([]);
      expect(await codeOf(await call("DELETE", `/api/v1/grants/${grant?.id}`, { key: other }))).toBe(
        "404 GRANT_NOT_FOUND",
      );
      const options = by === undefined ? {} : { key: by };
      expect((await call("DELETE", `/api/v1/grants/${grant?.id}`, options)).status).toBe(204);
      await ended(access_token);
      expect((await call("DELETE", `/api/v1/grants/${grant?.id}`, options)).status).toBe(404);
    }
    for (const kind of ["access_token", "refresh_token"] as const) {
      const tokens = await signedIn({ userId: "holder" });
      await post("/oauth/revoke", { token: tokens[kind], client_id: "dcr_other" });
      expect((await initializeWith("/mcp", tokens.access_token)).status).toBe(200);
      for (const token of [tokens[kind], "nonsense"]) {
        expect((await post("/oauth/revoke", { token, client_id: CLIENT })).status).toBe(200);
      }
      await ended(tokens.access_token);
    }
    const both = [await signedIn({ userId: "holder" }), await signedIn({ userId: "holder" })];
    expect(await (await call("DELETE", "/api/v1/grants", { key: own })).json()).toEqual({ ended: 2 });
    for (const { access_token } of both) await ended(access_token);
    const log = await call("GET", "/api/v1/audit?action=grant.end&limit=100");
    const { items } = await log.json<{ items: { user_id: string; after: unknown }[] }>();
    const whys = items.filter(({ user_id }) => user_id === "holder").map(({ after }) => after);
    expect(whys.toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)))).toEqual([
      ...[{ why: "revoked" }, { why: "revoked" }, { why: "revoked" }, { why: "signed_out" }],
    ]);
  });

  it("goes with its user", async () => {
    const { access_token, refresh_token } = await signedIn({ userId: "leaver" });
    const exported = await (await call("GET", "/api/v1/users/leaver/export")).json<{ grants: object[] }>();
    expect(exported.grants).toEqual([expect.objectContaining({ client_id: CLIENT, resource: MCP })]);
    expect(JSON.stringify(exported)).not.toContain("derived");
    await call("DELETE", "/api/v1/users/leaver");
    expect((await initializeWith("/mcp", access_token)).status).toBe(401);
    expect(await errorIn(await post("/oauth/token", refreshForm(refresh_token)))).toBe("400 invalid_grant");
    const left = await env.DB.prepare(
      "SELECT (SELECT count(*) FROM grants WHERE user_id = 'leaver') + (SELECT count(*) FROM grant_codes WHERE user_id = 'leaver') AS left",
    ).first();
    expect(left).toEqual({ left: 0 });
  });

  it("counts nowhere while the gateway is not the authorization server", async () => {
    const { access_token, refresh_token } = await signedIn();
    const issuer = { JWT_ISSUER: "https://i.test", JWT_AUDIENCE: MCP, JWT_JWKS_URL: "https://i.test/keys" };
    const off = { ...issuer, OAUTH_SERVER: "outside" };
    const headers = { authorization: `Bearer ${access_token}` };
    expect((await askWith(off, "/mcp", { method: "POST", headers })).status).toBe(401);
    const body = new URLSearchParams(refreshForm(refresh_token));
    expect((await askWith(off, "/oauth/token", { method: "POST", body })).status).toBe(404);
    expect((await initializeWith("/mcp", access_token)).status).toBe(200);
  });

  it("of a user's hundred and first host ends the one that was refreshed longest ago", async () => {
    const first = await signedIn({ userId: "many" });
    for (let made = 1; made < 100; made++) await signedIn({ userId: "many" });
    expect((await initializeWith("/mcp", first.access_token)).status).toBe(200);
    const last = await signedIn({ userId: "many" });
    expect((await initializeWith("/mcp", first.access_token)).status).toBe(401);
    expect((await initializeWith("/mcp", last.access_token)).status).toBe(200);
  });
});
