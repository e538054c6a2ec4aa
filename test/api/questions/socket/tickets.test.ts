// Access to the socket, and the rights of a ticket.

import { afterEach, describe, expect, it } from "vitest";
import { call, keyFor } from "../../../support/call";
import { holdClock, pass, releaseClock } from "../../../support/clock";
import { askPage, conversationOf, Page, requestState, ticketFor, upgrade } from "../../../support/page";
import { HOUR, MINUTE, revocable, sentAway } from "./admission";

afterEach(releaseClock);

const PAGE = "http://localhost:3000";
const OTHER = "http://localhost:4000";

describe("clients that can connect", () => {
  it("is the conversation's user, from an allowed origin or from none", async () => {
    const id = await conversationOf(null);
    const mallory = await keyFor("mallory");
    expect(await sentAway(id, { key: null })).toBe(4401);
    expect(await sentAway(id, { key: "sgw_0000000000_0000" })).toBe(4401);
    expect(await sentAway(id, { key: mallory })).toBe(4404);
    expect(await sentAway("nothing-of-the-kind", {})).toBe(4404);
    expect(await sentAway(id, { key: mallory, as: "admin" })).toBe(4403);
    expect(await sentAway(id, { origin: "https://evil.example" })).toBe(4403);
    expect(await sentAway(id, { origin: "null" })).toBe(4403);
    await Page.greeted(id, { origin: PAGE });
    await Page.greeted(id);
  });

  it("offers the sub-protocol", async () => {
    const id = await conversationOf(null);
    expect(await sentAway(id, { protocols: "skill-gateway.v2" })).toBe(4400);
    expect(await sentAway(id, { protocols: null })).toBe(4400);
    const bad = await upgrade("not%20an%20id");
    expect(bad.status).toBe(400);
  });

  it("receives 426 without an upgrade", async () => {
    const id = await conversationOf(null);
    const answer = await call("GET", `/api/v1/conversations/${id}/socket`);
    expect(answer.status).toBe(426);
    expect(answer.headers.get("upgrade")).toBe("websocket");
    expect((await call("GET", "/api/v1/conversations/nothing/socket")).status).toBe(404);
  });

  it("never comes in elsewhere with a ticket", async () => {
    const id = await conversationOf(null);
    const ticket = await ticketFor(id);
    const headers = { upgrade: "websocket", "sec-websocket-protocol": `skill-gateway.v1, ticket.${ticket}` };
    for (const path of ["", "/requests", "/events", "/prompt"]) {
      expect((await call("GET", `/api/v1/conversations/${id}${path}`, { key: null, headers })).status).toBe(401);
    }
  });
});

