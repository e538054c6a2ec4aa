import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { dailyLimits, dayOf, quotasOf } from "../../src/domain/access/quota";
import { PACE, RATES } from "../../src/domain/limits";
import { settingsFrom } from "../../src/domain/settings/settings";
import { readScopeUse } from "../../src/storage/d1/usage";
import { askWith } from "../support/app";
import { call, keyFor } from "../support/call";
import { publishOwn, publishPublic } from "../support/chat-turns";
import { objectOf } from "../support/clock";
import { contextOf } from "../support/context";
import { conversationOf } from "../support/page";
import { form, skillZip } from "../support/skill";

const ask = (key: string, address: string, bindings: object = {}) =>
  askWith({ RATE_LIMITS: "true", ...bindings }, "/api/v1/me", {
    headers: { authorization: `Bearer ${key}`, "cf-connecting-ip": address },
  });
const guess = (address: string) => ask("sgw_wrong_key_of_somebody_who_guesses", address);

it("a client that guesses keys is soon rejected, and no other client", async () => {
  const seen: number[] = [];
  for (let n = 0; n <= RATES.guesses.requests; n++) seen.push((await guess("192.0.2.1")).status);
  expect(seen.slice(0, -1).every((status) => status === 401)).toBe(true);
  expect(seen.at(-1)).toBe(429);
  const refused = await guess("192.0.2.1");
  expect(refused.headers.get("retry-after")).toBe("60");
  expect(refused.headers.get("ratelimit-policy")).toContain('"guesses";q=30;w=60');
  expect(await refused.json()).toMatchObject({ code: "RATE_LIMITED", limit: 30 });
  expect((await guess("192.0.2.2")).status).toBe(401);
  expect((await ask(await keyFor("rate-owner"), "192.0.2.1")).status).toBe(200);
});

it("asking without a key is no guess, since hosts do so to learn how to sign in", async () => {
  const headers = { "cf-connecting-ip": "192.0.2.11" };
  for (let n = 0; n < 3 * RATES.guesses.requests; n++) {
    const answer = await askWith({ RATE_LIMITS: "true" }, "/mcp/project", { method: "POST", headers });
    expect(answer.status).toBe(401);
    await answer.body?.cancel();
  }
});

it("guesses at the socket's route count too", async () => {
  const headers = { upgrade: "websocket", "cf-connecting-ip": "192.0.2.9" };
  const open = (more: Record<string, string>, protocol = "skill-gateway.v1") =>
    askWith({ RATE_LIMITS: "true" }, "/api/v1/conversations/guessed/socket", {
      headers: { ...headers, "sec-websocket-protocol": protocol, ...more },
    });
  const statuses: number[] = [];
  for (let n = 0; n < RATES.guesses.requests; n += 2) {
    statuses.push((await open({ authorization: "Bearer sgw_wrong_key_of_somebody_who_guesses" })).status);
    statuses.push((await open({}, "skill-gateway.v1, ticket.wrong")).status);
  }
  expect(new Set(statuses)).toEqual(new Set([101]));
  expect((await open({ authorization: "Bearer sgw_wrong_key_of_somebody_who_guesses" })).status).toBe(429);
});

/** Returns a rate limiter that rejects keys with this prefix, and the keys that it was called with. */
function counter(full: string) {
  const counted: string[] = [];
  const limit = async ({ key }: { key: string }) => {
    counted.push(key);
    return { success: !key.startsWith(full) };
  };
  return { counted, limit };
}

it("a principal that is too fast waits, and its neighbour does not", async () => {
  const [fast, slow] = [await keyFor("rate-fast"), await keyFor("rate-slow")];
  const id = /^sgw_([^_]+)_/.exec(fast)?.[1];
  const PRINCIPAL_RATE = counter(`${id} `);
  const refused = await ask(fast, "192.0.2.3", { PRINCIPAL_RATE });
  expect([refused.status, refused.headers.get("ratelimit")]).toEqual([429, '"principal";r=0;t=10']);
  expect((await ask(slow, "192.0.2.3", { PRINCIPAL_RATE })).status).toBe(200);
  expect(PRINCIPAL_RATE.counted[0]).toBe(`${id} rate-fast`);
});

