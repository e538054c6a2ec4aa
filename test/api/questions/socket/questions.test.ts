// The socket of a page: the frames it receives and the answers it sends.

import { afterEach, describe, expect, it } from "vitest";
import { call } from "../../../support/call";
import { holdClock, pass, releaseClock } from "../../../support/clock";
import { askPage, conversationOf, Page, requestState, upgrade } from "../../../support/page";
import { SKILL, zipOf } from "../../../support/zip";

afterEach(releaseClock);

describe("a socket", () => {
  it("is welcomed and receives questions, and its answer reaches the caller", async () => {
    const id = await conversationOf(null);
    const answer = await upgrade(id);
    expect(answer.status).toBe(101);
    expect(answer.headers.get("sec-websocket-protocol")).toBe("skill-gateway.v1");
    const page = new Page(answer.webSocket!);
    page.say({ type: "hello", client: "test" });
    const welcome = await page.next("welcome");
    expect(welcome).toMatchObject({ conversation: id, turn: 0, active: [], resumed: false });
    const waiting = askPage(id, { wait_ms: 20_000, skill_name: "mermaid-diagram" });
    const request = await page.next("skill:request");
    expect(request).toMatchObject({
      skill_name: "mermaid-diagram",
      action: "render",
      payload: { code: "graph TD" },
      attempt: 1,
    });
    expect(request.seq).toBeGreaterThan(welcome.seq);
    page.answer(request.request_id, { success: true, result: { svg: "<svg/>" } });
    expect(await page.next("ack")).toEqual({ type: "ack", request_id: request.request_id, success: true });
    expect(await waiting).toMatchObject({ state: "resolved", success: true, result: { svg: "<svg/>" } });
    expect(await requestState(id, request.request_id)).toMatchObject({ state: "resolved", answered_by: "admin" });
    page.socket.close(1000, "bye");
    expect(await page.closed).toMatchObject({ code: 1000 });
  });

  it("gets everything pending again when it comes back, with a higher attempt and the same number", async () => {
    const id = await conversationOf(null);
    const early = await askPage(id, { action: "early" });
    const first = await Page.greeted(id);
    const one = await first.next("skill:request");
    expect(one).toMatchObject({ request_id: early.request_id, attempt: 1 });
    const live = await askPage(id, { action: "live" });
    const two = await first.next("skill:request");
    expect(two).toMatchObject({ request_id: live.request_id, attempt: 1 });
    expect(two.seq).toBeGreaterThan(one.seq);
    first.socket.close(1000);
    await first.closed;

    const second = await Page.open(id);
    second.say({ type: "hello", last_seq: two.seq });
    expect(await second.next("welcome")).toMatchObject({ resumed: true, seq: two.seq });
    expect(await second.next("skill:request")).toEqual({ ...one, attempt: 2 });
    expect(await second.next("skill:request")).toEqual({ ...two, attempt: 2 });
    second.answer(early.request_id, { success: true });
    await second.next("ack");
    const third = await Page.greeted(id);
    expect(await third.next("skill:request")).toEqual({ ...two, attempt: 3 });
    await third.pong();
    expect(third.count("skill:request")).toBe(1);
  });

  it("has one winner among several pages; the others are notified", async () => {
    const id = await conversationOf(null);
    const tabs = await Promise.all([Page.greeted(id), Page.greeted(id), Page.greeted(id)]);
    const { request_id } = await askPage(id);
    for (const tab of tabs) expect(await tab.next("skill:request")).toMatchObject({ request_id });
    for (const [n, tab] of tabs.entries()) tab.answer(request_id, { success: true, result: n });
    const acks = await Promise.all(tabs.map((tab) => tab.next("ack")));
    const winner = acks.findIndex((ack) => ack.success);
    expect(acks.filter((ack) => ack.success)).toHaveLength(1);
    for (const [n, ack] of acks.entries()) {
      if (n !== winner) expect(ack).toMatchObject({ success: false, error: "already_resolved" });
    }
    expect(await requestState(id, request_id)).toMatchObject({ state: "resolved", result: winner });
    await Promise.all(tabs.map((tab) => tab.pong()));
    expect(tabs.map((tab) => tab.count("skill:cancelled"))).toEqual(tabs.map((_, n) => (n === winner ? 0 : 1)));
  });

  it("answers after the deadline with `expired`, whether or not the alarm was there first", async () => {
    holdClock();
    const id = await conversationOf(null);
    const page = await Page.greeted(id);
    const { request_id } = await askPage(id);
    pass(30_000);
    page.answer(request_id, { success: true });
    expect(await page.next("ack")).toMatchObject({ success: false, error: "expired" });
    expect((await requestState(id, request_id)).state).toBe("expired");
  });

  it("answers `ping` with `pong`", async () => {
    const page = await Page.open(await conversationOf(null));
    await page.pong();
    expect(page.texts).toEqual(["pong"]);
  });

  it("receives every change of the active skills, and nothing else", async () => {
    const id = await conversationOf(null);
    const form = new FormData();
    form.set("file", new File([zipOf([SKILL])], "demo.zip"));
    const uploaded = await call("POST", "/api/v1/kinds/skills/upload", { body: form });
    expect([uploaded.status, await uploaded.text()]).toEqual([201, expect.stringContaining("demo")]);
    const page = await Page.greeted(id);
    const turn = () => call("POST", `/api/v1/conversations/${id}/turns`, { json: {} });
    await turn();
    expect(await page.next("skill:active")).toEqual({ type: "skill:active", turn: 1, active: [] });
    const load = (call_id: string) => {
      const calls = [{ id: call_id, name: "load_skill", arguments: { skill_name: "demo" } }];
      return call("POST", `/api/v1/conversations/${id}/tool-calls`, { json: { calls } });
    };
    const { active } = await (await load("c1")).json<{ active: unknown[] }>();
    expect(await page.next("skill:active")).toEqual({ type: "skill:active", turn: 1, active });
    expect(active).toMatchObject([{ skill: "demo", remaining: 5 }]);
    // Loading again is an event of the conversation, but changes nothing on a page.
    await load("c2");
    await call("GET", `/api/v1/conversations/${id}`);
    await page.pong();
    expect(page.count("skill:active")).toBe(2);
    await turn();
    expect(await page.next("skill:active")).toMatchObject({ turn: 2, active: [{ skill: "demo", remaining: 5 }] });
    const late = await Page.open(id);
    late.say({ type: "hello" });
    expect(await late.next("welcome")).toMatchObject({ turn: 2, active: [{ skill: "demo" }] });
  });

  it("goes with its conversation, and one made anew under the id is another", async () => {
    holdClock();
    const id = await conversationOf(null);
    const page = await Page.greeted(id);
    const { request_id } = await askPage(id);
    const { seq } = await page.next("skill:request");
    const waiting = requestStatus(id, request_id);
    expect((await call("DELETE", `/api/v1/conversations/${id}`)).status).toBe(204);
    expect((await page.closed).code).toBe(4404);
    expect(await waiting).toBe(404);
    pass(1_000);
    await conversationOf(null, id);
    const again = await Page.open(id);
    again.say({ type: "hello", last_seq: seq });
    const welcome = await again.next("welcome");
    expect(welcome.resumed).toBe(false);
    expect(welcome.seq).toBeGreaterThan(seq);
    await again.pong();
    expect(again.count("skill:request")).toBe(0);
  });
});

async function requestStatus(id: string, rid: string): Promise<number> {
  return (await call("GET", `/api/v1/conversations/${id}/requests/${rid}?wait_ms=60000`)).status;
}
