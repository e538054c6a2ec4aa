// The effect of a lagging replica and of cached identities, and its duration. Each isolate of the gateway has its own cache. The replica in
// this file does not advance unless a test says so, which is worse than any real one.

import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { DURATIONS } from "../../src/domain/durations";
import { askWith } from "../support/app";
import { call, keyFor } from "../support/call";
import { published } from "../support/chat-turns";
import { holdClock, pass, releaseClock } from "../support/clock";
import { form, skillZip } from "../support/skill";
import { at, beginWorld, endWorld, isolate } from "../support/world/pool";

const world = await beginWorld();
afterAll(endWorld);
/** The default lifetime of a cached identity, plus 1 ms. */
const BOUND = 10_001;
const SKILLS = "/api/v1/kinds/skills";

beforeEach(() => {
  world.catchUp();
  world.unreached = "primary";
  holdClock();
});
afterEach(releaseClock);

interface Options {
  key: string | null;
  json?: unknown;
  body?: BodyInit;
  headers?: Record<string, string>;
}

/** Sends a request to an isolate and waits for its background work. */
async function ask(where: string, method: string, path: string, options: Options) {
  const answer = await call(method, path, { ...options, headers: { ...options.headers, ...at(where) } });
  const text = await answer.text();
  await world.settle();
  return { status: answer.status, text, bookmark: answer.headers.get("x-d1-bookmark") ?? "" };
}

let made = 0;
const fresh = (what: string) => `${what}-${++made}`;

async function publish(where: string, key: string, name: string, namespace = "default") {
  const body = form(skillZip({ name, version: "1.0.0" }), { namespace });
  const answer = await call("POST", `${SKILLS}/upload`, { key, body, headers: at(where) });
  const bookmark = answer.headers.get("x-d1-bookmark") ?? "";
  return { ...(await published(answer)), bookmark };
}

const sees = async (where: string, key: string, name: string, headers: Record<string, string> = {}) =>
  (await ask(where, "GET", `${SKILLS}/unified`, { key, headers })).text.includes(`"${name}"`);

async function keyed(user: string): Promise<{ id: string; key: string }> {
  const answer = await call("POST", "/api/v1/keys", { json: { user_id: user }, headers: at("office") });
  return answer.json();
}

/** Creates a user that the isolates `here` and `there` have cached, and that the replica contains. */
async function known(user = fresh("user")) {
  const { id, key } = await keyed(user);
  for (const where of ["here", "there"]) await ask(where, "GET", SKILLS, { key });
  world.lag("forever");
  return { user, id, key };
}

describe("an own write", () => {
  it("is seen at once where it was made, and elsewhere by its bookmark", async () => {
    const { key } = await known();
    const name = fresh("mine");
    const { bookmark, id } = await publish("here", key, name);
    expect(await sees("here", key, name)).toBe(true);
    expect(await sees("there", key, name, { "x-d1-bookmark": bookmark })).toBe(true);
    expect((await ask("nowhere", "GET", `${SKILLS}/${id}`, { key })).status).toBe(200);
  });

  it("is seen by everybody within the bound", async () => {
    const { key } = await known();
    world.lag({ ms: 10_000 });
    const name = fresh("mine");
    await publish("here", key, name);
    expect(await sees("there", key, name)).toBe(false);
    pass(BOUND);
    expect(await sees("there", key, name)).toBe(true);
  });

  it("is missed by one answer of an isolate, and no second one, where the replica lags for longer than that", async () => {
    const { key } = await known();
    const name = fresh("mine");
    await publish("here", key, name);
    pass(BOUND);
    await ask("there", "GET", SKILLS, { key });
    expect(await sees("there", key, name)).toBe(true);
  });

  it("is in the next turn, from whatever isolate, when the memory there is older than a second", async () => {
    const { key } = await known();
    world.catchUp();
    const chat = `/api/v1/conversations/${fresh("chat")}`;
    await ask("there", "PUT", chat, { key, json: {} });
    await ask("there", "POST", `${chat}/turns`, { key, json: {} });
    const name = fresh("mine");
    await publish("here", key, name);
    pass(1_001);
    expect((await ask("there", "POST", `${chat}/turns`, { key, json: {} })).text).toContain(name);
  });
});

describe("a revoked key", () => {
  it("ends at once where it was revoked, and within the bound elsewhere", async () => {
    const { id, key } = await known();
    world.lag({ ms: 10_000 });
    expect((await ask("here", "DELETE", `/api/v1/keys/${id}`, { key })).status).toBe(204);
    expect((await ask("here", "GET", SKILLS, { key })).status).toBe(401);
    pass(BOUND);
    expect((await ask("there", "GET", SKILLS, { key })).status).toBe(401);
  });

  it("ends after its first request in an isolate that read it from the replica", async () => {
    const { id, key } = await known();
    await ask("here", "DELETE", `/api/v1/keys/${id}`, { key });
    await ask("new", "GET", SKILLS, { key });
    pass(DURATIONS.storage);
    expect((await ask("new", "GET", SKILLS, { key })).status).toBe(401);
  });

  it("does nothing but look until then", async () => {
    const { id, key } = await known();
    const { id: skill } = await publish("here", key, fresh("mine"));
    await ask("here", "DELETE", `/api/v1/keys/${id}`, { key });
    const body = form(skillZip({ name: fresh("more") }));
    expect((await ask("there", "POST", `${SKILLS}/upload`, { key, body })).status).toBe(401);
    expect((await ask("there", "DELETE", `${SKILLS}/${skill}`, { key })).status).toBe(401);
    expect((await ask("there", "POST", "/api/v1/groups", { key, json: { name: fresh("g") } })).status).toBe(401);
    expect((await ask("there", "GET", "/api/v1/secrets", { key })).status).toBe(401);
  });
});

