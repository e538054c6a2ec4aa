// Cached identities have an age: a revocation applies at once in the isolate that made it, and within a time limit in all others.

import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { writeKey } from "../../../src/domain/access/key";
import { askWith } from "../../support/app";
import { ADMIN_KEY, type CallOptions, call } from "../../support/call";
import { publishOwn } from "../../support/chat-turns";
import { holdClock, pass, releaseClock } from "../../support/clock";
import { form, skillZip } from "../../support/skill";
import { at, beginWorld, endWorld, isolate, journeyOf } from "../../support/world/pool";
import type { World } from "../../support/world/world";

const world: World = await beginWorld();
const BOUND = 10_000;
const SKILLS = "/api/v1/kinds/skills";

beforeEach(() => {
  world.catchUp();
  holdClock();
});
afterEach(releaseClock);
afterAll(endWorld);

/** Whether a trip reads the caller. */
const own = (what: string) => what.includes("WITH asked");

let isolates = 0;
/** An isolate that has just started. */
const fresh = () => `isolate-${isolates++}`;

const ask = (where: string, key: string, path = SKILLS, more: CallOptions = {}) =>
  call("GET", path, { ...more, key, headers: { ...at(where), ...more.headers } });

/** Lists skills and returns the status, after all background work has finished. */
async function look(where: string, key: string, path = SKILLS): Promise<number> {
  const { status } = await ask(where, key, path);
  await world.settle();
  return status;
}

async function makeKey(where: string, userId: string, more: object = {}): Promise<{ id: string; key: string }> {
  const made = await call("POST", "/api/v1/keys", { json: { user_id: userId, ...more }, headers: at(where) });
  expect(made.status).toBe(201);
  return made.json();
}

const revoke = (where: string, id: string) => call("DELETE", `/api/v1/keys/${id}`, { headers: at(where) });

describe("the cached identity of a caller", () => {
  it("costs one trip to a replica, then none; the primary is read in the background", async () => {
    const [here, other] = [fresh(), fresh()];
    const { key } = await makeKey(other, "warm");
    const first = await journeyOf(world, () => ask(here, key));
    expect(first.journey.awaited.filter(({ what }) => own(what)).map(({ to }) => to)).toEqual(["replica"]);
    expect(first.journey.background.filter(({ what }) => own(what)).map(({ to }) => to)).toEqual(["primary"]);
    const second = await journeyOf(world, () => ask(here, key));
    expect([...second.journey.awaited, ...second.journey.background].filter(({ what }) => own(what))).toEqual([]);
    expect(second.journey.primary).toBe(0);
    pass(BOUND / 2);
    const third = await journeyOf(world, () => ask(here, key));
    expect(third.journey.primary).toBe(0);
    expect(third.journey.background.filter(({ what }) => own(what)).map(({ to }) => to)).toEqual(["primary"]);
  });

  it("is renewed by one of many concurrent requests", async () => {
    const [here, other] = [fresh(), fresh()];
    const { key } = await makeKey(other, "many");
    await look(here, key);
    pass(BOUND / 2);
    const from = world.trips.length;
    await Promise.all(Array.from({ length: 5 }, () => ask(here, key)));
    await world.settle();
    const renewals = world.trips.slice(from).filter(({ what, to }) => what.includes("WITH asked") && to === "primary");
    expect(renewals).toHaveLength(1);
  });

  it("is nothing where an operator wants none", async () => {
    const { key } = await makeKey(fresh(), "strict");
    const bindings = isolate(fresh());
    const strictly = () =>
      askWith({ ...bindings, IDENTITY_MEMORY_S: "0" }, SKILLS, { headers: { authorization: `Bearer ${key}` } });
    for (let n = 0; n < 2; n++) {
      const { journey } = await journeyOf(world, strictly);
      expect(journey.awaited.filter(({ what }) => own(what)).map(({ to }) => to)).toEqual(["primary"]);
      expect(journey.replica).toBe(0);
    }
  });
});

it("invalid keys leave nothing in the cache, and evict nothing", async () => {
  const [here, there] = [fresh(), fresh()];
  const { id, key } = await makeKey(here, "not-evicted");
  await look(there, key);
  const forged = (of: string) => writeKey(of, crypto.getRandomValues(new Uint8Array(32)));
  const tries = [...Array.from({ length: 30 }, (_, n) => forged(`nobodys${n}`)), forged(id), forged(id)];
  for (const one of tries) expect((await ask(there, one)).status).toBe(401);
  await world.settle();
  const { answer, journey } = await journeyOf(world, () => ask(there, key));
  expect(answer.status).toBe(200);
  expect([...journey.awaited, ...journey.background].filter(({ what }) => own(what))).toEqual([]);
});

