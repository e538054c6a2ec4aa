import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { call, keyFor } from "../../support/call";
import { forgetCallers } from "../../support/isolate";

describe("keys", () => {
  it("makes a key that works until it is revoked", async () => {
    const made = await call("POST", "/api/v1/keys", { json: { user_id: "alice", name: "laptop" } });
    expect(made.status).toBe(201);
    const { id, key } = await made.json<{ id: string; key: string }>();
    expect(key).toMatch(/^sgw_[0-9A-Z]+_[0-9a-f]{72}$/);

    const me = await call("GET", "/api/v1/me", { key });
    const plain = { role: "user", name: null, groups: [], memberships: [], scopes: [] };
    expect(await me.json()).toMatchObject({ user_id: "alice", ...plain });

    expect((await call("DELETE", `/api/v1/keys/${id}`)).status).toBe(204);
    const refused = await call("GET", "/api/v1/me", { key });
    expect(refused.status).toBe(401);
    expect(refused.headers.get("content-type")).toBe("application/problem+json");
    expect(await refused.json()).toMatchObject({ status: 401, code: "UNAUTHENTICATED" });
    expect((await call("DELETE", `/api/v1/keys/${id}`)).status).toBe(404);
  });

  it("lists keys page by page, newest first, without their secrets", async () => {
    for (const user of ["list-1", "list-2", "list-3"]) await keyFor(user);
    const first = await (await call("GET", "/api/v1/keys?limit=2")).json<{ items: object[]; next_cursor: string }>();
    expect(first.items).toMatchObject([{ user_id: "list-3" }, { user_id: "list-2" }]);
    expect(JSON.stringify(first)).not.toMatch(/sgw_|hash/);
    const second = await call("GET", `/api/v1/keys?limit=1&cursor=${first.next_cursor}`);
    expect(await second.json()).toMatchObject({ items: [{ user_id: "list-1" }] });
  });

  it("refuses an expired key", async () => {
    const key = await keyFor("late", { expires_at: "2020-01-01T00:00:00Z" });
    expect((await call("GET", "/api/v1/me", { key })).status).toBe(401);
  });

  it("lets only keys with act_as speak for others, with a plain user's rights", async () => {
    const service = await keyFor("service", { role: "admin", scopes: ["act_as"] });
    const other = await call("GET", "/api/v1/me", { key: service, as: "bob" });
    expect(await other.json()).toMatchObject({ user_id: "bob", role: "user", groups: [], scopes: [] });
    const plain = await keyFor("plain");
    const refused = await call("GET", "/api/v1/me", { key: plain, as: "bob" });
    expect(refused.status).toBe(403);
    expect(await refused.json()).toMatchObject({ code: "ACT_AS_DENIED" });
  });

  it("is made by admins only", async () => {
    const key = await keyFor("nobody");
    expect((await call("POST", "/api/v1/keys", { key, json: { user_id: "x" } })).status).toBe(403);
  });

  it("answers a bad request with every problem at once", async () => {
    const answer = await call("POST", "/api/v1/keys", { json: { user_id: "a b", role: "king", is_admin: true } });
    expect(answer.status).toBe(400);
    const { issues } = await answer.json<{ issues: { code: string; path: string }[] }>();
    expect(issues.map((issue) => issue.path).sort()).toEqual(["is_admin", "role", "user_id"]);
  });

  it("refuses what it cannot read", async () => {
    expect(
      (await call("POST", "/api/v1/keys", { body: "{", headers: { "content-type": "application/json" } })).status,
    ).toBe(400);
    expect((await call("POST", "/api/v1/keys", { body: "x", headers: { "content-type": "text/plain" } })).status).toBe(
      415,
    );
    const method = await call("PATCH", "/api/v1/keys");
    expect(method.status).toBe(405);
    expect(method.headers.get("allow")).toBe("GET, POST");
    expect((await call("GET", "/api/v1/nothing")).status).toBe(404);
    expect((await call("GET", "/api/v1/me", { key: null })).status).toBe(401);
    const twice = await call("POST", "/api/v1/keys", { json: { user_id: "x" }, headers: { "idempotency-key": "1" } });
    expect(twice.status).toBe(400);
  });
});

