import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { call, keyFor } from "../support/call";
import { publishOwn, talk } from "../support/chat-turns";
import { ConsolePage } from "../support/console";
import { signedIn } from "../support/grants";

const ghost = (skills: string[]) => ({
  kind: "Ghost",
  metadata: { name: "helper", namespace: "default" },
  spec: { systemPrompt: "Be kind.", skills },
});

/** Creates a user with one resource of every kind and returns its key. */
async function furnish(user: string): Promise<string> {
  const key = await keyFor(user);
  await signedIn({ userId: user });
  await new ConsolePage().signIn(key);
  await publishOwn(key, { name: "mine", body: "Personal words." });
  await call("POST", "/api/v1/kinds/ghosts", { key, json: ghost(["mine"]) });
  await call("PUT", "/api/v1/secrets/TOKEN", { key, json: { value: "planted-export-value", hosts: ["x.example"] } });
  const publisher = { issuer: "https://ci.acme.dev", claims: { sub: "planted" }, skills: ["mine"] };
  await call("PUT", "/api/v1/publishers/mine", { key, json: publisher });
  const model = { api: ["openai-chat"], base_url: "https://api.example.com/v1", model: "m-1" };
  await call("PUT", "/api/v1/models/mine", { key, json: model });
  await call("POST", "/api/v1/conversations/talk/turns", { key, json: { conversation: {}, key: "t1" } });
  const load = { calls: [{ id: "1", name: "load_skill", arguments: { skill_name: "mine" } }] };
  await call("POST", "/api/v1/conversations/talk/tool-calls", { key, json: load });
  return key;
}

async function everything(): Promise<string> {
  const { results: tables } = await env.DB.prepare(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\'",
  ).all<{ name: string }>();
  const rows = await Promise.all(
    tables.map(async ({ name }) => JSON.stringify((await env.DB.prepare(`SELECT * FROM "${name}"`).all()).results)),
  );
  const { objects } = await env.PACKAGES.list();
  return [...rows, ...objects.map(({ key }) => key)].join("\n");
}

/** Everything in a conversation's object. */
async function kept(user: string, route: string): Promise<unknown> {
  const id = route.slice(route.lastIndexOf("/") + 1);
  return runInDurableObject(env.CONVERSATIONS.getByName(JSON.stringify([user, id])), async (_, { storage }) => {
    const names = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_%' ESCAPE '\\'";
    const tables = storage.sql.exec<{ name: string }>(names).toArray();
    const rows = tables.map(({ name }) => [name, storage.sql.exec(`SELECT * FROM "${name}"`).toArray()]);
    return { rows, alarm: await storage.getAlarm() };
  });
}

