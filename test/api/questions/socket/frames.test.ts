// Invalid and missing frames of a page.

import { afterEach, describe, expect, it } from "vitest";
import { holdClock, pass, releaseClock, ring } from "../../../support/clock";
import { askPage, conversationOf, Page, requestState } from "../../../support/page";
import { HOUR } from "./admission";

afterEach(releaseClock);

describe("a bad frame", () => {
  const BIG = "x".repeat(261 * 1024);
  const cases: [string, (page: Page, ids: { mine: string; other: string }) => void, number | string][] = [
    ["not JSON", (page) => page.say("{"), 4400],
    ["JSON of another type", (page) => page.say("[]"), 4400],
    ["a type that no page sends", (page) => page.say({ type: "welcome" }), 4400],
    ["a response without a verdict", (page, { mine }) => page.say({ type: "skill:response", request_id: mine }), 4400],
    ["binary", (page) => page.socket.send(new Uint8Array([123, 125])), 4400],
    ["too large", (page) => page.say({ type: "hello", client: BIG }), 4413],
    [
      "an answer past its cap",
      (page, { mine }) => page.answer(mine, { success: true, result: "x".repeat(257 * 1024) }),
      4413,
    ],
    ["a second hello", (page) => page.say({ type: "hello" }), 4400],
    [
      "too many",
      (page) => {
        for (let n = 0; n < 300; n++) page.answer("req_none", { success: true });
      },
      4429,
    ],
    ["an unknown id", (page) => page.answer("req_none", { success: true }), "unknown_request"],
    ["another conversation's id", (page, { other }) => page.answer(other, { success: true }), "unknown_request"],
    [
      "an answer to another action",
      (page, { mine }) => page.say({ type: "skill:response", request_id: mine, action: "x", success: true }),
      "unknown_request",
    ],
    [
      "an answer for another skill",
      (page, { mine }) => page.say({ type: "skill:response", request_id: mine, skill_name: "x", success: true }),
      "unknown_request",
    ],
  ];

  it.each(cases)("%s costs its sender, and the neighbours notice nothing", async (_, send, verdict) => {
    // Stops the clock, so that rate limits do not refill on a slow machine.
    holdClock();
    const id = await conversationOf(null);
    const elsewhere = await conversationOf(null);
    const other = await askPage(elsewhere);
    const { request_id: mine } = await askPage(id);
    const bad = await Page.greeted(id);
    const neighbour = await Page.greeted(id);
    const before = neighbour.frames.length;
    send(bad, { mine, other: other.request_id });
    if (typeof verdict === "number") expect((await bad.closed).code).toBe(verdict);
    else expect(await bad.next("ack")).toMatchObject({ success: false, error: verdict });
    expect((await requestState(id, mine)).state).toBe("pending");
    expect((await requestState(elsewhere, other.request_id)).state).toBe("pending");
    await neighbour.pong();
    expect(neighbour.isClosed).toBe(false);
    expect(neighbour.frames.length).toBe(before + (before === 1 ? 1 : 0));
    neighbour.answer(mine, { success: true, result: "fine" });
    expect(await neighbour.next("ack")).toMatchObject({ success: true });
    if (typeof verdict === "string") {
      await bad.next("skill:cancelled");
      expect(bad.isClosed).toBe(false);
    }
  });

  it("that forges the sequence is refused, and so is everything before hello", async () => {
    const id = await conversationOf(null);
    const { request_id } = await askPage(id);
    const forged = await Page.open(id);
    forged.say({ type: "hello", last_seq: Date.now() + HOUR });
    expect((await forged.closed).code).toBe(4400);
    const eager = await Page.open(id);
    eager.answer(request_id, { success: true });
    expect((await eager.closed).code).toBe(4400);
    expect((await requestState(id, request_id)).state).toBe("pending");
  });

  it("is nothing to a socket that answers all that may be pending in one go", async () => {
    const id = await conversationOf(null);
    const page = await Page.greeted(id);
    for (let n = 0; n < 200; n++) page.answer(`req_${n}`, { success: true });
    for (let n = 0; n < 200; n++) await page.next("ack");
    expect(page.isClosed).toBe(false);
  });
});

describe("a socket that does not say hello", () => {
  it("is closed by the alarm after ten seconds; one that did is not", async () => {
    holdClock();
    const id = await conversationOf(null);
    const silent = await Page.open(id);
    const greeted = await Page.greeted(id);
    pass(9_999);
    await ring(id);
    await silent.pong();
    expect(silent.isClosed).toBe(false);
    const { request_id } = await askPage(id);
    pass(1);
    expect(await ring(id)).toBe(true);
    expect((await silent.closed).code).toBe(4408);
    expect(await greeted.next("skill:request")).toMatchObject({ request_id });
    expect(silent.frames).toEqual([]);
  });
});