describe("a lost membership", () => {
  it("ends at once where it was lost, and within the bound elsewhere, in lists and in conversations", async () => {
    const [member, group, name] = [fresh("member"), fresh("group"), fresh("shared")];
    const office = { key: await keyFor(fresh("admin"), { role: "admin" }) };
    await ask("office", "POST", "/api/v1/groups", { ...office, json: { name: group } });
    const path = `/api/v1/groups/${group}/members/${member}`;
    await ask("office", "PUT", path, { ...office, json: { role: "Developer" } });
    await publish("office", office.key, name, group);
    const { key } = await known(member);
    world.catchUp();
    const chat = `/api/v1/conversations/${fresh("chat")}`;
    await ask("there", "PUT", chat, { key, json: {} });
    expect((await ask("there", "POST", `${chat}/turns`, { key, json: {} })).text).toContain(name);
    expect(await sees("here", key, name)).toBe(true);
    world.lag("forever");
    expect((await ask("here", "DELETE", path, office)).status).toBe(204);
    expect(await sees("here", key, name)).toBe(false);
    // At most one more answer uses the state of the replica.
    pass(BOUND);
    await ask("there", "GET", SKILLS, { key });
    expect(await sees("there", key, name)).toBe(false);
    expect((await ask("there", "POST", `${chat}/turns`, { key, json: {} })).text).not.toContain(name);
    // The Durable Object has newer data than an isolate with an outdated cache.
    const load = { calls: [{ id: "1", name: "load_skill", arguments: { skill_name: name } }] };
    const refused = await ask("late", "POST", `${chat}/tool-calls`, { key, json: load });
    expect(refused.text).toContain('"isError":true');
  });
});

describe("another's thing", () => {
  it("is visible to its owner only, even with old data", async () => {
    const [ada, eve] = [await known(), await known()];
    world.catchUp();
    const name = fresh("hers");
    const { id } = await publish("here", ada.key, name);
    for (const lag of [{ writes: 0 }, { writes: 1 }, "forever"] as const) {
      world.lag(lag);
      for (const where of ["here", "there", fresh("cold")]) {
        expect(await sees(where, eve.key, name)).toBe(false);
        expect((await ask(where, "GET", `${SKILLS}/${id}`, eve)).status).toBe(404);
        expect((await ask(where, "GET", `${SKILLS}/${id}/files/SKILL.md`, eve)).status).toBe(404);
      }
    }
  });
});

describe("a no", () => {
  it("is never old: a new key and a new object are visible to an isolate whose replica does not have them", async () => {
    await known();
    const user = fresh("late");
    const { key } = await keyed(user);
    expect((await ask("cold-1", "GET", SKILLS, { key })).status).toBe(200);
    const { id } = await publish("cold-1", key, fresh("mine"));
    expect((await ask("cold-2", "GET", `${SKILLS}/${id}`, { key })).status).toBe(200);
    expect((await ask("cold-3", "GET", `${SKILLS}/${id}/files/SKILL.md`, { key })).status).toBe(200);
  });

  it("is not said of a key while the primary is down", async () => {
    const { key } = await known();
    world.primaryDown = true;
    const unknown = `${key.slice(0, 5)}${[...key.slice(5)].reverse().join("")}`;
    const late = await ask("cold-4", "GET", SKILLS, { key: unknown }).finally(() => {
      world.primaryDown = false;
    });
    expect([401, 503]).toContain(late.status);
  });
});

describe("the kill switch", () => {
  it("acts with the setting, whatever is remembered", async () => {
    const { key } = await known();
    const name = fresh("mine");
    await publish("here", key, name);
    const list = async (enabled: string) => {
      const settings = { ...isolate("here"), SKILLS_ENABLED: enabled };
      const answer = await askWith(settings, "/mcp", {
        method: "POST",
        headers: {
          authorization: `Bearer ${key}`,
          accept: "application/json, text/event-stream",
          "content-type": "application/json",
          "mcp-protocol-version": "2025-11-25",
        },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "skills/list", params: {} }),
      });
      return answer.text();
    };
    expect(await list("true")).toContain(name);
    expect(await list("false")).not.toContain(name);
  });
});
describe("a bookmark", () => {
  it("that does not parse is rejected, and one that the database has not reached is not waited for", async () => {
    const { key } = await known();
    const with_ = (bookmark: string) => ask("here", "GET", SKILLS, { key, headers: { "x-d1-bookmark": bookmark } });
    expect((await with_("yesterday")).status).toBe(400);
    expect((await with_(`ffffffff-ffffffff-ffffffff-${"f".repeat(32)}`)).status).toBe(503);
    // It taught the isolate nothing.
    expect((await ask("here", "GET", SKILLS, { key })).status).toBe(200);
  });
});
