// Feedback on turns that a page sends over the conversation's socket.

import { describe, expect, it } from "vitest";
import { call, keyFor } from "../../../support/call";
import { publishOwn, talk } from "../../../support/chat-turns";
import { Page } from "../../../support/page";

const HEARS = { hears: ["feedback"] };

/** A conversation of a user with two turns, in which a skill was loaded first. */
async function rated(user: string) {
  const key = await keyFor(user);
  await publishOwn(key, { name: "tides" });
  const chat = await talk({ key });
  await chat.turn();
  await chat.load("tides");
  await chat.turn();
  return { key, id: chat.route.split("/").at(-1) ?? "", route: chat.route };
}

const stored = async (route: string, key: string) =>
  (await (await call("GET", `${route}/feedback`, { key })).json<{ items: object[] }>()).items;

const give = (turn: unknown, score: unknown, more: object = {}) => ({
  ...{ type: "feedback", request_id: "f1", turn, score },
  ...more,
});

describe("feedback of a page", () => {
  it("is stored as through the API, acknowledged, and shown to all pages that subscribe", async () => {
    const { key, id, route } = await rated("rater");
    const [page, other, deaf] = [
      await Page.greeted(id, { key, ...HEARS }),
      await Page.greeted(id, { key, ...HEARS }),
      await Page.greeted(id, { key }),
    ];
    for (const one of [page, other]) expect((await one.next("turn:feedback")).items).toEqual([]);
    page.say(give(1, 1, { comment: "Right on time." }));
    expect(await page.next("ack")).toEqual({ type: "ack", request_id: "f1", success: true });
    expect(await stored(route, key)).toEqual([
      { turn: 1, score: 1, comment: "Right on time.", at: expect.any(String) },
    ]);
    expect((await other.next("turn:feedback")).items).toEqual([{ turn: 1, score: 1 }]);
    await call("POST", `${route}/feedback`, { key, json: { turn: 2, score: -1 } });
    expect((await other.next("turn:feedback")).items).toEqual([{ turn: 2, score: -1 }]);
    await deaf.pong();
    expect(deaf.count("turn:feedback")).toBe(0);
    const later = await Page.greeted(id, { key, ...HEARS });
    expect((await later.next("turn:feedback")).items).toEqual([
      { turn: 1, score: 1 },
      { turn: 2, score: -1 },
    ]);
  });

  it("replaces earlier feedback, and 0 withdraws it", async () => {
    const { key, id, route } = await rated("changer");
    const page = await Page.greeted(id, { key });
    for (const score of [1, -1, 0]) {
      page.say(give(2, score));
      await page.next("ack");
    }
    expect(await stored(route, key)).toMatchObject([{ turn: 2, score: 0, comment: null }]);
  });

  it("is rejected for a turn that the conversation does not have", async () => {
    const { key, id, route } = await rated("guesser");
    const page = await Page.greeted(id, { key });
    page.say(give(3, 1));
    expect(await page.next("ack")).toEqual({
      ...{ type: "ack", request_id: "f1" },
      ...{ success: false, error: "unknown_turn" },
    });
    expect(await stored(route, key)).toEqual([]);
  });

  it.each([
    ["another score", give(1, 2)],
    ["a score that is no number", give(1, "1")],
    ["turn 0", give(0, 1)],
    ["no id", give(1, 1, { request_id: "" })],
    ["a comment that is too long", give(1, 1, { comment: "x".repeat(1_001) })],
  ])("closes the socket for %s, and stores nothing", async (_, frame) => {
    const { key, id, route } = await rated(`sender-${crypto.randomUUID().slice(0, 8)}`);
    const page = await Page.greeted(id, { key });
    page.say(frame);
    expect((await page.closed).code).toBe(4400);
    expect(await stored(route, key)).toEqual([]);
  });

  it("closes a socket that sends it before `hello`, and one whose key was revoked", async () => {
    const { key, id, route } = await rated("revoked");
    const early = await Page.open(id, { key });
    early.say(give(1, 1));
    expect((await early.closed).code).toBe(4400);
    const { id: keyId, key: second } = await (
      await call("POST", "/api/v1/keys", { json: { user_id: "revoked" } })
    ).json<{ id: string; key: string }>();
    const page = await Page.greeted(id, { key: second });
    await call("DELETE", `/api/v1/keys/${keyId}`);
    page.say(give(1, 1));
    expect((await page.closed).code).toBe(4401);
    expect(await stored(route, key)).toEqual([]);
  });
});
