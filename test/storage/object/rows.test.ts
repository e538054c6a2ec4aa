// The cost of an operation in storage: rows that its object writes, each of which is billed. `npm run bench:cost` has the same limits, in
// dollars.

import { afterAll, beforeAll, expect, it } from "vitest";
import { call, keyFor } from "../../support/call";
import { publishPublic, type Talk, talk } from "../../support/chat-turns";
import { countWrites, type Written } from "../../support/rows";

let meter: Awaited<ReturnType<typeof countWrites>>;
let key: string;
beforeAll(async () => {
  meter = await countWrites();
});
afterAll(() => meter.stop());

/** Rows written while something runs. */
async function written(act: () => Promise<unknown>): Promise<Written> {
  meter.since();
  await act();
  return meter.since();
}

async function begun(settings: object = {}): Promise<Talk> {
  for (const name of ["rows-a", "rows-b", "rows-c"]) await publishPublic({ name, body: `Do what ${name} does.` });
  key = await keyFor(`rows-${crypto.randomUUID()}`);
  const chat = await talk({ key }, settings);
  await chat.turn();
  return chat;
}

/** A delivery that stores texts in the object, and one that does not. */
const DELIVERIES = [{ delivery: "system" }, { delivery: "auto" }];

it("making a conversation: at most eight", async () => {
  key = await keyFor("rows-maker");
  const { rows, alarms } = await written(() => talk({ key }));
  expect(rows + alarms).toBeLessThanOrEqual(8);
  expect(alarms).toBe(1);
});

it.each(DELIVERIES)("$delivery: a later turn, at most two, with its key and after calls", async (settings) => {
  const chat = await begun(settings);
  await chat.load("rows-a");
  await chat.load("rows-b");
  for (const body of [{ key: "m2" }, {}, { key: "m4" }]) {
    const { rows, alarms } = await written(() => chat.turn(body));
    expect(rows + alarms).toBeLessThanOrEqual(2);
    await chat.use("load_skill", { skill_name: "rows-c" });
  }
});

it.each(DELIVERIES)("$delivery: load_skill at most three, again at most one", async (settings) => {
  const chat = await begun(settings);
  for (const name of ["rows-a", "rows-b"]) {
    const { rows, alarms } = await written(() => chat.load(name));
    expect(rows).toBeGreaterThan(0);
    expect(rows + alarms).toBeLessThanOrEqual(3);
  }
  const again = await written(() => chat.load("rows-b"));
  expect(again.rows + again.alarms).toBeLessThanOrEqual(1);
});

it("reading: none, and looking neither; finding: one, for its count", async () => {
  const chat = await begun();
  await chat.load("rows-a");
  const nothing = { rows: 0, alarms: 0 };
  expect(await written(() => chat.use("read_skill", { skill_name: "rows-a" }))).toEqual(nothing);
  expect(await written(() => chat.use("find_skill", { query: "what rows-b does" }))).toEqual({ rows: 1, alarms: 0 });
  for (const path of ["", "/prompt", "/tools", "/events"])
    expect(await written(() => call("GET", `${chat.route}${path}`, { key: chat.key }))).toEqual(nothing);
});

it("a question and its answer: at most three, and the alarm", async () => {
  const chat = await begun();
  const ask = async () => {
    const body = { action: "confirm", payload: { sure: true }, wait_ms: 0 };
    const made = await call("POST", `${chat.route}/requests`, { key: chat.key, json: body });
    return (await made.json<{ request_id: string }>()).request_id;
  };
  const answer = (id: string) =>
    call("POST", `${chat.route}/requests/${id}/response`, { key: chat.key, json: { success: true, result: 1 } });
  // The first one creates the table.
  await answer(await ask());
  const { rows, alarms } = await written(async () => answer(await ask()));
  expect([rows, alarms]).toEqual([3, 1]);
});

it("an unknown conversation: none", async () => {
  key = await keyFor("rows-nobody");
  for (const path of ["", "/prompt", "/events", "/requests"])
    expect(await written(() => call("GET", `/api/v1/conversations/never${path}`, { key }))).toEqual({
      rows: 0,
      alarms: 0,
    });
});
