import { runInDurableObject } from "cloudflare:test";
import { expect, it } from "vitest";
import { asked, end } from "../../../src/domain/questions/question";
import { ConversationStore } from "../../../src/storage/object/conversation";
import { objectOf } from "../../support/clock";
import { conversationOf } from "../../support/page";

const question = { skill_name: null, action: "a", payload: { deep: [1, null, "é"] }, timeout_ms: 1_000 };

it("stores a request unchanged, and lets it end once", async () => {
  const id = await conversationOf(null);
  await runInDurableObject(objectOf(id), (_, state) => {
    const { questions } = new ConversationStore(state.storage);
    const request = asked("req_1", questions.nextSeq(), question, 5, 0);
    questions.insert(request);
    expect(questions.get("req_1")).toEqual(request);
    const one = end(request, { state: "resolved", answer: { success: true, result: null }, by: "ann" }, 6)!;
    const two = end(request, { state: "cancelled", reason: "cancelled" }, 6)!;
    expect([questions.finish(one), questions.finish(two), questions.finish(one)]).toEqual([true, false, false]);
    expect(questions.get("req_1")).toEqual(one);
    expect(() => questions.insert({ ...request, seq: questions.nextSeq() })).toThrow();
  });
});

it("numbers without a gap backwards, from the time the conversation was made", async () => {
  const before = Date.now();
  const id = await conversationOf(null);
  await runInDurableObject(objectOf(id), (_, state) => {
    const { questions } = new ConversationStore(state.storage);
    const first = questions.firstSeq();
    expect(first).toBeGreaterThanOrEqual(before);
    expect(questions.seq()).toBe(first);
    expect([questions.nextSeq(), questions.nextSeq(), questions.seq()]).toEqual([first + 1, first + 2, first + 2]);
  });
});

it("keeps tickets until they expire, up to a limit", async () => {
  const id = await conversationOf(null);
  await runInDurableObject(objectOf(id), (_, state) => {
    const { tickets } = new ConversationStore(state.storage);
    const grant = { credential: "k", user_id: "ann", origin: null, pinned: false, output: false };
    for (const n of [1, 2, 3, 4]) tickets.put(`hash-${n}`, n * 100, grant);
    expect(tickets.get("hash-1", 99)).toEqual(grant);
    expect(tickets.get("hash-1", 100)).toBeNull();
    tickets.prune(100, 2);
    const left = [1, 2, 3, 4].filter((n) => tickets.get(`hash-${n}`, 0) !== null);
    expect(left).toEqual([3, 4]);
    expect([tickets.take("hash-4"), tickets.take("hash-4")]).toEqual([true, false]);
  });
});
