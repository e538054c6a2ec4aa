// Tests the trip counter itself, because every figure in this folder depends on it.

import { env } from "cloudflare:workers";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { call, keyFor } from "../support/call";
import { at, beginWorld, endWorld, journeyOf } from "../support/world/pool";
import { bookmarkAt, writes } from "../support/world/replication";
import type { World } from "../support/world/world";

const world: World = await beginWorld();
const { DB, REPLICA_DB } = env;
beforeEach(() => world.catchUp());
afterAll(endWorld);

const INSERT = "INSERT INTO counters (scope, value) VALUES (?, ?)";
const counterOf = (db: Pick<D1Database, "prepare">, scope: string) =>
  db.prepare("SELECT value FROM counters WHERE scope = ?").bind(scope).first<number>("value");

async function write(scope: string, value = 1): Promise<string> {
  const session = DB.withSession("first-primary");
  await session.prepare(INSERT).bind(scope, value).run();
  return session.getBookmark() ?? "";
}

describe("the replica", () => {
  it("equals the primary, unless it lags", async () => {
    await write("near");
    expect(await counterOf(DB.withSession("first-unconstrained"), "near")).toBe(1);
    world.lag("forever");
    await write("far");
    expect(await counterOf(DB.withSession("first-unconstrained"), "far")).toBe(null);
    expect(await counterOf(DB.withSession("first-primary"), "far")).toBe(1);
    expect(await counterOf(DB, "far")).toBe(1);
    world.lag({ writes: 1 });
    await write("farther");
    expect(await counterOf(DB.withSession("first-unconstrained"), "far")).toBe(1);
    expect(await counterOf(DB.withSession("first-unconstrained"), "farther")).toBe(null);
    expect(await counterOf(REPLICA_DB, "farther")).toBe(null);
  });

  it("never answers a session that is ahead of it", async () => {
    world.lag("forever");
    const bookmark = await write("mine");
    const session = DB.withSession(bookmark);
    expect(await counterOf(session, "mine")).toBe(1);
    expect(world.trips.at(-1)).toMatchObject({ to: "primary", constraint: "bookmark", lagged: true });
    world.unreached = "fail";
    await expect(counterOf(DB.withSession(bookmark), "mine")).rejects.toThrow("lags");
    world.unreached = "primary";
    world.catchUp();
    expect(await counterOf(DB.withSession(bookmark), "mine")).toBe(1);
    expect(world.trips.at(-1)).toMatchObject({ to: "replica", constraint: "bookmark" });
  });

  it("never reaches an invented bookmark", async () => {
    await expect(counterOf(DB.withSession(bookmarkAt(0xffff_ffff)), "mine")).rejects.toThrow("not reached");
  });

  it("makes every session's bookmark move on, and never back", async () => {
    const session = DB.withSession("first-unconstrained");
    expect(session.getBookmark()).toBe(null);
    await counterOf(session, "mine");
    const first = session.getBookmark() ?? "";
    await session.batch([session.prepare(INSERT).bind("batch", 1), session.prepare(INSERT).bind("batch-2", 1)]);
    const second = session.getBookmark() ?? "";
    expect(second > first).toBe(true);
    world.lag("forever");
    await write("others");
    await counterOf(session, "others");
    expect(session.getBookmark()).toBe(second);
    expect(DB.withSession(second).getBookmark()).toBe(second);
  });

  it("lets no write through that failed", async () => {
    const before = world.replication.head;
    const bad = DB.batch([DB.prepare(INSERT).bind("twice", 1), DB.prepare(INSERT).bind("twice", 2)]);
    await expect(bad).rejects.toThrow("UNIQUE");
    expect(world.replication.head).toBe(before);
    expect(await counterOf(DB.withSession("first-unconstrained"), "twice")).toBe(null);
  });
});

it.each([
  ["SELECT 1", false],
  ["  with a as (select 1) select * from a", false],
  ["WITH a AS (SELECT 1) INSERT INTO t SELECT * FROM a", true],
  ["insert into t values (1) returning *", true],
  ["PRAGMA defer_foreign_keys = on", true],
])("%s writes: %s", (sql, expected) => {
  expect(writes({ sql, params: [] })).toBe(expected);
});

it("has isolates, which share all but their memory", async () => {
  const key = await keyFor("settler");
  const ask = (headers: Record<string, string>) => call("GET", "/api/v1/me", { key, headers });
  expect((await ask(at("one"))).status).toBe(200);
  const { journey } = await journeyOf(world, () => ask(at("two")));
  expect(journey.primary + journey.replica).toBeGreaterThan(0);
});

describe("a journey", () => {
  it("reports the trips and their routes", async () => {
    const key = await keyFor("traveller");
    const made = await call("POST", "/api/v1/conversations", { key, json: {} });
    const { id } = await made.json<{ id: string }>();
    const { answer, journey } = await journeyOf(world, () =>
      call("POST", `/api/v1/conversations/${id}/turns`, { key, json: {} }),
    );
    expect(answer.status).toBe(200);
    expect(journey.object).toBe(1);
    expect(journey.awaited.find(({ to }) => to === "object")).toMatchObject({ who: "worker", what: "turn" });
    expect(new Set(journey.awaited.map(({ who }) => who))).toContain("worker");
  });

  it("counts concurrent trips as rounds, and background trips separately", async () => {
    const primary = () => DB.prepare("SELECT 1").run();
    const { journey } = await world.measure(async () => {
      await Promise.all([primary(), primary()]);
      await primary();
      void primary();
      await DB.withSession("first-unconstrained").prepare("SELECT 1").run();
    });
    expect(journey).toMatchObject({ primary: 2, replica: 1, object: 0 });
    expect(journey.awaited).toHaveLength(4);
    expect(journey.background).toHaveLength(1);
  });
});
