// Cached or replicated identity data can allow a request, but never reject it: before a rejection, the gateway asks the primary.

import { env, exports } from "cloudflare:workers";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { ADMIN_KEY, type CallOptions, call } from "../../support/call";
import { published } from "../../support/chat-turns";
import { holdClock, pass, releaseClock } from "../../support/clock";
import { expectLog } from "../../support/logs";
import { form, skillZip } from "../../support/skill";
import { scripted } from "../../support/upstream";
import { at, beginWorld, endWorld, journeyOf } from "../../support/world/pool";
import { bookmarkAt } from "../../support/world/replication";
import type { World } from "../../support/world/world";

const world: World = await beginWorld();
const SKILLS = "/api/v1/kinds/skills";

beforeEach(() => {
  world.catchUp();
  world.primaryDown = false;
  holdClock();
});
afterEach(releaseClock);
afterAll(endWorld);

let isolates = 0;
const fresh = () => `doubt-${isolates++}`;

const ask = (where: string, key: string, path: string, { headers, ...more }: CallOptions & { method?: string } = {}) =>
  call(more.method ?? "GET", path, { ...more, key, headers: { ...at(where), ...headers } });

/** Posts an MCP message, which the OpenAPI document does not describe. */
const postedTo = (path: string, where: string, key: string, message: object) =>
  exports.default.fetch(`https://gateway.test${path}`, {
    method: "POST",
    headers: {
      ...at(where),
      authorization: `Bearer ${key}`,
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
    },
    body: JSON.stringify(message),
  });

async function makeKey(where: string, userId: string): Promise<string> {
  const made = await call("POST", "/api/v1/keys", { json: { user_id: userId }, headers: at(where) });
  return (await made.json<{ key: string }>()).key;
}

async function publish(where: string, key: string, name: string, body = "One.") {
  const zip = form(skillZip({ name, body }));
  return published(await call("POST", `${SKILLS}/upload`, { key, body: zip, headers: at(where) }));
}

/** Returns an isolate with this user in its cache, whose replica lags behind. */
async function lagging(key: string): Promise<string> {
  const there = fresh();
  expect((await ask(there, key, SKILLS)).status).toBe(200);
  await world.settle();
  world.lag("forever");
  return there;
}

describe("data that the replica does not have yet", () => {
  it("a key is good from the moment it was made, everywhere", async () => {
    world.lag("forever");
    const key = await makeKey(fresh(), "new-key");
    expect((await ask(fresh(), key, SKILLS)).status).toBe(200);
  });

  it.each(["", "/download", "/files", "/files/SKILL.md", "/versions", "/versions/VERSION/files"])(
    "a skill is not missing at %s",
    async (rest) => {
      const here = fresh();
      const key = await makeKey(here, `new-skill${rest.replaceAll("/", "-")}`);
      const there = await lagging(key);
      const { id, version_id } = await publish(here, key, "brand-new");
      expect((await ask(there, key, `${SKILLS}/${id}${rest.replace("VERSION", version_id)}`)).status).toBe(200);
    },
  );

  it("a ghost is not missing for a turn, which happens once", async () => {
    const here = fresh();
    const key = await makeKey(here, "new-ghost");
    const there = await lagging(key);
    const ghost = { kind: "Ghost", metadata: { name: "fresh-ghost" }, spec: { systemPrompt: "Be new." } };
    const made = await call("POST", "/api/v1/kinds/ghosts", { key, json: ghost, headers: at(here) });
    expect(made.status).toBe(201);
    const turn = { method: "POST", json: { conversation: { ghost: "fresh-ghost" } } };
    const answer = await ask(there, key, "/api/v1/conversations/with-ghost/turns", turn);
    expect([answer.status, (await answer.json<{ turn: number }>()).turn]).toEqual([200, 1]);
  });

  it("a skill is not missing for an MCP host", async () => {
    const here = fresh();
    const key = await makeKey(here, "new-resource");
    const there = await lagging(key);
    await publish(here, key, "resourceful", "By MCP.");
    const message = {
      jsonrpc: "2.0",
      id: 1,
      method: "resources/read",
      params: { uri: "skill://resourceful/SKILL.md" },
    };
    const answer = await postedTo("/mcp", there, key, message);
    expect(await answer.text()).toContain("By MCP.");
  });

  it("a server is not missing at the proxy, and a tool that its owner allowed is not rejected", async () => {
    const key = await makeKey(fresh(), "new-server");
    const there = await lagging(key);
    const url = await scripted("doubt-server", {});
    const store = async (entry: object) => {
      const answer = await call("PUT", "/api/v1/servers/brand-new", { key, json: entry, headers: at(fresh()) });
      return answer.status;
    };
    expect(await store({ url, deny: ["echo"] })).toBe(201);
    const sent = (method: string, params: object) =>
      postedTo("/mcp/servers/brand-new", there, key, { jsonrpc: "2.0", id: 1, method, params });
    const rejected = await sent("tools/call", { name: "echo", arguments: {} });
    expect([rejected.status, await rejected.text()]).toEqual([
      200,
      expect.stringContaining("not found on this server"),
    ]);
    expect(await store({ url })).toBe(200);
    const answer = await sent("tools/call", { name: "echo", arguments: {} });
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining("well")]);
  });

  it("a table is not missing: a migration reaches the primary first", async () => {
    const key = await makeKey(fresh(), "migrated");
    await env.REPLICA_DB.exec("ALTER TABLE skills RENAME TO skills_away");
    try {
      expect((await ask(fresh(), key, SKILLS)).status).toBe(200);
      await env.REPLICA_DB.exec("ALTER TABLE group_members RENAME TO group_members_away");
      expect((await ask(fresh(), key, SKILLS)).status).toBe(200);
    } finally {
      await env.REPLICA_DB.exec("ALTER TABLE group_members_away RENAME TO group_members");
      await env.REPLICA_DB.exec("ALTER TABLE skills_away RENAME TO skills");
    }
  });
});

