// In any order of events, each request ends in exactly one state, and its caller receives the first accepted answer. A small model predicts
// the result of each step, and the gateway is checked after each.

import fc from "fast-check";
import { afterEach, beforeEach, expect, it } from "vitest";
import { call } from "../support/call";
import { evict, holdClock, pass, releaseClock, ring } from "../support/clock";
import { askPage, conversationOf, Page, requestState } from "../support/page";

const TABS = 3;

type Step =
  | { do: "ask"; timeout_ms: number; key: boolean }
  | { do: "connect" | "disconnect"; tab: number }
  | { do: "answer"; tab: number; request: number; evicting: boolean }
  | { do: "answer and vanish"; tab: number; request: number }
  | { do: "answer over HTTP" | "cancel" | "look"; request: number }
  | { do: "race"; request: number }
  | { do: "evict"; sockets: "hibernate" | "close" }
  | { do: "pass"; milliseconds: number }
  | { do: "ring" };

const tab = fc.nat(TABS - 1);
const request = fc.nat(7);
const timeout_ms = fc.constantFrom(1_000, 5_000, 30_000);

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("ask" as const), timeout_ms, key: fc.boolean() }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("connect" as const), tab }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("disconnect" as const), tab }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant("answer" as const), tab, request, evicting: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("answer and vanish" as const), tab, request }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("answer over HTTP" as const), request }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("race" as const), request }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("cancel" as const), request }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("look" as const), request }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("evict" as const),
      sockets: fc.constantFrom("hibernate" as const, "close" as const),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("pass" as const),
      milliseconds: fc.constantFrom(1, 999, 1_000, 4_000, 29_000),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("ring" as const) }) },
);

/** The expected state of a request. */
interface Known {
  id: string;
  key: string | null;
  timeout_ms: number;
  deadline: number;
  attempt: number;
  end: null | { state: "resolved"; result: number } | { state: "expired" } | { state: "cancelled" };
}

class World {
  readonly tabs: (Page | null)[] = Array.from({ length: TABS }, () => null);
  readonly known: Known[] = [];
  /** Every answer has a unique value, so that answers cannot be confused. */
  value = 0;

  constructor(readonly id: string) {}

  /** Only time decides about pending requests. */
  settle(): void {
    for (const known of this.known)
      if (known.end === null && Date.now() >= known.deadline) known.end = { state: "expired" };
  }

  pick(n: number): Known | null {
    return this.known.length === 0 ? null : (this.known[n % this.known.length] ?? null);
  }

  /** The reply that an answer must receive now. */
  verdict(known: Known): "accepted" | "already_resolved" | "expired" {
    if (known.end === null) return "accepted";
    return known.end.state === "expired" ? "expired" : "already_resolved";
  }
}

