import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it } from "vitest";
import { call, keyFor } from "../support/call";
import { holdClock, objectOf, pass, releaseClock, ring } from "../support/clock";
import { askPage, conversationOf, Page, requestState, ticketFor, upgrade } from "../support/page";
import { SKILL, zipOf } from "../support/zip";

afterEach(releaseClock);

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const PAGE = "http://localhost:3000";
const OTHER = "http://localhost:4000";

/** How a socket that may not come in is sent away. */
async function sentAway(conversation: string, options: Parameters<typeof Page.open>[1]): Promise<number> {
  return (await (await Page.open(conversation, options)).closed).code;
}

/** Makes a key for a user and a way to revoke it. */
async function revocable(user_id: string, more: Record<string, unknown> = {}) {
  const made = await call("POST", "/api/v1/keys", { json: { user_id, ...more } });
  const { id, key } = await made.json<{ id: string; key: string }>();
  return { key, revoke: () => call("DELETE", `/api/v1/keys/${id}`) };
}

describe("a socket", () => {
  it("is welcomed, hears what is asked, and its answer is the caller's", async () => {
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

  it("has one winner among several pages; the others are told to stop", async () => {
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

  it("hears of every change of what is active, and of nothing else", async () => {
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
    // Loading again is an event of the conversation, but nothing that a page would show changes.
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
    // However slow the machine is, no allowance grows meanwhile.
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

describe("who may connect", () => {
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

  it("is told to upgrade when it does not", async () => {
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
    // A forged ticket learns nothing about which conversations there are.
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

  it("is not for keeping: no Idempotency-Key, no bad origin, nobody else's conversation", async () => {
    const id = await conversationOf(null);
    const path = `/api/v1/conversations/${id}/tickets`;
    expect((await call("POST", path, { json: {}, headers: { "idempotency-key": "k" } })).status).toBe(400);
    for (const origin of ["chat.example", "https://chat.example/", "ftp://chat.example", "null", "https://a b"]) {
      expect((await call("POST", path, { json: { origin } })).status).toBe(400);
    }
    expect((await call("POST", path, { key: await keyFor("mallory"), json: {} })).status).toBe(404);
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

describe("the key behind a socket", () => {
  it("is checked on every answer", async () => {
    const { key, revoke } = await revocable("karl");
    const id = await conversationOf("karl");
    const ask = () =>
      call("POST", `/api/v1/conversations/${id}/requests`, {
        as: "karl",
        json: { action: "a", payload: 1, wait_ms: 0 },
      });
    const { request_id } = await (await ask()).json<{ request_id: string }>();
    const page = await Page.greeted(id, { key });
    const neighbour = await Page.greeted(id, { as: "karl" });
    await revoke();
    page.answer(request_id, { success: true });
    expect((await page.closed).code).toBe(4401);
    const state = await call("GET", `/api/v1/conversations/${id}/requests/${request_id}`, { as: "karl" });
    expect(await state.json()).toMatchObject({ state: "pending" });
    neighbour.answer(request_id, { success: true });
    expect(await neighbour.next("ack")).toMatchObject({ success: true });
  });

  it("is checked every ten minutes, and its resume ticket with it", async () => {
    holdClock();
    const { key, revoke } = await revocable("kim");
    const lent = await revocable("service", { scopes: ["act_as"] });
    const id = await conversationOf("kim");
    const own = await Page.greeted(id, { key });
    const forKim = await Page.greeted(id, { key: lent.key, as: "kim" });
    const kept = await Page.greeted(id, { as: "kim" });
    await revoke();
    pass(10 * MINUTE - 1);
    await ring(id, "kim");
    await own.pong();
    expect(own.isClosed).toBe(false);
    pass(1);
    expect(await ring(id, "kim")).toBe(true);
    expect((await own.closed).code).toBe(4401);
    const { resume } = own.frames[0] as { resume: string };
    expect(await sentAway(id, { ticket: resume })).toBe(4401);
    await lent.revoke();
    pass(10 * MINUTE);
    expect(await ring(id, "kim")).toBe(true);
    expect((await forKim.closed).code).toBe(4401);
    await kept.pong();
    expect(kept.isClosed).toBe(false);
  });

  it("may expire, too", async () => {
    holdClock();
    const { key } = await revocable("kurt", { expires_at: new Date(Date.now() + 5 * MINUTE).toISOString() });
    const id = await conversationOf("kurt");
    const page = await Page.greeted(id, { key });
    pass(10 * MINUTE);
    await ring(id, "kurt");
    expect((await page.closed).code).toBe(4401);
  });

  it("is given the benefit of the doubt while storage is away, but no answer is taken", async () => {
    holdClock();
    const { key } = await revocable("kaya");
    const id = await conversationOf("kaya");
    const made = await call("POST", `/api/v1/conversations/${id}/requests`, {
      key,
      json: { action: "a", payload: 1, wait_ms: 0, timeout_ms: 24 * HOUR },
    });
    const { request_id } = await made.json<{ request_id: string }>();
    const page = await Page.greeted(id, { key });
    await env.DB.exec("ALTER TABLE keys RENAME TO keys_away");
    try {
      page.answer(request_id, { success: true });
      expect(await page.next("error")).toMatchObject({ code: "UNAVAILABLE", request_id });
      pass(10 * MINUTE);
      expect(await ring(id, "kaya")).toBe(true);
      await page.pong();
      expect(page.isClosed).toBe(false);
    } finally {
      await env.DB.exec("ALTER TABLE keys_away RENAME TO keys");
    }
    page.answer(request_id, { success: true, result: 2 });
    expect(await page.next("ack")).toMatchObject({ success: true });
    pass(MINUTE);
    expect(await ring(id, "kaya")).toBe(true);
    expect(objectOf(id, "kaya")).toBeDefined();
  });
});
