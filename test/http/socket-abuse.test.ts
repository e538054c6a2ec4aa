// What somebody who means ill does at a conversation's socket, and what it costs the others: nothing.

import { listDurableObjectIds } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { encodeCursor } from "../../src/domain/cursor";
import { conversationOf, Page, ticketFor, upgrade } from "../fixtures/page";

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
      // What the gateway said of another conversation.
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
    // What they were made of still opens its own door.
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