async function take(world: World, what: Step): Promise<void> {
  const { id } = world;
  world.settle();
  switch (what.do) {
    case "ask": {
      const connected = world.tabs.filter((page) => page !== null);
      const key = what.key ? `key-${world.known.length}` : null;
      const json = { action: "render", payload: {}, timeout_ms: what.timeout_ms, wait_ms: 0 };
      const body = key === null ? await askPage(id, json) : await askOnce(id, key, json);
      world.known.push({
        id: body.request_id,
        key,
        timeout_ms: what.timeout_ms,
        deadline: Date.now() + what.timeout_ms,
        attempt: connected.length > 0 ? 1 : 0,
        end: null,
      });
      expect(body.deadline).toBe(new Date(Date.now() + what.timeout_ms).toISOString());
      for (const page of connected)
        expect(await page.next("skill:request")).toMatchObject({ request_id: body.request_id, attempt: 1 });
      return;
    }
    case "connect": {
      if (world.tabs[what.tab] !== null) return;
      const page = await Page.greeted(id);
      world.tabs[what.tab] = page;
      for (const known of world.known.filter((one) => one.end === null)) {
        known.attempt++;
        expect(await page.next("skill:request")).toMatchObject({ request_id: known.id, attempt: known.attempt });
      }
      return;
    }
    case "disconnect": {
      const page = world.tabs[what.tab];
      if (page == null) return;
      page.socket.close(1000);
      await page.closed;
      world.tabs[what.tab] = null;
      return;
    }
    case "answer": {
      const page = world.tabs[what.tab];
      const known = world.pick(what.request);
      if (page == null || known === null) return;
      const verdict = world.verdict(known);
      const result = world.value++;
      page.answer(known.id, { success: true, result });
      if (what.evicting) await evict(id);
      expect(await page.next("ack")).toMatchObject(acked(known.id, verdict));
      if (verdict === "accepted") known.end = { state: "resolved", result };
      return;
    }
    case "answer and vanish": {
      const page = world.tabs[what.tab];
      const known = world.pick(what.request);
      if (page == null || known === null) return;
      const open = known.end === null;
      const result = world.value++;
      page.answer(known.id, { success: true, result });
      page.socket.close(1000);
      await page.closed;
      world.tabs[what.tab] = null;
      // No ack was received, so the answer may have been accepted or not; later it must be one of the two.
      await evict(id);
      if (open && (await requestState(id, known.id)).state === "resolved") known.end = { state: "resolved", result };
      await expectAsKnown(id, known);
      return;
    }
    case "answer over HTTP": {
      const known = world.pick(what.request);
      if (known === null) return;
      const verdict = world.verdict(known);
      const result = world.value++;
      expect(await answerOverHttp(id, known.id, result)).toBe(verdict);
      if (verdict === "accepted") known.end = { state: "resolved", result };
      return;
    }
    case "race": {
      const known = world.pick(what.request);
      if (known === null) return;
      const verdict = world.verdict(known);
      const racers = [...world.tabs.filter((page) => page !== null), null].map((page) => ({
        page,
        result: world.value++,
      }));
      const heard = await Promise.all(
        racers.map(async ({ page, result }) => {
          if (page === null) return answerOverHttp(id, known.id, result);
          page.answer(known.id, { success: true, result });
          const ack = await page.next("ack");
          return ack.success ? "accepted" : ack.error;
        }),
      );
      if (verdict !== "accepted") {
        expect(heard).toEqual(heard.map(() => verdict));
        return;
      }
      const winners = racers.filter((_, n) => heard[n] === "accepted");
      expect(winners).toHaveLength(1);
      expect(heard.filter((one) => one === "already_resolved")).toHaveLength(racers.length - 1);
      known.end = { state: "resolved", result: winners[0]!.result };
      return;
    }
    case "cancel": {
      const known = world.pick(what.request);
      if (known === null) return;
      const answer = await call("DELETE", `/api/v1/conversations/${id}/requests/${known.id}`);
      const open = known.end === null || known.end.state === "cancelled";
      expect(answer.status).toBe(open ? 204 : 409);
      if (known.end === null) known.end = { state: "cancelled" };
      return;
    }
    case "look": {
      const known = world.pick(what.request);
      if (known !== null) await expectAsKnown(id, known);
      return;
    }
    case "evict": {
      await evict(id, what.sockets);
      if (what.sockets === "hibernate") return;
      for (const [n, page] of world.tabs.entries()) {
        if (page !== null) await page.closed;
        world.tabs[n] = null;
      }
      return;
    }
    case "pass":
      pass(what.milliseconds);
      return;
    case "ring":
      await ring(id);
      return;
  }
}

function acked(request_id: string, verdict: string) {
  return verdict === "accepted" ? { request_id, success: true } : { request_id, success: false, error: verdict };
}

async function answerOverHttp(id: string, rid: string, result: number): Promise<string> {
  const path = `/api/v1/conversations/${id}/requests/${rid}/response`;
  const answer = await call("POST", path, { json: { success: true, result } });
  if (answer.status === 200) return "accepted";
  expect(answer.status).toBe(409);
  return (await answer.json<{ code: string }>()).code.toLowerCase();
}

async function askOnce(id: string, key: string, json: unknown) {
  const headers = { "idempotency-key": key };
  const answer = await call("POST", `/api/v1/conversations/${id}/requests`, { json, headers });
  return answer.json<{ request_id: string; deadline: string; state: string }>();
}

async function expectAsKnown(id: string, known: Known): Promise<void> {
  const seen = await requestState(id, known.id);
  expect(seen.state).toBe(known.end?.state ?? "pending");
  expect(seen).toMatchObject({ attempt: known.attempt });
  if (known.end?.state === "resolved") expect(seen).toMatchObject({ success: true, result: known.end.result });
  if (known.end?.state === "expired") {
    expect(seen).toMatchObject({ success: false, error: `No answer within ${known.timeout_ms / 1_000}s` });
  }
  if (known.end?.state === "cancelled") expect(seen).toMatchObject({ success: false });
  if (known.key === null) return;
  // A caller that repeats its request with the same key finds the same request.
  const json = { action: "render", payload: {}, timeout_ms: known.timeout_ms, wait_ms: 0 };
  expect(await askOnce(id, known.key, json)).toMatchObject({ request_id: known.id, state: seen.state });
}

beforeEach(holdClock);
afterEach(releaseClock);

it("is exact under any order of what can happen", { timeout: 240_000, tags: ["slow"] }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 30 }), async (steps) => {
      const world = new World(await conversationOf(null));
      for (const what of steps) await take(world, what);
      for (const known of world.known) {
        world.settle();
        await expectAsKnown(world.id, known);
      }
      // At the end every request has ended and stays unchanged.
      pass(30_000);
      await ring(world.id);
      world.settle();
      await evict(world.id);
      for (const known of world.known) {
        expect(known.end).not.toBeNull();
        await expectAsKnown(world.id, known);
      }
      for (const page of world.tabs) page?.socket.close(1000);
    }),
    { numRuns: 30, endOnFailure: false },
  );
});
