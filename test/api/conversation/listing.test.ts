// The list of a user's conversations: the fields of each entry, and the search.

import { runInDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, expect, it } from "vitest";
import { DURATIONS } from "../../../src/domain/durations";
import { holdClock, objectOf, pass, releaseClock, ring } from "../../support/clock";
import { type Body, read, someone } from "../../support/users";

beforeEach(holdClock);
afterEach(releaseClock);

type Row = {
  id: string;
  turns: number | null;
  last_turn_at: string | null;
  tokens: number | null;
  pasted_tokens: number | null;
  failed_calls: number | null;
};
const rowOf = (list: Body) => (list.items as unknown as Row[])[0];
const alarmOf = (id: string, user: string) =>
  runInDurableObject(objectOf(id, user), (_, state) => state.storage.getAlarm());

it("shows the number of turns, the start of the last turn and the bill of a conversation, after they were sent", async () => {
  const { name, put, get, turn, seed } = someone();
  // Instructions that would be in every prompt if all skills were pasted.
  await seed({ name: "tide-tables", body: "Read the table of the harbour. ".repeat(200) });
  await put("/x", { title: "Tides" });
  expect(rowOf(await get(""))).toMatchObject({
    id: "x",
    turns: null,
    last_turn_at: null,
    tokens: null,
    pasted_tokens: null,
  });
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
  const { billed } = (await get("/x")).tokens as unknown as { billed: { actual: number; paste: number } };
  expect(row).toMatchObject({ tokens: billed.actual, pasted_tokens: billed.paste });
  expect(billed.paste).toBeGreaterThan(billed.actual);
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

it("is found by the skills that were active in it, and by whether a call failed", async () => {
  const { name, put, get, turn, load, calls, seed } = someone();
  await seed({ name: "tide-times" });
  await seed({ name: "tide" });
  const found = async (query: string) => (await get(query)).items.map(({ id }) => id);
  const report = async (id: string) => {
    pass(DURATIONS.listTold);
    expect(await ring(id, name)).toBe(true);
  };
  await put("/unused", {});
  for (const id of ["fine", "broken"]) {
    pass(1);
    await put(`/${id}`, {});
    await turn(id);
    await load(id, "tide-times");
  }
  await calls("broken", read("tide-times", { file_path: "nothing.txt" }));
  expect(await found("?state=unused")).toEqual(["broken", "fine", "unused"]);
  await report("fine");
  await report("broken");
  expect(await found("?skill=tide-times")).toEqual(["broken", "fine"]);
  expect(await found("?skill=tide")).toEqual([]);
  expect(await found("?state=failed")).toEqual(["broken"]);
  expect(await found("?state=succeeded&skill=tide-times")).toEqual(["fine"]);
  expect(await found("?state=unused")).toEqual(["unused"]);
  expect((await get("?state=failed")).items).toMatchObject([{ failed_calls: 1 }]);

  // The failed call is now in the log and is not counted twice. Another skill and another failure are added.
  await turn("broken");
  await load("broken", "tide", "nothing");
  await report("broken");
  expect((await get("?skill=tide")).items).toMatchObject([{ id: "broken", failed_calls: 2 }]);
  expect(await found("?skill=tide-times&limit=1")).toEqual(["broken"]);
  // A page of the filtered list continues where it ended.
  const { next_cursor: cursor } = await get("?skill=tide-times&limit=1");
  expect(await found(`?skill=tide-times&limit=1&cursor=${cursor}`)).toEqual(["fine"]);
});