describe("a ticket", () => {
  it("lets one page in, once, and its answers are the named user's", async () => {
    const id = await conversationOf(null);
    const made = await call("POST", `/api/v1/conversations/${id}/tickets`, { json: { origin: PAGE, user_id: "zoe" } });
    expect(made.status).toBe(201);
    const { ticket, url, expires_at } = await made.json<{ ticket: string; url: string; expires_at: string }>();
    expect(url).toBe(`wss://gateway.test/api/v1/conversations/${id}/socket`);
    expect(Date.parse(expires_at) - Date.now()).toBeGreaterThan(50_000);
    const page = await Page.greeted(id, { ticket, origin: PAGE });
    const { request_id } = await askPage(id);
    await page.next("skill:request");
    page.answer(request_id, { success: true });
    await page.next("ack");
    expect(await requestState(id, request_id)).toMatchObject({ answered_by: "zoe" });
    expect(await sentAway(id, { ticket, origin: PAGE })).toBe(4401);
    await page.pong();
  });

  it("lets one of many in that show it at the same time", async () => {
    const id = await conversationOf(null);
    const ticket = await ticketFor(id);
    const pages = await Promise.all([1, 2, 3, 4].map(() => Page.open(id, { ticket })));
    for (const page of pages) page.say({ type: "hello" });
    const ends = await Promise.all(
      pages.map((page) =>
        page.next("welcome").then(
          () => "in",
          async () => (await page.closed).code,
        ),
      ),
    );
    expect(ends.sort()).toEqual([4401, 4401, 4401, "in"]);
  });

  it("is refused late, for another conversation, from another origin, and when it is made up", async () => {
    holdClock();
    const id = await conversationOf(null);
    const other = await conversationOf(null);
    expect(await sentAway(other, { ticket: await ticketFor(id) })).toBe(4401);
    const pinned = await ticketFor(id, { origin: PAGE });
    expect(await sentAway(id, { ticket: pinned, origin: OTHER })).toBe(4403);
    expect(await sentAway(id, { ticket: pinned, origin: PAGE })).toBe(4401);
    expect(await sentAway(id, { ticket: await ticketFor(id, { origin: PAGE }) })).toBe(4403);
    expect(await sentAway(id, { ticket: await ticketFor(id), origin: "https://evil.example" })).toBe(4403);
    await Page.greeted(id, { ticket: await ticketFor(id), origin: OTHER });
    await Page.greeted(id, {
      ticket: await ticketFor(id, { origin: "https://chat.example" }),
      origin: "https://chat.example",
    });
    const late = await ticketFor(id);
    pass(MINUTE - 1);
    const almost = await ticketFor(id);
    pass(1);
    expect(await sentAway(id, { ticket: late })).toBe(4401);
    await Page.greeted(id, { ticket: almost });
    for (const ticket of ["", "x", `${late.split(".")[0]}.${"0".repeat(64)}`]) {
      expect(await sentAway(id, { ticket })).toBe(4401);
    }
    // A forged ticket does not reveal which conversations exist.
    const nobody = btoa(JSON.stringify(["nobody", "nothing"])).replaceAll("=", "");
    expect(await sentAway("nothing", { ticket: `${nobody}.${"0".repeat(64)}` })).toBe(4401);
  });

  it("dies with the key behind it", async () => {
    const { key, revoke } = await revocable("kate");
    const id = await conversationOf("kate");
    const made = await call("POST", `/api/v1/conversations/${id}/tickets`, { key });
    const { ticket } = await made.json<{ ticket: string }>();
    await revoke();
    expect(await sentAway(id, { ticket })).toBe(4401);
  });

  it("is not for keeping: no Idempotency-Key, no bad origin", async () => {
    const id = await conversationOf(null);
    const path = `/api/v1/conversations/${id}/tickets`;
    expect((await call("POST", path, { json: {}, headers: { "idempotency-key": "k" } })).status).toBe(400);
    for (const origin of ["chat.example", "https://chat.example/", "ftp://chat.example", "null", "https://a b"]) {
      expect((await call("POST", path, { json: { origin } })).status).toBe(400);
    }
  });

  it("to resume comes with every welcome: from the same origin, once, for twelve hours", async () => {
    holdClock();
    const id = await conversationOf(null);
    const resume = async (page: Page, origin?: string) => {
      const { resume: ticket } = page.frames[0] as { resume: string };
      return { ticket, ...(origin === undefined ? {} : { origin }) };
    };
    const first = await Page.greeted(id, { ticket: await ticketFor(id, { user_id: "zoe" }), origin: PAGE });
    const again = await resume(first, PAGE);
    const second = await Page.greeted(id, again);
    expect(await sentAway(id, again)).toBe(4401);
    const next = await resume(second, PAGE);
    expect(next.ticket).not.toBe(again.ticket);
    expect(await sentAway(id, { ...next, origin: OTHER })).toBe(4403);
    const third = await Page.greeted(id, { ticket: await ticketFor(id), origin: PAGE });
    expect(await sentAway(id, { ticket: (await resume(third)).ticket })).toBe(4403);
    // A socket without an origin resumes without one.
    const bare = await Page.greeted(id);
    await Page.greeted(id, await resume(bare));
    const fourth = await Page.greeted(id, { ticket: await ticketFor(id, { user_id: "zoe" }), origin: PAGE });
    pass(12 * HOUR - 1);
    const fifth = await Page.greeted(id, await resume(fourth, PAGE));
    const { request_id } = await askPage(id);
    fifth.answer(request_id, { success: true });
    await fifth.next("ack");
    expect(await requestState(id, request_id)).toMatchObject({ answered_by: "zoe" });
    pass(12 * HOUR);
    expect(await sentAway(id, await resume(fifth, PAGE))).toBe(4401);
  });
});
