// The list of a user's conversations: the fields of each entry, and the search.

import { runInDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, expect, it } from "vitest";
import { DURATIONS } from "../../../src/domain/durations";
import { holdClock, objectOf, pass, releaseClock, ring } from "../../support/clock";
import { type Body, someone } from "../../support/users";

beforeEach(holdClock);
afterEach(releaseClock);

type Row = { id: string; turns: number | null; last_turn_at: string | null; tokens: number | null };
const rowOf = (list: Body) => (list.items as unknown as Row[])[0];
const alarmOf = (id: string, user: string) =>
  runInDurableObject(objectOf(id, user), (_, state) => state.storage.getAlarm());

it("shows the number of turns, the start of the last turn and the bill of a conversation, after they were sent", async () => {
  const { name, put, get, turn } = someone();
  await put("/x", { title: "Tides" });
  expect(rowOf(await get(""))).toMatchObject({ id: "x", turns: null, last_turn_at: null, tokens: null });
  await turn("x");
  pass(30_000);
  const began = new Date().toISOString();
  await turn("x");
  // The list is updated no later than `DURATIONS.listTold` from now.
  expect(await alarmOf("x", name)).toBeLessThanOrEqual(Date.now() + DURATIONS.listTold);
  pass(DURATIONS.listTold);
  expect(await ring("x", name)).toBe(true);
  const row = rowOf(await get(""));
  expect(row).toMatchObject({ turns: 2, last_turn_at: began });
  expect(row?.tokens).toBeGreaterThan(0);
  // Changing the title removes no other field.
  await put("/x", { title: "Ebb" });
  expect(rowOf(await get(""))).toMatchObject({ title: "Ebb", turns: 2 });
});

it("receives the next turn within a minute after a pause, but not every turn after that", async () => {
  const { name, put, get, turn } = someone();
  await put("/x", {});
  await turn("x");
  pass(DURATIONS.listTold);
  await ring("x", name);
  pass(5 * DURATIONS.listTold);
  await turn("x");
  expect(await alarmOf("x", name)).toBe(Date.now() + DURATIONS.listLater);
  pass(DURATIONS.listLater);
  await ring("x", name);
  expect(rowOf(await get(""))?.turns).toBe(2);
  await turn("x");
  pass(DURATIONS.listLater);
  // An alarm for another reason does not send the counts.
  await ring("x", name);
  expect(rowOf(await get(""))?.turns).toBe(2);
  expect(await alarmOf("x", name)).toBe(Date.now() + DURATIONS.listTold - DURATIONS.listLater);
});

it("does not list a conversation again when its figures arrive after its deletion", async () => {
  const { name, put, get, turn, send } = someone();
  await put("/x", {});
  await turn("x");
  expect((await send("DELETE", "/x")).status).toBe(204);
  pass(DURATIONS.listTold);
  await ring("x", name);
  expect((await get("")).items).toEqual([]);
});

it("is found by letters of its title, its ghost or its id, which are letters and nothing else", async () => {
  const { put, get } = someone();
  await put("/one", { title: "Tides of the North" });
  await put("/two", { title: "100 % of _all_" });
  await put("/three-tides", {});
  const found = async (q: string) =>
    ((await get(`?q=${encodeURIComponent(q)}`)).items as unknown as Row[]).map(({ id }) => id);
  expect(await found("TIDES")).toEqual(["three-tides", "one"]);
  expect(await found("%")).toEqual(["two"]);
  expect(await found("_")).toEqual(["two"]);
  expect(await found("nothing")).toEqual([]);
});