it("'not modified' refers to the current state", async () => {
  const here = fresh();
  const key = await makeKey(here, "tagged");
  const { id } = await publish(here, key, "changing");
  const there = await lagging(key);
  const asked = (tag: string) => ask(there, key, `${SKILLS}/${id}`, { headers: { "if-none-match": tag } });
  const tag = (await asked('"another"')).headers.get("etag") ?? "";
  const again = () => asked(tag);
  expect((await again()).status).toBe(304);
  const body = form(skillZip({ name: "changing", body: "Two." }));
  expect((await call("PUT", `${SKILLS}/${id}`, { key, body, headers: at(here) })).status).toBe(200);
  expect((await again()).status).toBe(200);
});

it("missing objects and those of others cost the same: a replica, and then the primary", async () => {
  const here = fresh();
  const [ada, eve] = [await makeKey(here, "doubt-ada"), await makeKey(here, "doubt-eve")];
  const { id } = await publish(here, ada, "hers");
  const there = await lagging(eve);
  const costs = async (path: string) => {
    const { answer, journey } = await journeyOf(world, () => ask(there, eve, path));
    expect(answer.status).toBe(404);
    return [journey.primary, journey.replica, journey.awaited.length];
  };
  const missing = await costs(`${SKILLS}/${id.slice(0, -4)}zzzz`);
  expect(await costs(`${SKILLS}/${id}`)).toEqual(missing);
  expect(missing[0]).toBe(2);
});

describe("a bookmark", () => {
  it("that is not valid is the caller's error", async () => {
    const key = await makeKey(fresh(), "careless");
    for (const bookmark of ["first-primary", "first-unconstrained", "zzz"]) {
      const answer = await ask(fresh(), key, SKILLS, { headers: { "x-d1-bookmark": bookmark } });
      expect([answer.status, await answer.json()]).toMatchObject([
        400,
        { code: "INVALID_REQUEST", issues: [{ path: "X-D1-Bookmark" }] },
      ]);
    }
  });

  it("that D1 never gave is not reached, and changes nothing for anybody", async () => {
    const there = fresh();
    const key = await makeKey(fresh(), "forger");
    const other = await makeKey(fresh(), "honest");
    for (const one of [key, other]) await ask(there, one, SKILLS);
    await world.settle();
    const largest = "ffffffff-ffffffff-ffffffff-ffffffffffffffffffffffffffffffff";
    for (const [method, path, json] of [
      ["GET", SKILLS, undefined],
      ["GET", "/api/v1/me", undefined],
      ["POST", "/api/v1/conversations/forged/turns", { conversation: {} }],
      ["PUT", "/api/v1/conversations/forged", {}],
    ] as const) {
      const answer = await ask(there, key, path, { method, json, headers: { "x-d1-bookmark": largest } });
      expect([method, answer.status, (await answer.json<{ code: string }>()).code]).toEqual([
        method,
        503,
        "BOOKMARK_NOT_REACHED",
      ]);
      expect(answer.headers.get("x-d1-bookmark")).toBe(null);
    }
    await world.settle();
    const { answer, journey } = await journeyOf(world, () => ask(there, other, SKILLS));
    expect([answer.status, journey.primary]).toEqual([200, 0]);
    expect(journey.awaited.filter(({ what }) => what.includes("WITH asked"))).toEqual([]);
    expect((answer.headers.get("x-d1-bookmark") ?? "") < bookmarkAt(1_000)).toBe(true);
    // Even the largest possible bookmark does not keep a lost membership.
    expect((await ask(there, key, SKILLS)).status).toBe(200);
  });
});

describe("while the primary does not answer", () => {
  it("nothing is refused for good", async () => {
    expectLog("storage_failed");
    const key = await makeKey(fresh(), "patient");
    const there = await lagging(key);
    world.primaryDown = true;
    expect((await ask(there, key, SKILLS)).status).toBe(200);
    expect((await ask(there, key, `${SKILLS}/skl_missing`)).status).toBe(503);
    expect((await ask(there, key.replace(/.{20}$/, "0".repeat(12) + key.slice(-8)), SKILLS)).status).toBe(401);
    expect((await ask(fresh(), ADMIN_KEY, "/api/v1/me")).status).toBe(503);
  });

  it("a cached caller is valid for a while, then for conversations only, and is not read again and again", async () => {
    expectLog("storage_failed");
    const key = await makeKey(fresh(), "survivor");
    const there = await lagging(key);
    const turn = () =>
      ask(there, key, "/api/v1/conversations/alive/turns", { method: "POST", json: { conversation: {} } });
    expect((await turn()).status).toBe(200);
    await world.settle();
    world.primaryDown = true;
    expect((await ask(there, key, SKILLS)).status).toBe(200);
    pass(6_000);
    // The entry is due for renewal. The renewal fails in the background, and later requests are affected.
    await ask(there, key, SKILLS);
    await world.settle();
    expect((await ask(there, key, SKILLS)).status).toBe(503);
    const from = world.trips.length;
    const alive = await ask(there, key, "/api/v1/conversations/alive");
    expect([alive.status, (await alive.json<{ warnings: { code: string }[] }>()).warnings]).toMatchObject([
      200,
      [{ code: "catalog_stale" }],
    ]);
    expect(world.trips.slice(from).filter(({ what }) => what.includes("WITH asked"))).toEqual([]);
    world.primaryDown = false;
    pass(2_000);
    expect((await ask(there, key, SKILLS)).status).toBe(200);
  });
});