it("a principal that is too fast opens no socket either", async () => {
  const key = await keyFor("rate-socket");
  const PRINCIPAL_RATE = counter("");
  const headers = {
    authorization: `Bearer ${key}`,
    upgrade: "websocket",
    "sec-websocket-protocol": "skill-gateway.v1",
  };
  const path = "/api/v1/conversations/rate/socket";
  const { webSocket } = await askWith({ RATE_LIMITS: "true", PRINCIPAL_RATE }, path, { headers });
  webSocket?.accept();
  const { code } = await new Promise<CloseEvent>((resolve) => webSocket?.addEventListener("close", resolve));
  expect(code).toBe(4429);
});

it("an address that is too fast is refused on every path before anything is read, its whole /64 with it", async () => {
  const key = await keyFor("rate-address");
  const down = () => {
    throw new Error("storage was asked");
  };
  const bindings = { ADDRESS_RATE: counter("2001:db8:1:2::/64"), DB: { withSession: down, prepare: down } };
  for (const path of ["/api/v1/me", "/mcp", "/health", "/api/v1/conversations/c/socket", "/nowhere"]) {
    const refused = await askWith({ RATE_LIMITS: "true", ...bindings }, path, {
      headers: { authorization: `Bearer ${key}`, "cf-connecting-ip": "2001:db8:1:2::77" },
    });
    expect([path, refused.status, refused.headers.get("ratelimit")]).toEqual([path, 429, '"address";r=0;t=10']);
    expect(refused.headers.get("retry-after")).toBe("10");
    expect(await refused.json()).toMatchObject({
      code: "RATE_LIMITED",
      policy: "address",
      limit: 20_000,
      window_s: 10,
    });
  }
  const { ADDRESS_RATE } = bindings;
  expect((await ask(key, "2001:db8:1:3::77", { ADDRESS_RATE })).status).toBe(200);
});

it("answers name the limits they were counted under", async () => {
  const answer = await ask(await keyFor("rate-policy"), "192.0.2.4");
  expect(answer.headers.get("ratelimit-policy")).toBe('"address";q=20000;w=10, "principal";q=2000;w=10');
  expect((await call("GET", "/health")).headers.get("ratelimit-policy")).toBeNull();
});

it("a conversation with too many calls is rejected, and others are not affected", async () => {
  const [busy, calm] = [await conversationOf(null), await conversationOf(null)];
  const requests = (id: string) => call("GET", `/api/v1/conversations/${id}/requests`);
  const named = '"conversation";q=5000;w=10';
  expect((await requests(busy)).headers.get("ratelimit-policy")).toBe(named);
  const { caller } = contextOf("admin");
  await runInDurableObject(objectOf(busy), async (object) => {
    for (let n = 0; n < PACE.requests; n++) await object.questions({ caller, id: busy }, null, 1, undefined);
  });
  const refused = await requests(busy);
  expect([refused.status, refused.headers.get("ratelimit-policy")]).toEqual([429, named]);
  expect(refused.headers.get("ratelimit")).toBe(`"conversation";r=0;t=${refused.headers.get("retry-after")}`);
  expect((await requests(calm)).status).toBe(200);
});

it("a gateway without counters reports it", async () => {
  const checksWith = async (bindings: object) => {
    const health = await askWith({ RATE_LIMITS: "true", ...bindings }, "/health");
    return (await health.json<{ checks: object }>()).checks;
  };
  expect(await checksWith({})).toMatchObject({ rates: "ok" });
  expect(await checksWith({ ADDRESS_RATE: undefined })).toMatchObject({ rates: "absent" });
  expect(await checksWith({ RATE_LIMITS: "false" })).toMatchObject({ rates: "absent" });
});

it("every answer has headers that browsers keep to", async () => {
  for (const path of ["/health", "/api/v1/me", "/nowhere"]) {
    const { headers } = await call("GET", path);
    expect([headers.get("x-content-type-options"), headers.get("referrer-policy")]).toEqual(["nosniff", "no-referrer"]);
    expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    expect(headers.get("strict-transport-security")).toContain("max-age=");
  }
});

