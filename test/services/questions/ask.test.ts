// Asking from inside a tool: the same code, with ids that a repeated call finds again.

import { runInDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { GatewayError } from "../../../src/domain/errors";
import { type ServerFrame, serverFrameSchema } from "../../../src/domain/questions/frame";
import type { Answer, Question } from "../../../src/domain/questions/question";
import { type Asking, askerOf, notifyPages } from "../../../src/services/questions/ask";
import { rejectWaiters } from "../../../src/services/questions/waiters";
import { openSession, type Session } from "../../../src/services/session";
import { ConversationStore } from "../../../src/storage/object/conversation";
import { call } from "../../support/call";
import { evict, objectOf } from "../../support/clock";
import { conversationOf, Page, requestState } from "../../support/page";

const question = (action: string, timeout_ms = 30_000): Question => ({
  skill_name: "demo",
  action,
  payload: null,
  timeout_ms,
});

type Tool = (ask: (question: Question) => Promise<Answer>) => Promise<unknown>;

interface ToolCall {
  callId?: string;
  signal?: AbortSignal;
  /** Called when a question was asked. */
  onAsk?: () => void;
  /** Whether the tool's code ends as soon as it has asked. */
  dies?: boolean;
}

/** Runs a tool's code in the object, like a provider. */
function runTool(conversation: string, tool: Tool, { callId = "call_1", signal, onAsk, dies }: ToolCall = {}) {
  return runInDurableObject(objectOf(conversation), (_, state) => {
    const session = openSession(new ConversationStore(state.storage)) as Session;
    const asking: Asking = {
      questions: session.store.questions,
      waiters: new Map(),
      clients: { count: () => 0, answers: () => false, notifyPages: () => {} },
      now: () => Date.now(),
      rearm() {
        onAsk?.();
        if (dies)
          queueMicrotask(() => rejectWaiters(asking.waiters, new GatewayError("unavailable", "KILLED", "killed")));
      },
    };
    return tool(askerOf(asking, session, callId, signal ?? new AbortController().signal));
  });
}

const pending = async (id: string) => {
  const answer = await call("GET", `/api/v1/conversations/${id}/requests`);
  const { items } = await answer.json<{ items: { request_id: string; action: string; state: string }[] }>();
  return items.reverse();
};

async function respond(id: string, requestId: string, result: unknown): Promise<void> {
  const path = `/api/v1/conversations/${id}/requests/${requestId}/response`;
  expect((await call("POST", path, { json: { success: true, result } })).status).toBe(200);
}

describe("a tool with questions", () => {
  it("finds its answers when the same call is made again after the gateway died", async () => {
    const id = await conversationOf(null);
    let asked = 0;
    const tool: Tool = async (ask) => [await ask(question("first")), await ask(question("second", 200))];
    // First run: the tool asks, and the object is evicted before an answer.
    await expect(runTool(id, tool, { dies: true })).rejects.toThrow("killed");
    await evict(id, "close");
    const page = await Page.greeted(id);
    const { request_id, action, skill_name } = await page.next("skill:request");
    expect([action, skill_name]).toEqual(["first", "demo"]);
    page.answer(request_id, { success: true, result: 1 });
    await page.next("ack");
    // Second run: the first answer is already there, and the second question is new.
    const again = await runTool(id, tool, { onAsk: () => asked++ });
    expect(again).toEqual([
      { success: true, result: 1 },
      { success: false, error: "No answer within 0.2s" },
    ]);
    expect(asked).toBe(1);
    // Third run: every question has its answer, and none is asked again.
    expect(await runTool(id, tool, { onAsk: () => asked++ })).toEqual(again);
    expect(asked).toBe(1);
    expect((await pending(id)).map((one) => [one.action, one.state])).toEqual([
      ["first", "resolved"],
      ["second", "expired"],
    ]);
  });

  it("is another with another call id, in another turn, and in a turn that was undone", async () => {
    const id = await conversationOf(null);
    const once = (callId?: string) =>
      runTool(id, async (ask) => void ask(question("a", 60_000)).catch(() => {}), { callId });
    const turn = () => call("POST", `/api/v1/conversations/${id}/turns`, { json: {} });
    await turn();
    await once();
    await once();
    expect(await pending(id)).toHaveLength(1);
    await once("call_2");
    expect(await pending(id)).toHaveLength(2);
    await turn();
    await once();
    expect(await pending(id)).toHaveLength(3);
    // Turn 2 is undone and runs again: its call_1 is another call.
    await call("POST", `/api/v1/conversations/${id}/restore`, {
      json: {
        history: [
          { role: "user", content: "1" },
          { role: "assistant", content: "2" },
        ],
      },
    });
    await turn();
    await once();
    expect(new Set((await pending(id)).map((one) => one.request_id)).size).toBe(4);
  });

  it("cancels its questions when its call is cancelled", async () => {
    const id = await conversationOf(null);
    const answer = await runTool(id, async () => null);
    expect(answer).toBeNull();
    const result = await runInDurableObject(objectOf(id), async (_, state) => {
      const session = openSession(new ConversationStore(state.storage)) as Session;
      const told: unknown[] = [];
      const asking: Asking = {
        questions: session.store.questions,
        waiters: new Map(),
        clients: { count: () => 1, answers: () => true, notifyPages: (frame) => told.push(frame) },
        now: () => Date.now(),
        rearm: () => {},
      };
      const cancel = new AbortController();
      const asked = askerOf(asking, session, "call_1", cancel.signal)(question("a"));
      while (told.length === 0) await Promise.resolve();
      cancel.abort();
      return { outcome: await asked, told };
    });
    expect(result.outcome).toMatchObject({ success: false, error: "The request was cancelled." });
    expect(result.told).toMatchObject([
      { type: "skill:request" },
      { type: "skill:cancelled", reason: "call_cancelled" },
    ]);
    const [request] = await pending(id);
    expect(await requestState(id, request!.request_id)).toMatchObject({ state: "cancelled" });
  });

  it("sends something to the pages without waiting for an answer, with its own number", async () => {
    const id = await conversationOf(null);
    const told = await runInDurableObject(objectOf(id), (_, state) => {
      const { questions } = new ConversationStore(state.storage);
      const frames: ServerFrame[] = [];
      const clients = {
        count: () => 1,
        answers: () => true,
        notifyPages: (frame: ServerFrame) => void frames.push(frame),
      };
      const asking: Asking = { questions, waiters: new Map(), clients, now: () => Date.now(), rearm: () => {} };
      notifyPages(asking, "demo", "progress", { percent: 50 });
      notifyPages(asking, null, "progress", { percent: 100 });
      return frames.map((frame) => serverFrameSchema().parse(frame));
    });
    expect(told).toMatchObject([
      { type: "skill:event", skill_name: "demo", action: "progress", payload: { percent: 50 } },
      { type: "skill:event", skill_name: null, payload: { percent: 100 } },
    ]);
    const [first, second] = told.map((frame) => ("seq" in frame ? frame.seq : 0));
    expect(second).toBe((first ?? 0) + 1);
    const page = await Page.open(id);
    page.say({ type: "hello" });
    expect(await page.next("welcome")).toMatchObject({ seq: second });
    await page.pong();
    expect(page.count("skill:event")).toBe(0);
  });

  it("gets an answer by whichever way it comes", async () => {
    const id = await conversationOf(null);
    await runTool(id, async (ask) => void ask(question("a", 60_000)).catch(() => {}));
    const [request] = await pending(id);
    await respond(id, request!.request_id, { picked: "a.csv" });
    expect(await runTool(id, (ask) => ask(question("a")))).toEqual({ success: true, result: { picked: "a.csv" } });
  });
});
