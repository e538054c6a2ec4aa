// Abuse of a conversation's socket. It must not affect other users.

import { listDurableObjectIds } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it } from "vitest";
import { encodeCursor } from "../../../../src/domain/cursor";
import { call } from "../../../support/call";
import { evict, holdClock, pass, releaseClock, ring } from "../../../support/clock";
import { askPage, conversationOf, Page, ticketFor, upgrade } from "../../../support/page";

afterEach(releaseClock);

const hex = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(32)), (b) => b.toString(16).padStart(2, "0")).join("");
const mac = () =>
  btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))))
    .replace(/[+/=]/g, "_")
    .slice(0, 43);
const objects = async () => (await listDurableObjectIds(env.CONVERSATIONS)).length;

describe("forged tickets", () => {
  it("make no object, however many and in whatever form", async () => {
    const id = await conversationOf(null);
    const real = await ticketFor(id);
    const seal = real.split(".").slice(1).join(".");
    const claims = (n: number) => encodeCursor(["admin", `forged-${n}`]);
    const forms: ((n: number) => string)[] = [
      (n) => `${claims(n)}.${hex()}`,
      (n) => `${claims(n)}.${hex()}.${mac()}`,
      // The seal of a ticket for another conversation.
      (n) => `${claims(n)}.${seal}`,
      (n) => `${claims(n)}.${seal.slice(0, -1)}`,
    ];
    const before = await objects();
    const codes = new Set<number>();
    for (let n = 0; n < 200; n++) {
      const page = await Page.open(`forged-${n}`, { ticket: forms[n % forms.length]!(n) });
      codes.add((await page.closed).code);
    }
    expect([...codes]).toEqual([4401]);
    expect(await objects()).toBe(before);
    // The ticket that the forgeries were made from is still valid.
    await Page.greeted(id, { ticket: real });
  });
});

describe("one ticket", () => {
  it("holds one socket, however often it is resumed", async () => {
    const id = await conversationOf(null);
    const chain = [await Page.greeted(id, { ticket: await ticketFor(id) })];
    for (let n = 0; n < 5; n++) {
      const { resume } = chain.at(-1)!.frames[0] as { resume: string };
      chain.push(await Page.greeted(id, { ticket: resume }));
    }
    const last = chain.pop()!;
    await last.pong();
    const ends = await Promise.all(chain.map((page) => page.closed));
    expect(ends.map(({ code }) => code)).toEqual(chain.map(() => 1000));
    expect(last.isClosed).toBe(false);
  });

  it("that was refused leaves the socket alone that it would have followed", async () => {
    const id = await conversationOf(null);
    const page = await Page.greeted(id, {
      ticket: await ticketFor(id, { origin: "http://localhost:3000" }),
      origin: "http://localhost:3000",
    });
    const { resume } = page.frames[0] as { resume: string };
    const other = await Page.open(id, { ticket: resume, origin: "http://localhost:4000" });
    expect((await other.closed).code).toBe(4403);
    await page.pong();
    expect(page.isClosed).toBe(false);
  });
});

it("is full with 64 sockets, and says so", async () => {
  const id = await conversationOf(null);
  const pages: Page[] = [];
  for (let n = 0; n < 64; n++) pages.push(await Page.open(id));
  const refused = await Page.open(id);
  expect(await refused.closed).toEqual({ code: 4429, reason: expect.stringContaining("64") });
  pages[0]?.socket.close(1000);
  await pages[0]?.closed;
  await Page.greeted(id);
  expect((await upgrade(id)).status).toBe(101);
});

describe("what is sent to a page", () => {
  const KiB = 1024;
  const large = { payload: "x".repeat(200 * KiB), timeout_ms: 3_600_000 };
  const cancel = (id: string, request: string) => call("DELETE", `/api/v1/conversations/${id}/requests/${request}`);

  /** Sends and cancels a question of 200 KiB, `times` times. */
  async function chatter(id: string, times: number): Promise<void> {
    for (let n = 0; n < times; n++) await cancel(id, (await askPage(id, large)).request_id);
  }

  it("waits for an answer as 1 MiB at most, which every page that comes is sent at once", async () => {
    const id = await conversationOf(null);
    const asked: string[] = [];
    for (let n = 0; n < 5; n++) asked.push((await askPage(id, large)).request_id);
    const ask = (payload: string) =>
      call("POST", `/api/v1/conversations/${id}/requests`, { json: { ...large, action: "a", payload, wait_ms: 0 } });
    const refused = await ask(large.payload);
    expect(refused.status).toBe(429);
    expect(await refused.json()).toMatchObject({ code: "TOO_MUCH_PENDING", limit: 1024 * KiB });
    // The limit counts bytes, not characters.
    expect((await ask("界".repeat(10 * KiB))).status).toBe(429);
    expect((await ask("small")).status).toBe(202);
    const page = await Page.greeted(id, { marks: false });
    const heard = [];
    for (let n = 0; n < 6; n++) heard.push((await page.next("skill:request")).request_id);
    expect(heard.slice(0, 5)).toEqual(asked);
    await cancel(id, asked[0]!);
    expect((await ask(large.payload)).status).toBe(202);
  });

  it("is not more than 2 MiB that it never said it has read; then it must come again, and nothing is lost", async () => {
    const id = await conversationOf(null);
    const silent = await Page.greeted(id, { marks: false });
    const reader = await Page.greeted(id);
    await chatter(id, 5);
    await evict(id);
    await chatter(id, 4);
    await silent.pong();
    const { request_id } = await askPage(id);
    await chatter(id, 2);
    expect(await silent.closed).toEqual({
      code: 4408,
      reason: "The client does not read fast enough. Connect again and read every frame.",
    });
    expect(silent.count("skill:request")).toBeLessThanOrEqual(11);
    await reader.pong();
    expect(reader.isClosed).toBe(false);
    const { resume } = silent.frames[0] as { resume: string };
    const back = await Page.greeted(id, { ticket: resume, marks: false });
    expect(await back.next("skill:request")).toMatchObject({ request_id });
  });

  it("says that it was read by a mark that only its reader knows", async () => {
    const id = await conversationOf(null);
    const other = await Page.greeted(id);
    const guessing = await Page.greeted(id, { marks: false });
    await chatter(id, 4);
    const { mark } = await other.next("mark");
    for (let n = 0; n < 7; n++) {
      guessing.say({ type: "mark", mark });
      guessing.say({ type: "mark", mark: crypto.randomUUID() });
      await chatter(id, 1);
    }
    expect((await guessing.closed).code).toBe(4408);
    await chatter(id, 10);
    await other.pong();
    expect(other.isClosed).toBe(false);
  });

  it("is closed after a minute without a response, and a responding one is not", async () => {
    holdClock();
    const id = await conversationOf(null);
    const deaf = await Page.greeted(id, { marks: false });
    const alive = await Page.greeted(id, { marks: false });
    const reader = await Page.greeted(id);
    await askPage(id, large);
    await askPage(id, large);
    await alive.next("mark");
    await reader.next("mark");
    await alive.pong();
    await reader.pong();
    pass(59_999);
    await ring(id);
    await deaf.next("mark");
    expect(deaf.isClosed).toBe(false);
    pass(1);
    expect(await ring(id)).toBe(true);
    expect((await deaf.closed).code).toBe(4408);
    expect([alive.isClosed, reader.isClosed]).toEqual([false, false]);
    // No alarm checks the other pages again because of it.
    pass(120_000);
    await ring(id);
    await Promise.all([alive.pong(), reader.pong()]);
  });
});