it("a gateway without a first key explains how to create one", async () => {
  const fresh = await askWith({ GATEWAY_ADMIN_KEY: undefined }, "/api/v1/me");
  expect([fresh.status, (await fresh.json<{ detail: string }>()).detail]).toEqual([
    401,
    expect.stringContaining("GATEWAY_ADMIN_KEY"),
  ]);
  const usual = await call("GET", "/api/v1/me", { key: null });
  expect(await usual.text()).not.toContain("GATEWAY_ADMIN_KEY");
});

it("beyond the conversations of a day none is made and none is listed", async () => {
  const user = "busy-talker";
  const key = await keyFor(user);
  const day = dayOf(Date.now());
  await env.DB.prepare("INSERT INTO usage VALUES (?, 'conversations', ?, ?)")
    .bind(user, day, dailyLimits(settingsFrom(env)).conversations - 1)
    .run();
  expect((await call("PUT", "/api/v1/conversations/last", { key, json: {} })).status).toBe(201);
  const refused = await call("PUT", "/api/v1/conversations/more", { key, json: {} });
  expect([refused.status, (await refused.clone().json<{ code: string }>()).code]).toEqual([429, "DAILY_LIMIT"]);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  const list = await call("GET", "/api/v1/conversations", { key });
  expect((await list.json<{ items: { id: string }[] }>()).items.map(({ id }) => id)).toEqual(["last"]);
  expect((await call("GET", "/api/v1/conversations/more", { key })).status).toBe(404);
});

it("a group has its own quota of skills, and its database space counts", async () => {
  await call("POST", "/api/v1/groups", { json: { name: "full-house" } });
  await call("PUT", "/api/v1/groups/full-house/members/builder", { json: { role: "Developer" } });
  const key = await keyFor("builder");
  const upload = (name: string, body: string) =>
    call("POST", "/api/v1/kinds/skills/upload", {
      key,
      body: form(skillZip({ name, body }), { namespace: "full-house" }),
    });
  expect((await upload("first", "f".repeat(200_000))).status).toBe(201);
  const used = await readScopeUse(contextOf("builder").db, "group:full-house");
  expect(used).toMatchObject({ skills: 1, versions: 1 });
  expect(used.databaseBytes).toBeGreaterThan(200_000);
  await env.DB.prepare(
    `INSERT INTO skills (id, scope, name, folded, namespace, user_id, version_id, tokens)
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
      SELECT 'house-' || i, 'group:full-house', 'h-' || i, 'h-' || i, 'full-house', 'builder', 'none', 1 FROM n`,
  )
    .bind(quotasOf(settingsFrom(env), "group").skills - 1)
    .run();
  const refused = await upload("one-more", "New.");
  const limit = quotasOf(settingsFrom(env), "group").skills;
  expect([refused.status, await refused.json()]).toEqual([
    409,
    expect.objectContaining({ code: "QUOTA_EXCEEDED", quota: "skills", limit, used: limit }),
  ]);
  expect((await upload("first", "Another way.")).status).toBe(201);
  // The group's limit counts neither the user's own skills nor public ones.
  await publishOwn(key, { name: "own-one" });
  await publishPublic({ name: "public-one" });
});

it("a user at the limit of skills cannot publish another, but can use and update the existing ones", async () => {
  const user = "collector";
  const key = await keyFor(user);
  await publishOwn(key, { name: "first" });
  await env.DB.prepare(
    `INSERT INTO skills (id, scope, name, folded, namespace, user_id, version_id, tokens)
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
      SELECT 'many-' || i, 'user:' || ?1, 'many-' || i, 'many-' || i, 'default', ?1, 'none', 1 FROM n`,
  )
    .bind(user, quotasOf(settingsFrom(env), "user").skills - 1)
    .run();
  const upload = (name: string, body: string) =>
    call("POST", "/api/v1/kinds/skills/upload", { key, body: form(skillZip({ name, body })) });
  const refused = await upload("one-more", "New.");
  expect([refused.status, await refused.json()]).toEqual([
    409,
    expect.objectContaining({
      code: "QUOTA_EXCEEDED",
      limit: quotasOf(settingsFrom(env), "user").skills,
      used: quotasOf(settingsFrom(env), "user").skills,
    }),
  ]);
  expect((await upload("first", "Do it like this.")).status).toBe(200);
  expect((await upload("first", "Another way.")).status).toBe(201);
});
