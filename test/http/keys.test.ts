import { describe, expect, it } from "vitest";
import { call, keyFor } from "./call";

describe("keys", () => {
  it("makes a key that works until it is revoked", async () => {
    const made = await call("POST", "/api/v1/keys", { json: { user_id: "alice", name: "laptop" } });
    expect(made.status).toBe(201);
    const { id, key } = await made.json<{ id: string; key: string }>();
    expect(key).toMatch(/^sgw_[0-9A-Z]+_[0-9a-f]{72}$/);

    const me = await call("GET", "/api/v1/me", { key });
    const plain = { role: "user", name: null, groups: [], memberships: [], scopes: [] };
    expect(await me.json()).toEqual({ user_id: "alice", ...plain });

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
