// Counts how often a conversation's object waits for D1: for the primary only when it is created.

import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call, keyFor } from "../support/call";
import { publishOwn, publishPublic } from "../support/chat-turns";
import { objectOf } from "../support/clock";
import { beginWorld, endWorld, journeyOf } from "../support/world/pool";

const world = await beginWorld();
afterAll(endWorld);

let key = "";
let serial = 0;
const user = "trips-user";

beforeAll(async () => {
  key = await keyFor(user);
  for (const name of ["first", "second", "third"]) await fresh(name);
}, 60_000);

/** A skill that no isolate has read. */
async function fresh(name = `fresh-${serial++}`): Promise<string> {
  await publishPublic({ name, description: `Does ${name}.`, body: `Do ${name}.`, files: { "a.md": "A file." } });
  return name;
}

/** The rounds that the object waited for, and the response. */
async function ask(method: string, path: string, json?: object) {
  const options = json === undefined ? { key } : { key, json };
  const { answer, text, journey } = await journeyOf(world, () =>
    call(method, `/api/v1/conversations/${path}`, options),
  );
  expect([answer.status, text]).toEqual([expect.toSatisfy((status: number) => status < 300), text]);
  const mine = journey.awaited.filter(({ who }) => who === "object");
  const to = (place: string) => mine.filter((trip) => trip.to === place).length;
  return { trips: [to("primary"), to("replica"), to("r2")], text };
}

const turn = (id: string, more: object = {}) => ask("POST", `${id}/turns`, more);
const use = (id: string, ...calls: [string, object][]) =>
  ask("POST", `${id}/tool-calls`, { calls: calls.map(([name, args]) => ({ name, arguments: args })) });

/** A conversation in its second turn. */
async function going(conversation: object = {}, more: object = {}): Promise<string> {
  const id = `trips-${serial++}`;
  await turn(id, { conversation: { delivery: "system", ...conversation }, ...more });
  await turn(id, more);
  return id;
}

const NONE = [0, 0, 0];
const ONE = [0, 1, 0];

describe("the object of a conversation", () => {
  it("is made with one trip to the primary, and reads what it may see meanwhile", async () => {
    expect((await turn("made", { conversation: { delivery: "system" } })).trips).toEqual([1, 1, 0]);
    const spec = { systemPrompt: "Be brief.", skills: ["*"], preload_skills: [await fresh()] };
    const inline = await turn("inline", {
      conversation: { delivery: "system", spec },
      selected_skills: [await fresh()],
    });
    expect(inline.trips).toEqual([1, 1, 0]);
    expect(inline.text).toContain(`Do ${spec.preload_skills[0]}.`);
    await call("POST", "/api/v1/kinds/ghosts", { key, json: { metadata: { name: "helper" }, spec } });
    const stored = await turn("stored", { conversation: { delivery: "system", ghost: "helper" } });
    expect(stored.trips).toEqual([1, 1, 0]);
    expect(stored.text).toContain(`Do ${spec.preload_skills[0]}.`);
  });

  it("reads nothing in a later turn and in a step, and unread content once from the nearest replica", async () => {
    const id = await going();
    expect((await turn(id)).trips).toEqual(NONE);
    expect((await turn(id, { message: "Please do the first thing." })).trips).toEqual(NONE);
    const cold = await use(id, ["load_skill", { skill_name: "first" }]);
    expect(cold.trips).toEqual(ONE);
    expect(cold.text).toContain("first");
    expect((await use(id, ["load_skill", { skill_name: "first" }])).trips).toEqual(NONE);
    expect((await use(id, ["read_skill", { skill_name: "second" }])).trips).toEqual(ONE);
    expect((await use(id, ["read_skill", { skill_name: "second", file_path: "a.md" }])).trips).toEqual([0, 0, 1]);
    expect((await use(id, ["find_skill", { query: "third" }])).trips).toEqual(ONE);
    expect((await ask("GET", `${id}/prompt`)).trips).toEqual(NONE);
    expect((await ask("GET", id)).trips).toEqual(NONE);
    expect((await turn(id)).trips).toEqual(NONE);
    const other = await going();
    expect((await use(other, ["load_skill", { skill_name: "first" }])).trips).toEqual(NONE);
  });

  it("reads nothing after an eviction", async () => {
    const id = await going();
    await use(id, ["load_skill", { skill_name: "first" }]);
    await evictOwn(id);
    expect((await turn(id)).trips).toEqual(NONE);
    await evictOwn(id);
    expect((await use(id, ["load_skill", { skill_name: "first" }])).trips).toEqual(NONE);
  });

  it.each(["system", "auto"])("reads once when something in sight has changed, with delivery %s", async (delivery) => {
    const id = await going({ delivery });
    const [name, other] = [await fresh(), await fresh()];
    await use(id, ["load_skill", { skill_name: name }]);
    await publishPublic({ name, description: "Newer.", body: `Do ${name} anew.` });
    const next = await turn(id);
    expect(next.trips).toEqual(ONE);
    expect((await turn(id)).trips).toEqual(NONE);
    await fresh();
    const loading = await use(id, ["load_skill", { skill_name: other }]);
    expect(loading.trips).toEqual(ONE);
    expect(loading.text).toContain(other);
    await fresh();
    expect((await ask("GET", `${id}/prompt`)).trips).toEqual(ONE);
    expect((await ask("GET", id)).trips).toEqual(NONE);
    expect((await turn(id)).trips).toEqual(NONE);
  });

  it("loses what was yanked at the next step after the gateway knows", async () => {
    const name = await fresh();
    const id = await going();
    await use(id, ["load_skill", { skill_name: name }]);
    const { id: skill, version_id } = await publishPublic({ name, description: "Newer.", body: "Newer." });
    await turn(id);
    await call("POST", `/api/v1/kinds/skills/${skill}/versions/${version_id}/yank`);
    const step = await use(id, ["read_skill", { skill_name: "first" }]);
    expect(step.text).toContain("SKILL_UNLOADED");
    expect(step.trips[0]).toBe(0);
    expect(step.trips[1]).toBeLessThanOrEqual(1);
  });

  it("has what never changes from a replica that lags, and the rest as new as its caller is", async () => {
    const id = await going();
    const name = await fresh();
    await turn(id);
    world.lag("forever");
    try {
      await publishOwn(await keyFor("somebody-else"), { name: "unseen" });
      // The caller's state is newer than the replica, so only the version's content can come from the replica.
      expect((await use(id, ["load_skill", { skill_name: name }])).trips).toEqual(ONE);
      const late = await fresh();
      expect((await turn(id)).text).toContain(late);
      const loading = await use(id, ["load_skill", { skill_name: late }]);
      // The replica does not have it yet, so another one is asked.
      expect(loading.trips).toEqual([1, 1, 0]);
      expect(loading.text).toContain(late);
    } finally {
      world.catchUp();
    }
  });
});

async function evictOwn(id: string): Promise<void> {
  await runInDurableObject(objectOf(id, user), () => undefined);
  await evictDurableObject(objectOf(id, user));
}