describe("a user's data", () => {
  it("is handed out whole, but for what opens something", async () => {
    const key = await furnish("usr-ada");
    const answer = await call("GET", "/api/v1/users/usr-ada/export", { key });
    expect(answer.status).toBe(200);
    const text = await answer.text();
    expect(JSON.parse(text)).toMatchObject({
      user_id: "usr-ada",
      keys: [{ role: "user" }],
      grants: [{ client_name: "Host", via: "link", ended_at: null }],
      sessions: [{ via: "key" }],
      secrets: [{ name: "TOKEN", hosts: ["x.example"] }],
      publishers: [{ name: "mine", claims: { sub: "planted" } }],
      models: [{ name: "mine", entry: { model: "m-1" } }],
      ghosts: [{ name: "helper", spec: { systemPrompt: "Be kind." } }],
      skills: [{ skill: "mine", instructions: "Personal words." }],
      conversations: [
        {
          id: "talk",
          active: [{ skill: "mine" }],
          events: expect.arrayContaining([expect.objectContaining({ type: "loaded" })]),
        },
      ],
      acts: expect.arrayContaining([expect.objectContaining({ action: "skill.publish" })]),
    });
    expect(text).not.toMatch(/planted-export-value|sgw_|sgb_|"hash"/);
  });

  it("is what it was after it was read, by the user or by an admin, group skills included", async () => {
    await call("POST", "/api/v1/groups", { json: { name: "usr-readers" } });
    const author = await keyFor("usr-author", { groups: ["usr-readers"] });
    await publishOwn(author, { name: "g-skill", body: "The group's words." }, "usr-readers");
    const key = await keyFor("usr-gil", { groups: ["usr-readers"] });
    const chat = await talk({ key });
    await chat.turn();
    await chat.load("g-skill");
    const before = await kept("usr-gil", chat.route);
    for (const reader of [{ key }, {}]) {
      const answer = await call("GET", "/api/v1/users/usr-gil/export", reader);
      const { conversations } = await answer.json<{ conversations: object[] }>();
      expect(conversations).toMatchObject([
        {
          active: [{ skill: "g-skill" }],
          settings: {},
          events: [{ type: "turn" }, { type: "loaded", name: "g-skill" }],
        },
      ]);
      expect(await kept("usr-gil", chat.route)).toEqual(before);
    }
    const status = await (await call("GET", chat.route, { key })).json();
    expect(status).toMatchObject({ active: [{ skill: "g-skill" }], warnings: [] });
  });

  it("is handed out to an admin just as whole, and the log says to whom", async () => {
    const key = await furnish("usr-hal");
    const admin = await keyFor("usr-chief", { role: "admin" });
    const read = async (by: string) => {
      const answer = await call("GET", "/api/v1/users/usr-hal/export", { key: by });
      const { exported_at: _, acts, ...rest } = await answer.json<{ exported_at: string; acts: unknown[] }>();
      return { rest, acts: acts.length };
    };
    const own = await read(key);
    expect((await read(admin)).rest).toEqual(own.rest);
    expect(own.rest).toMatchObject({ skills: [{ instructions: "Personal words." }] });
    const log = await call("GET", "/api/v1/audit?action=user.export&actor=usr-chief");
    expect(await log.json()).toMatchObject({ items: [{ user_id: "usr-chief", action: "user.export" }] });
  });

  it("is never handed out in part as if it were whole", async () => {
    const key = await furnish("usr-fay");
    const cut = env.CONVERSATIONS.getByName(JSON.stringify(["usr-fay", "talk"]));
    await runInDurableObject(cut, (_, state) => state.storage.sql.exec("ALTER TABLE events RENAME TO kept"));
    const read = async () => (await call("GET", "/api/v1/users/usr-fay/export", { key })).text();
    await expect(read()).rejects.toThrow();
    await runInDurableObject(cut, (_, state) => state.storage.sql.exec("ALTER TABLE kept RENAME TO events"));
    const whole = await (await call("GET", "/api/v1/users/usr-fay/export", { key })).text();
    expect(whole.endsWith(',"complete":true}')).toBe(true);
  });

  it("is erased completely, and the log keeps a pseudonym", async () => {
    const key = await furnish("usr-bob");
    await call("PUT", "/api/v1/conversations/usr-bob-private", { key, json: {} });
    await call("DELETE", "/api/v1/conversations/usr-bob-private", { key });
    await call("POST", "/api/v1/groups", { json: { name: "usr-team" } });
    await call("PUT", "/api/v1/groups/usr-team/members/usr-bob", { json: { role: "Developer" } });
    const shared = await publishOwn(key, { name: "shared" }, "usr-team");
    const { items: before } = await (await call("GET", "/api/v1/audit?actor=usr-bob")).json<{
      items: { actor: string }[];
    }>();
    const erased = await call("DELETE", "/api/v1/users/usr-bob", { key });
    expect(await erased.json()).toEqual({
      erased: { keys: 1, grants: 1, secrets: 1, ghosts: 1, memberships: 1, skills: 1, conversations: 1 },
      complete: true,
    });
    expect((await call("GET", "/api/v1/me", { key })).status).toBe(401);
    expect(await everything()).not.toContain("usr-bob");
    const stub = env.CONVERSATIONS.getByName(JSON.stringify(["usr-bob", "talk"]));
    await runInDurableObject(stub, async (_, state) => {
      expect([
        ...state.storage.sql.exec("SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf%' ESCAPE '\\'"),
      ]).toEqual([]);
    });
    expect(
      (
        await call("GET", `/api/v1/kinds/skills/${shared.id}`, {
          key: await keyFor("usr-carl", { groups: ["usr-team"] }),
        })
      ).status,
    ).toBe(200);
    const [{ actor } = { actor: "" }] = before;
    const { items: after } = await (await call("GET", `/api/v1/audit?actor=${actor}`)).json<{
      items: { user_id: string | null }[];
    }>();
    expect(after.length).toBe(before.length + 1);
    expect(new Set(after.map(({ user_id }) => user_id))).toEqual(new Set([null]));
    const again = await call("DELETE", "/api/v1/users/usr-bob");
    expect(await again.json()).toMatchObject({ erased: { keys: 0, skills: 0 }, complete: true });
  });

  it("is erased in steps when there is much of it", { tags: ["slow"] }, async () => {
    const key = await keyFor("usr-dora");
    for (let n = 0; n < 53; n++) await call("PUT", `/api/v1/conversations/c${n}`, { key, json: {} });
    const erase = async () => (await call("DELETE", "/api/v1/users/usr-dora")).json();
    expect(await erase()).toMatchObject({ erased: { conversations: 50 }, complete: false });
    expect(await erase()).toMatchObject({ erased: { conversations: 3 }, complete: true });
    expect(await everything()).not.toContain("usr-dora");
  });

  it("belongs to the user only", async () => {
    await furnish("usr-eve");
    const mallory = await keyFor("usr-mallory");
    for (const user of ["usr-eve", "usr-nobody"]) {
      expect((await call("GET", `/api/v1/users/${user}/export`, { key: mallory })).status).toBe(404);
      expect((await call("DELETE", `/api/v1/users/${user}`, { key: mallory })).status).toBe(404);
    }
    expect(await everything()).toContain("usr-eve");
    expect((await call("DELETE", "/api/v1/users/0")).status).toBe(400);
    const limited = await keyFor("usr-eve", { scopes: ["skills:read"] });
    expect((await call("DELETE", "/api/v1/users/usr-eve", { key: limited })).status).toBe(403);
  });
});