describe("a user's own keys", () => {
  const made = async (userId: string, more: Record<string, unknown> = {}) => {
    const answer = await call("POST", "/api/v1/keys", { json: { user_id: userId, ...more } });
    return answer.json<{ id: string; key: string; expires_at: string | null }>();
  };
  const rotate = (id: string, key: string, json: object = {}) =>
    call("POST", `/api/v1/keys/${id}/rotate`, { key, json });
  const works = async (key: string) => (await call("GET", "/api/v1/me", { key })).status === 200;

  it("can be listed and revoked by their user only", async () => {
    const [mine, second, other] = [await made("lister"), await made("lister"), await made("not-lister")];
    const { items } = await (await call("GET", "/api/v1/keys", { key: mine.key })).json<{ items: { id: string }[] }>();
    expect(items.map((item) => item.id)).toEqual([second.id, mine.id]);
    expect((await call("DELETE", `/api/v1/keys/${other.id}`, { key: mine.key })).status).toBe(404);
    expect(await works(other.key)).toBe(true);
    expect((await call("DELETE", `/api/v1/keys/${second.id}`, { key: mine.key })).status).toBe(204);
    expect(await works(second.key)).toBe(false);
  });

  it("are rotated with an overlap, rights and end unchanged", async () => {
    const rights = {
      role: "admin",
      name: "deploy",
      scopes: ["keys", "skills:write"],
      expires_at: "2100-01-01T00:00:00Z",
    };
    const old = await made("rotator", rights);
    const answer = await rotate(old.id, old.key, { overlap_s: 3600 });
    expect(answer.status).toBe(201);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    const next = await answer.json<{ id: string; key: string; expires_at: string; replaces: string }>();
    expect(next).toMatchObject({
      ...rights,
      user_id: "rotator",
      replaces: old.id,
      expires_at: "2100-01-01T00:00:00.000Z",
    });
    expect([await works(old.key), await works(next.key)]).toEqual([true, true]);
    const { items } = await (await call("GET", "/api/v1/keys")).json<{ items: { id: string; expires_at: string }[] }>();
    const ends = Date.parse(items.find((item) => item.id === old.id)!.expires_at);
    expect(Math.abs(ends - Date.now() - 3_600_000)).toBeLessThan(60_000);
    // One successor at a time. Otherwise the overlap could be extended without limit.
    expect(await (await rotate(old.id, next.key)).json()).toMatchObject({ code: "KEY_REPLACED" });
    const last = await (await rotate(next.id, next.key, { overlap_s: 0 })).json<{ key: string }>();
    expect([await works(next.key), await works(last.key)]).toEqual([false, true]);
  });

  it("are rotated once when asked twice at once", async () => {
    const { id, key } = await made("twice");
    const both = await Promise.all([rotate(id, key), rotate(id, key)]);
    expect(both.map((answer) => answer.status).sort()).toEqual([201, 409]);
  });

  it("never give more than the key that asks has", async () => {
    const weak = await made("climber", { scopes: ["keys"] });
    const strong = await made("climber");
    const boss = await made("climber", { role: "admin" });
    const service = await made("climber", { scopes: ["act_as"] });
    const code = async (answer: Response) => (await answer.json<{ code: string }>()).code;
    expect(await code(await rotate(strong.id, weak.key))).toBe("KEY_TOO_STRONG");
    expect(await code(await rotate(boss.id, strong.key))).toBe("KEY_TOO_STRONG");
    expect(await code(await rotate(service.id, strong.key))).toBe("KEY_TOO_STRONG");
    expect((await rotate(weak.id, weak.key)).status).toBe(201);
    expect((await rotate(weak.id, strong.key)).status).toBe(409);
    expect((await rotate(strong.id, strong.key)).status).toBe(201);
    expect((await rotate(service.id, boss.key)).status).toBe(201);
    // An admin key that is limited to the scope `keys` can only manage the keys of its own user, and cannot create any.
    const limited = await made("limited-admin", { role: "admin", scopes: ["keys"] });
    expect((await rotate(strong.id, limited.key)).status).toBe(404);
    expect(await code(await call("POST", "/api/v1/keys", { key: limited.key, json: { user_id: "x" } }))).toBe(
      "SCOPE_MISSING",
    );
    // A service that acts for a user must not be able to create a permanent key.
    const acting = await made("acting", { scopes: ["act_as"] });
    const lent = await call("POST", `/api/v1/keys/${strong.id}/rotate`, { key: acting.key, as: "climber", json: {} });
    expect(await code(lent)).toBe("ACT_AS_DENIED");
  });

  it("say when they were last used, give or take", async () => {
    const { id, key } = await made("user-of-key");
    expect(await works(key)).toBe(true);
    const lastUsed = async () => {
      const { items } = await (await call("GET", "/api/v1/keys")).json<{
        items: { id: string; last_used_at: string }[];
      }>();
      return items.find((item) => item.id === id)!.last_used_at;
    };
    await vi.waitFor(async () => expect(await lastUsed()).not.toBeNull(), { timeout: 10_000 });
    const noted = await lastUsed();
    expect(Math.abs(Date.parse(noted) - Date.now())).toBeLessThan(60_000);
    expect(await works(key)).toBe(true);
    expect(await lastUsed()).toBe(noted);
    await env.DB.prepare("UPDATE keys SET last_used_at = ? WHERE id = ?")
      .bind(Date.now() - 11 * 60_000, id)
      .run();
    forgetCallers();
    expect(await works(key)).toBe(true);
    await vi.waitFor(async () => expect(Date.parse(await lastUsed())).toBeGreaterThanOrEqual(Date.parse(noted)), {
      timeout: 10_000,
    });
  });

  it("are limited to what their scopes name, a service's limits included", async () => {
    const { key } = await made("limited", { scopes: ["skills:read"] });
    expect((await call("GET", "/api/v1/kinds/skills", { key })).status).toBe(200);
    expect(await (await call("GET", "/api/v1/kinds/ghosts", { key })).json()).toMatchObject({
      code: "SCOPE_MISSING",
      needed: "ghosts",
    });
    // Limited keys cannot call routes that are missing from the scope table, whether or not the route exists.
    expect((await call("GET", "/api/v1/nothing", { key })).status).toBe(403);
    const service = await made("limited-service", { scopes: ["act_as", "conversations"] });
    expect((await call("GET", "/api/v1/conversations", { key: service.key, as: "bob" })).status).toBe(200);
    expect((await call("GET", "/api/v1/kinds/skills", { key: service.key, as: "bob" })).status).toBe(403);
    const me = await call("GET", "/api/v1/me", { key: service.key, as: "bob" });
    expect(await me.json()).toMatchObject({ user_id: "bob", scopes: ["conversations"] });
  });
});

describe("health", () => {
  it("says that everything answers", async () => {
    const answer = await call("GET", "/health", { key: null });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ status: "ok", checks: { d1: "ok", r2: "ok", loader: "ok" } });
  });
});

describe("cross-origin requests", () => {
  it("are allowed from loopback in development builds and from nowhere else", async () => {
    const ask = (origin: string) =>
      call("OPTIONS", "/api/v1/me", { key: null, headers: { origin, "access-control-request-method": "GET" } });
    expect((await ask("http://localhost:3000")).headers.get("access-control-allow-origin")).toBe(
      "http://localhost:3000",
    );
    expect((await ask("https://evil.example")).headers.get("access-control-allow-origin")).toBeNull();
  });
});
