// The object hibernates whenever no caller waits, and keeps its state. Timers and unfinished calls would keep it awake: timers are counted
// here, and eviction waits for calls.

import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { afterEach, describe, expect, it, vi } from "vitest";
import { call } from "../support/call";
import { evict, holdClock, objectOf, pass, releaseClock, ring } from "../support/clock";
import { askPage, conversationOf, Page, requestState, ticketFor } from "../support/page";

afterEach(() => {
  releaseClock();
  vi.restoreAllMocks();
});

/** Timers that neither fired nor were cleared. */
function watchTimers(): Map<unknown, number> {
  const open = new Map<unknown, number>();
  const { setTimeout: set, clearTimeout: clear } = globalThis;
  vi.spyOn(globalThis, "setTimeout").mockImplementation(((run: () => void, ms: number) => {
    const timer = set(() => {
      open.delete(timer);
      run();
    }, ms);
    open.set(timer, ms);
    return timer;
  }) as typeof setTimeout);
  vi.spyOn(globalThis, "clearTimeout").mockImplementation(((timer: number) => {
    open.delete(timer);
    clear(timer);
  }) as typeof clearTimeout);
  return open;
}

describe("the object", () => {
  it("has no timer while requests are pending, sockets are open and no caller waits", async () => {
    const timers = watchTimers();
    const id = await conversationOf(null);
    const page = await Page.greeted(id, { ticket: await ticketFor(id) });
    await Page.open(id);
    const { request_id } = await askPage(id);
    await page.next("skill:request");
    await askPage(id, { wait_ms: 20 });
    expect(timers.size).toBe(0);
    const waiting = requestState(id, request_id, "?wait_ms=60000");
    const other = requestState(id, request_id, "?wait_ms=60000");
    // Storage has its own, shorter timers.
    while ([...timers.values()].filter((ms) => ms > 10_000).length < 2) await page.pong();
    page.answer(request_id, { success: true });
    await Promise.all([waiting, other]);
    expect(timers.size).toBe(0);
  });

  it("sleeps with requests pending and sockets open, and wakes for an answer", async () => {
    const id = await conversationOf(null);
    const page = await Page.greeted(id);
    const { request_id } = await askPage(id);
    await page.next("skill:request");
    await evictDurableObject(objectOf(id));
    await page.pong();
    // The platform sent the pong, so there is still nothing to evict.
    await expect(evictDurableObject(objectOf(id))).rejects.toThrow("not currently running");
    page.answer(request_id, { success: true, result: "woken" });
    expect(await page.next("ack")).toMatchObject({ success: true });
    await evict(id);
    expect(await requestState(id, request_id)).toMatchObject({ state: "resolved", result: "woken" });
    await evict(id);
    const { request_id: next } = await askPage(id);
    expect(await page.next("skill:request")).toMatchObject({ request_id: next });
  });

  it("stays awake for a caller as long as it waits and no longer", async () => {
    const id = await conversationOf(null);
    const page = await Page.greeted(id);
    const started = Date.now();
    const waiting = askPage(id, { wait_ms: 400 });
    await page.next("skill:request");
    await evictDurableObject(objectOf(id));
    expect(Date.now() - started).toBeGreaterThanOrEqual(399);
    expect(await waiting).toMatchObject({ state: "pending" });
  });

  it("lets the deadline pass in its sleep", async () => {
    holdClock();
    const id = await conversationOf(null);
    const page = await Page.greeted(id);
    const { request_id } = await askPage(id);
    await evict(id);
    pass(30_000);
    expect(await ring(id)).toBe(true);
    expect(await page.next("skill:cancelled")).toMatchObject({ request_id, reason: "expired" });
    expect(await requestState(id, request_id)).toMatchObject({ state: "expired" });
  });

  it("stores which pages sent hello, and its counts", async () => {
    holdClock();
    const id = await conversationOf(null);
    const greeted = await Page.greeted(id);
    const silent = await Page.open(id);
    await evict(id);
    const { request_id } = await askPage(id);
    const { seq } = await greeted.next("skill:request");
    await evict(id);
    silent.say({ type: "hello" });
    expect(await silent.next("welcome")).toMatchObject({ seq });
    expect(await silent.next("skill:request")).toMatchObject({ request_id, seq, attempt: 2 });
    await evict(id);
    await askPage(id);
    expect((await greeted.next("skill:request")).seq).toBe(seq + 1);
  });

  it("loses its sockets with the gateway, and everybody finds their way back", async () => {
    const id = await conversationOf(null);
    const first = await Page.greeted(id, {
      ticket: await ticketFor(id, { origin: "http://localhost:1" }),
      origin: "http://localhost:1",
    });
    const { request_id } = await askPage(id);
    const { attempt, seq } = await first.next("skill:request");
    await evict(id, "close");
    await first.closed;
    const { resume } = first.frames[0] as { resume: string };
    const second = await Page.greeted(id, { ticket: resume, origin: "http://localhost:1" }, seq);
    expect(second.frames[0]).toMatchObject({ resumed: true });
    const again = await second.next("skill:request");
    expect(again).toMatchObject({ request_id, seq });
    expect(again.attempt).toBeGreaterThan(attempt);
    second.answer(request_id, { success: true, result: "at last" });
    await second.next("ack");
    expect(await requestState(id, request_id, "?wait_ms=60000")).toMatchObject({ result: "at last" });
  });

  it("sets its one alarm to whatever is due first", async () => {
    holdClock();
    const id = await conversationOf(null);
    const alarm = () => runInDurableObject(objectOf(id), (_, { storage }) => storage.getAlarm());
    const left = async () => ((await alarm()) ?? 0) - Date.now();
    const [SECOND, MINUTE, DAY] = [1_000, 60_000, 24 * 60 * 60_000];
    // Early enough for what the list hears of a first turn; nothing is due then, and it waits for the end of an idle conversation.
    expect(await left()).toBe(10 * MINUTE);
    await askPage(id, { timeout_ms: 20 * MINUTE });
    expect(await left()).toBe(20 * MINUTE);
    const page = await Page.open(id);
    expect(await left()).toBe(10 * SECOND);
    page.say({ type: "hello" });
    await page.next("welcome");
    expect(await left()).toBe(10 * MINUTE);
    await evict(id);
    await askPage(id, { timeout_ms: 30 * SECOND });
    expect(await left()).toBe(30 * SECOND);
    pass(30 * SECOND);
    await ring(id);
    expect(await left()).toBe(9.5 * MINUTE);
    pass(9.5 * MINUTE);
    await ring(id);
    expect(await left()).toBe(10 * MINUTE);
    page.socket.close(1000);
    await page.closed;
    pass(10 * MINUTE);
    await ring(id);
    expect(await left()).toBe(30 * DAY - 20 * MINUTE);
  });

  it("ends an idle conversation with its sockets, but not one that still asks", async () => {
    holdClock();
    const DAY = 24 * 60 * 60_000;
    const id = await conversationOf(null);
    await ring(id);
    pass(29 * DAY);
    await askPage(id);
    pass(DAY);
    expect(await ring(id)).toBe(true);
    expect((await call("GET", `/api/v1/conversations/${id}`)).status).toBe(200);
    const page = await Page.greeted(id);
    pass(29 * DAY);
    expect(await ring(id)).toBe(true);
    expect((await page.closed).code).toBe(4404);
    expect((await call("GET", `/api/v1/conversations/${id}`)).status).toBe(404);
    expect(await ring(id)).toBe(false);
  });
});
