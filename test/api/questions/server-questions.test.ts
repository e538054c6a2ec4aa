// Questions from an MCP server during a call: how the page receives them, and the effect of its answers.

import { beforeEach, describe, expect, it } from "vitest";
import { call } from "../../support/call";
import { type Talk, talk } from "../../support/chat-turns";
import { evict, holdClock, pass, releaseClock } from "../../support/clock";
import { Page } from "../../support/page";
import { gatewayServers } from "../../support/servers";
import { faults, forget } from "../../support/upstream";

type Era = "legacy" | "modern";
const ERAS: Era[] = ["legacy", "modern"];
const EMAIL = { type: "object", properties: { email: { type: "string", format: "email" } }, required: ["email"] };
const form = (requestedSchema: object = EMAIL, message = "Where to?") => ({
  method: "elicitation/create",
  params: { message, requestedSchema },
});
const accept = { action: "accept", content: { email: "ann@example.com" } };
const pathOf = (era: Era) => `/asking-${era}/none`;

beforeEach(async () => {
  await forget();
  await gatewayServers(Object.fromEntries(ERAS.map((era) => [era, { url: `${faults}${pathOf(era)}` }])));
});

const idOf = (chat: Talk) => chat.route.slice(chat.route.lastIndexOf("/") + 1);

/** Returns a conversation with a page, and a call that asks questions. */
async function asking(era: Era, user: string, ...rounds: object[]) {
  const chat = await talk(user);
  await chat.turn();
  const page = await Page.greeted(idOf(chat), { key: chat.key });
  return { chat, page, id: idOf(chat), called: chat.use(`${era}__ask`, { rounds }, "the-call") };
}

const textOf = ({ content }: { content: { text?: string }[] }) => content.map(({ text }) => text).join("\n");

