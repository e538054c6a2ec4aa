// Streams of registry events: comments while nothing happens, the end after their maximum duration, and readers that do not read or left.

import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type RegistryEvent, readEventId } from "../../../src/domain/events/events";
import { EVENT_LIMITS } from "../../../src/domain/events/limits";
import { openEventStream } from "../../../src/services/events/stream";
import { contextOf } from "../../support/context";

const USER = "stream-ada";
/** Bytes of an event in a stream. */
const EVENT_BYTES = 1_000;

const event = (seq: number): RegistryEvent => ({
  ...{ seq, at: 1_795_739_695_000, scope: `user:${USER}`, type: "skill.published" },
  data: { name: "x".repeat(EVENT_BYTES) },
});
const events = (count: number, from = 1) => Array.from({ length: count }, (_, n) => event(from + n));

/** Opens a stream. `hub` is the other end of its socket. */
async function open(options: { signal?: AbortSignal; identify?: () => Promise<void>; lastId?: string } = {}) {
  const { 0: hub, 1: socket } = new WebSocketPair();
  hub.accept();
  socket.accept();
  const closed = new Promise<number>((resolve) => hub.addEventListener("close", ({ code }) => resolve(code)));
  const works: Promise<void>[] = [];
  const context = { ...contextOf(USER), later: (work: Promise<void>) => void works.push(work) };
  const identify = async () => {
    await options.identify?.();
    return context.caller.principal;
  };
  const signal = options.signal ?? new AbortController().signal;
  const body = await openEventStream({ context, socket, lastId: options.lastId ?? null, signal, identify });
  return {
    hub,
    closed,
    body,
    ended: () => Promise.all(works),
    send: (some: object[]) => hub.send(JSON.stringify(some)),
  };
}

/** Returns what a stream still contains, which is all that it kept. */
const rest = (body: ReadableStream) => new Response(body).text();
const idsIn = (text: string) =>
  [...text.matchAll(/^id: (\S+)\nevent: skill/gm)].map(([, id]) => readEventId(id ?? "")?.seq);

describe("a stream whose reader does not read", () => {
  it("ends at the limit of unread bytes, with the first events complete", async () => {
    const { body, closed, ended, send } = await open();
    send(events(200));
    expect(await closed).toBe(1000);
    await ended();
    const text = await rest(body);
    expect(text.length).toBeGreaterThan(EVENT_LIMITS.unreadBytes / 2);
    expect(text.length).toBeLessThan(EVENT_LIMITS.unreadBytes + 2 * EVENT_BYTES);
    expect(text.endsWith("\n\n")).toBe(true);
    // No gap: the reader continues after the last one.
    const ids = idsIn(text);
    expect(ids).toEqual(events(ids.length).map(({ seq }) => seq));
  });

  it("ends if events arrive faster than its identity is read", async () => {
    let proceed = () => {};
    const gate = new Promise<void>((resolve) => {
      proceed = resolve;
    });
    const { body, closed, ended, send } = await open({ identify: () => gate });
    send(events(1));
    for (let from = 2; from <= EVENT_LIMITS.missed + 200; from += 100) send(events(100, from));
    expect(await closed).toBe(1000);
    proceed();
    await ended();
    expect(idsIn(await rest(body))).toEqual([]);
  });

  it("does not end while the reader reads", async () => {
    const { body, ended, hub, send } = await open();
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    for (let from = 1; from <= 200; from += 20) {
      send(events(20, from));
      while (idsIn(text).length < from + 19) text += (await reader.read()).value ?? "";
    }
    expect(idsIn(text)).toEqual(events(200).map(({ seq }) => seq));
    hub.close(1000);
    await ended();
    expect((await reader.read()).done).toBe(true);
  });
});

describe("a stream whose reader has left", () => {
  it("closes its socket", async () => {
    const { body, closed, ended } = await open();
    await body.cancel();
    expect(await closed).toBe(1000);
    await ended();
  });

  it.each([
    ["before it was open", (leave: () => void) => leave(), async () => {}],
    ["later", () => {}, async (leave: () => void) => leave()],
  ])("ends if the request was aborted %s", async (_, before, after) => {
    const controller = new AbortController();
    const leave = () => controller.abort();
    before(leave);
    const { body, closed, ended } = await open({ signal: controller.signal });
    await after(leave);
    expect(await closed).toBe(1000);
    await ended();
    expect(await rest(body)).toContain("event: ready");
  });
});

/** Reads a stream as text, with its comments. */
function reading(body: ReadableStream) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  return {
    /** Returns all text up to a pattern, or the end. */
    until: async (wanted: RegExp) => {
      while (!wanted.test(text)) {
        const { done, value } = await reader.read();
        text += done ? "[end]" : value;
        if (done) break;
      }
      return text;
    },
    cancel: () => reader.cancel(),
  };
}

const keepAlives = (text: string) => text.split(": keep-alive\n\n").length - 1;

describe("a stream in which nothing happens", () => {
  const holdTimers = () => vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"], now: Date.now() });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("has a comment after each interval without an event", async () => {
    holdTimers();
    const { body, ended, send } = await open();
    const reader = reading(body);
    await reader.until(/event: ready\n/);
    for (const seq of [1, 2]) {
      await vi.advanceTimersByTimeAsync(EVENT_LIMITS.keepAliveMs - 1);
      send(events(1, seq));
      expect(keepAlives(await reader.until(new RegExp(`^id: \\d+\\.${seq}\nevent: skill`, "m")))).toBe(0);
    }
    for (const count of [1, 2]) {
      await vi.advanceTimersByTimeAsync(EVENT_LIMITS.keepAliveMs);
      expect(keepAlives(await reader.until(new RegExp(`(: keep-alive\n\n){${count}}`)))).toBe(count);
    }
    await reader.cancel();
    await ended();
  });

  it("ends after its maximum duration, and the next one continues without a gap", async () => {
    await env.DB.prepare("DELETE FROM events").run();
    const store = async (name: string) => {
      const row = await env.DB.prepare(
        "INSERT INTO events (scope, type, data) VALUES (?, 'skill.published', ?) RETURNING seq",
      )
        .bind(`user:${USER}`, JSON.stringify({ name }))
        .first<number>("seq");
      return { ...event(row ?? 0), data: { name } };
    };
    holdTimers();
    const { body, closed, ended, send } = await open();
    const reader = reading(body);
    await reader.until(/event: ready\n/);
    send([await store("first")]);
    await reader.until(/"first"/);
    await vi.advanceTimersByTimeAsync(EVENT_LIMITS.streamMs - 1);
    expect(keepAlives(await reader.until(/(: keep-alive\n\n){39}/))).toBe(39);
    await vi.advanceTimersByTimeAsync(1);
    expect((await reader.until(/$^/)).endsWith("[end]")).toBe(true);
    expect(await closed).toBe(1000);
    await ended();
    const text = await reader.until(/end/);
    const lastId =
      text
        .match(/^id: \S+/gm)
        ?.at(-1)
        ?.slice("id: ".length) ?? "";
    const second = await store("second");
    const again = await open({ lastId });
    const resumed = reading(again.body);
    // The event is in the database and in the socket, too.
    again.send([second, await store("third")]);
    const names = [...(await resumed.until(/"third"/)).matchAll(/"name":"(\w+)"/g)].map(([, name]) => name);
    expect(names).toEqual(["second", "third"]);
    await resumed.cancel();
    await again.ended();
  });
});