describe("a revoked key", () => {
  it("ends at once where it was revoked, and within the bound in an isolate that remembers it", async () => {
    const [here, there] = [fresh(), fresh()];
    const { id, key } = await makeKey(here, "revoked");
    expect([await look(here, key), await look(there, key)]).toEqual([200, 200]);
    expect((await revoke(here, id)).status).toBe(204);
    expect(await look(here, key)).toBe(401);
    expect(await look(there, key)).toBe(200);
    pass(BOUND);
    // A request near the end of the lifetime renews the entry, so the next one uses the renewed entry.
    await look(there, key);
    expect(await look(there, key)).toBe(401);
  });

  it("ends for every later request", async () => {
    const [here, there] = [fresh(), fresh()];
    const { id, key } = await makeKey(here, "revoked-later");
    expect(await look(there, key)).toBe(200);
    await revoke(here, id);
    pass(BOUND + 1);
    expect(await look(there, key)).toBe(401);
  });

  it("ends within the limit although no replica ever receives it", async () => {
    const [here, there] = [fresh(), fresh()];
    const { id, key } = await makeKey(here, "revoked-lagging");
    expect(await look(there, key)).toBe(200);
    world.lag("forever");
    await revoke(here, id);
    expect(await look(here, key)).toBe(401);
    pass(BOUND / 2);
    await look(there, key);
    expect(await look(there, key)).toBe(401);
    // A cold isolate uses the replica once, until the primary has answered in the background.
    const cold = fresh();
    await look(cold, key);
    expect(await look(cold, key)).toBe(401);
  });

  it("ends for a service in all the names it acts in", async () => {
    const [here, there] = [fresh(), fresh()];
    const { id, key } = await makeKey(here, "service", { scopes: ["act_as"] });
    for (const as of ["one", "two", "three"]) expect((await ask(there, key, SKILLS, { as })).status).toBe(200);
    await world.settle();
    await revoke(here, id);
    pass(BOUND + 1);
    for (const as of ["one", "two", "three"]) expect((await ask(there, key, SKILLS, { as })).status).toBe(401);
  });
});

it("a key's end is looked at in every use, remembered or not", async () => {
  const [here, there] = [fresh(), fresh()];
  const { key } = await makeKey(here, "ending", { expires_at: new Date(Date.now() + 3_000).toISOString() });
  expect(await look(there, key)).toBe(200);
  pass(2_999);
  expect(await look(there, key)).toBe(200);
  pass(1);
  expect(await look(there, key)).toBe(401);
});

it("a lost membership ends at once where it was taken, and within the bound elsewhere", async () => {
  const [here, there] = [fresh(), fresh()];
  await call("POST", "/api/v1/groups", { json: { name: "crew" }, headers: at(here) });
  const { key } = await makeKey(here, "sailor");
  const join = { json: { role: "Reporter" }, headers: at(here) };
  expect((await call("PUT", "/api/v1/groups/crew/members/sailor", join)).status).toBe(201);
  await publishOwn(ADMIN_KEY, { name: "knots" }, "crew");
  const names = async (where: string) => {
    const { items } = await (await ask(where, key, `${SKILLS}?namespace=crew`)).json<{ items?: unknown[] }>();
    await world.settle();
    return items?.length ?? null;
  };
  expect([await names(here), await names(there)]).toEqual([1, 1]);
  const left = await call("DELETE", "/api/v1/groups/crew/members/sailor", { headers: at(here) });
  expect(left.status).toBe(204);
  expect([await names(here), await names(there)]).toEqual([null, 1]);
  pass(BOUND + 1);
  expect(await names(there)).toBe(null);
});

it("a published skill is visible at once for its author, in the same isolate or with the bookmark", async () => {
  const [here, there] = [fresh(), fresh()];
  const { key } = await makeKey(here, "author");
  expect([await look(here, key), await look(there, key)]).toEqual([200, 200]);
  world.lag("forever");
  const body = form(skillZip({ name: "mine" }));
  const made = await call("POST", `${SKILLS}/upload`, { key, body, headers: at(here) });
  expect(made.status).toBe(201);
  const bookmark = made.headers.get("x-d1-bookmark") ?? "";
  const count = async (where: string, headers: Record<string, string> = {}) =>
    (await (await ask(where, key, SKILLS, { headers })).json<{ items: unknown[] }>()).items.length;
  expect(await count(here)).toBe(1);
  expect(await count(there)).toBe(0);
  expect(await count(there, { "x-d1-bookmark": bookmark })).toBe(1);
  expect(await count(fresh(), { "x-d1-bookmark": bookmark })).toBe(1);
});

it("a turn looks for newer data after a second, and continues without it", async () => {
  const [here, there] = [fresh(), fresh()];
  const { key } = await makeKey(here, "turner");
  const turn = () =>
    call("POST", "/api/v1/conversations/t/turns", { key, json: { conversation: {} }, headers: at(there) });
  const asked = async () => {
    const { answer, journey } = await journeyOf(world, turn);
    expect(answer.status).toBe(200);
    return journey.awaited.filter(({ what }) => what.includes("WITH asked")).map(({ to }) => to);
  };
  await asked();
  expect(await asked()).toEqual([]);
  pass(1_001);
  expect(await asked()).toEqual(["replica"]);
  expect(await asked()).toEqual([]);
});