describe.each(ERAS)("a server of the %s era that asks", (era) => {
  it("is answered by a page, which sees the server's name in the gateway's words", async () => {
    const { page, called } = await asking(era, `asked-${era}`, { who: form() });
    const asked = await page.next("skill:request");
    expect(asked).toMatchObject({
      action: "form",
      skill_name: null,
      from: { kind: "server", name: era, host: new URL(faults).host },
      payload: { message: "Where to?", schema: EMAIL },
    });
    page.answer(asked.request_id, { success: true, result: { action: "accept", content: { email: 7 } } });
    expect(await page.next("ack")).toMatchObject({ success: false, error: "invalid_answer" });
    page.answer(asked.request_id, { success: true, result: accept });
    expect(JSON.parse(textOf(await called))).toEqual([{ who: accept }]);
  });

  it("distinguishes declining from cancelling, and can ask again", async () => {
    const { page, called } = await asking(era, `declines-${era}`, { who: form() }, { who: form(), again: form() });
    for (const result of [{ action: "decline" }, { action: "cancel" }]) {
      const { request_id } = await page.next("skill:request");
      page.answer(request_id, { success: true, result });
    }
    const { request_id } = await page.next("skill:request");
    page.answer(request_id, { success: false, error: "the page cannot" });
    expect(JSON.parse(textOf(await called))).toEqual([
      { who: { action: "decline" } },
      { who: { action: "cancel" }, again: { action: "cancel" } },
    ]);
  });

  it("may name a link, which the page shows with its host in ASCII", async () => {
    const link = (url: string) => ({ method: "elicitation/create", params: { mode: "url", message: "Pay", url } });
    const { page, called } = await asking(
      era,
      `link-${era}`,
      { bad: link("http://pay.example/x") },
      { pay: link("https://раypal.example/x") },
    );
    const asked = await page.next("skill:request");
    expect(asked).toMatchObject({ action: "open_url", payload: { message: "Pay", host: "xn--ypal-43d9g.example" } });
    page.answer(asked.request_id, { success: true, result: { action: "accept" } });
    const text = textOf(await called);
    expect(text).toContain(JSON.stringify([{ bad: { action: "decline" } }, { pay: { action: "accept" } }]));
    expect(text).toContain("not https");
  });

  it("never asks for a credential", async () => {
    const fields = { type: "object", properties: { apiKey: { type: "string", title: "Your name" } } };
    const { page, called } = await asking(era, `secret-${era}`, { who: form(fields) });
    const text = textOf(await called);
    expect(text).toContain('"action":"decline"');
    expect(text).toContain("asks for a credential");
    expect(page.count("skill:request")).toBe(0);
  });

  it("receives an error if no page is connected, and so does the model", async () => {
    const chat = await talk(`alone-${era}`);
    await chat.turn();
    const text = textOf(await chat.use(`${era}__ask`, { rounds: [{ who: form() }] }));
    expect(text).toMatch(/cancel|nobody/);
  });

  it("receives an error at once if no connected page answers such questions, and can ask a page that declares it later", async () => {
    const chat = await talk(`silent-${era}`);
    await chat.turn();
    const page = await Page.greeted(idOf(chat), { key: chat.key, answers: ["open_url", "confirm"] });
    const asked = () => chat.use(`${era}__ask`, { rounds: [{ who: form() }] });
    const text = textOf(await asked());
    expect(text).toMatch(/"action":"cancel"|not supported here/);
    expect(text).toContain("no connected page or host answers 'form'");
    expect(page.count("skill:request")).toBe(0);
    page.say({ type: "answers", answers: ["form"] });
    // Frames are processed in order, so this answer comes after the others.
    page.answer("none", { success: true });
    await page.next("ack");
    const called = asked();
    const { request_id } = await page.next("skill:request");
    page.answer(request_id, { success: true, result: accept });
    expect(JSON.parse(textOf(await called))).toEqual([{ who: accept }]);
  });

  it("does not receive another user's answer", async () => {
    const { page, id, called } = await asking(era, `mine-${era}`, { who: form() });
    const { request_id } = await page.next("skill:request");
    const path = `/api/v1/conversations/${id}/requests/${request_id}/response`;
    const answer = await call("POST", path, { as: `mallory-${era}`, json: { success: true, result: accept } });
    expect(answer.status).toBe(404);
    page.answer(request_id, { success: true, result: { action: "cancel" } });
    expect(JSON.parse(textOf(await called))).toEqual([{ who: { action: "cancel" } }]);
  });

  it("asks at most 20 times an hour", async () => {
    const rounds = Array.from({ length: 3 }, () =>
      Object.fromEntries(Array.from({ length: 8 }, (_, index) => [`q${index}`, form()])),
    );
    const user = `greedy-${era}`;
    const { chat, id, page, called } = await asking(era, user, ...rounds);
    for (let asked = 0; asked < 20; asked++) {
      const { request_id } = await page.next("skill:request");
      page.answer(request_id, { success: true, result: accept });
    }
    const text = textOf(await called);
    expect(text.match(/"accept"/g)).toHaveLength(20);
    expect(text.match(/"decline"/g)).toHaveLength(4);
    expect(page.count("skill:request")).toBe(20);
    // The count survives the eviction of the object from memory.
    await evict(id, "hibernate", user);
    const once = () => chat.use(`${era}__ask`, { rounds: [{ who: form() }] });
    expect(textOf(await once())).toContain('"decline"');
    holdClock();
    try {
      pass(60 * 60_000);
      const again = once();
      const { request_id } = await page.next("skill:request");
      page.answer(request_id, { success: true, result: accept });
      expect(JSON.parse(textOf(await again))).toEqual([{ who: accept }]);
    } finally {
      releaseClock();
    }
  });

  it("cannot keep a question open after its call was cancelled", async () => {
    const { page, chat, called } = await asking(era, `cancelled-${era}`, { who: form() });
    const { request_id } = await page.next("skill:request");
    await call("DELETE", `${chat.route}/tool-calls/the-call`, { key: chat.key });
    expect(await page.next("skill:cancelled")).toMatchObject({ request_id, reason: "call_cancelled" });
    expect((await called).isError).toBe(true);
  });
});
