// Losing the network, the page or the gateway: no question is lost.

import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { complaints, connected, disconnected, openBrowser, openConversation, ownPages } from "./chromium";
import { Gateway } from "./gateway";

interface RequestAnswer {
  request_id: string;
  state: string;
  success?: boolean;
  result?: unknown;
}

let gateway: Gateway;
let browser: Browser;
let context: BrowserContext;
let heard: string[];

beforeAll(async () => {
  [gateway, browser] = await Promise.all([Gateway.start(), openBrowser()]);
});
afterAll(async () => {
  await Promise.all([browser?.close(), gateway?.stop()]);
});
beforeEach(async () => {
  context = await browser.newContext();
  heard = complaints(context);
});
afterEach(async () => {
  await context.close();
  expect(heard).toEqual([]);
});

const openPage = (conversation: string) => openConversation(context, gateway.url, gateway.key, conversation);

/** A back end asks the user for a confirmation and reads the answer later. */
async function ask(conversation: string, question: string): Promise<string> {
  const { body } = await gateway.call<RequestAnswer>("POST", `/conversations/${conversation}/requests`, {
    action: "confirm",
    payload: { question },
    timeout_ms: 80_000,
    wait_ms: 0,
  });
  expect(body.state).toBe("pending");
  return body.request_id;
}

const answerTo = async (conversation: string, id: string, wait_ms = 30_000) =>
  (await gateway.call<RequestAnswer>("GET", `/conversations/${conversation}/requests/${id}?wait_ms=${wait_ms}`)).body;

const card = (page: Page, question: string) => page.locator(".question", { hasText: question });
const allow = (page: Page, question: string) => card(page, question).getByRole("button", { name: "Allow" }).click();
const lost = disconnected;
const attempt = (page: Page, question: string, count: number) =>
  card(page, question).getByText(`asked ${count} times`).waitFor({ timeout: 45_000 });

/** A tool requests a drawing from the page. The model continues after the answer. */
async function draw(conversation: string): Promise<{ results: { content: { text: string }[] }[] }> {
  const code = "flowchart TD\n    a --> b";
  const load = { id: "load", name: "load_skill", arguments: { skill_name: "mermaid-diagram" } };
  const tool = { id: "draw", name: "render_mermaid", arguments: { code, title: "A flow" } };
  await gateway.call("POST", `/conversations/${conversation}/tool-calls`, { calls: [load] });
  for (;;) {
    // The same request sent again finds the question of its tool, and the answer.
    const answered = await gateway
      .call<{ results: { content: { text: string }[] }[] }>("POST", `/conversations/${conversation}/tool-calls`, {
        calls: [tool],
      })
      .catch(() => null);
    if (answered?.status === 200) return answered.body;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

/** Delays the renderer's module until the test releases it, so that the page is still rendering. */
async function holdRenderer(page: Page): Promise<{ held: Promise<void>; release: () => void }> {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const held = new Promise<void>((resolve) => {
    page.route("**/drawing/renderer", async (route) => {
      resolve();
      await released;
      await route.continue();
    });
  });
  return { held, release };
}

it("the network is cut while the page works for a skill, and restored: the story goes on", async () => {
  const page = await openPage("cut");
  const { held, release } = await holdRenderer(page);
  const called = draw("cut");
  await held;
  await context.setOffline(true);
  await lost(page);
  await context.setOffline(false);
  await connected(page);
  release();
  expect((await called).results[0]?.content[0]?.text).toContain('"rendered":true');
  expect(await page.locator("figure.drawing").count()).toBe(1);
  const { body } = await gateway.call<{ items: RequestAnswer[] }>("GET", "/conversations/cut/requests");
  expect(body.items).toMatchObject([{ state: "resolved", attempt: 2 }]);
});

it("an answer given offline is sent when the network is back", async () => {
  const page = await openPage("offline");
  const id = await ask("offline", "Send the mail?");
  await card(page, "Send the mail?").waitFor();
  await context.setOffline(true);
  await lost(page);
  await allow(page, "Send the mail?");
  expect(await answerTo("offline", id, 0)).toMatchObject({ state: "pending" });
  await context.setOffline(false);
  expect(await answerTo("offline", id)).toMatchObject({ state: "resolved", result: { confirmed: true } });
});

it("what ended while the page was away leaves it when it is back", async () => {
  const page = await openPage("away");
  const id = await ask("away", "Still there?");
  await card(page, "Still there?").waitFor();
  await context.setOffline(true);
  await lost(page);
  expect((await gateway.call("DELETE", `/conversations/away/requests/${id}`)).status).toBe(204);
  expect(await card(page, "Still there?").count()).toBe(1);
  await context.setOffline(false);
  await card(page, "Still there?").waitFor({ state: "detached" });
});

it("two tabs: both ask, one wins, and the other's question goes", async () => {
  // One after the other: two tabs that sign in at the same moment replace each other's session.
  const left = await openPage("tabs");
  const right = await openPage("tabs");
  for (let round = 0; round < 5; round++) {
    const question = `Round ${round}?`;
    const id = await ask("tabs", question);
    await Promise.all([left, right].map((page) => card(page, question).waitFor()));
    await Promise.all(
      [left, right].map((page, side) =>
        card(page, question)
          .getByRole("button", { name: side === 0 ? "Allow" : "Refuse" })
          // The other page may have answered first, which removes the question.
          .evaluateAll(([button]) => button instanceof HTMLElement && button.click()),
      ),
    );
    const answer = await answerTo("tabs", id);
    expect(answer).toMatchObject({ state: "resolved", result: { confirmed: expect.any(Boolean) } });
    await Promise.all([left, right].map((page) => card(page, question).waitFor({ state: "detached" })));
    expect(await answerTo("tabs", id)).toEqual(answer);
  }
});

it("two tabs answer at the same moment: exactly one answer is accepted", async () => {
  await context.close();
  context = await ownPages(browser);
  heard = complaints(context);
  const pages = await Promise.all([context.newPage(), context.newPage()]);
  await gateway.call("PUT", "/conversations/race", {});
  const tickets = await Promise.all(
    pages.map(async () => (await gateway.call("POST", "/conversations/race/tickets", { origin: gateway.url })).body),
  );
  await Promise.all(
    pages.map(async (page, side) => {
      await page.goto(`${gateway.url}/client/skill-gateway.js`);
      // Passed as text, because the test runner would rewrite an import inside a function.
      await page.evaluate("import('/client/skill-gateway.js').then(({ connect }) => { globalThis.connect = connect })");
      await page.evaluate(async (ticket) => {
        const connection = Reflect.get(globalThis, "connect")({ ticket: () => ticket });
        Object.assign(globalThis, { connection });
        await new Promise<void>((resolve) =>
          connection.subscribe(({ status }: { status: string }) => status === "open" && resolve()),
        );
      }, tickets[side]);
    }),
  );
  for (let round = 0; round < 20; round++) {
    const id = await ask("race", "Who?");
    await Promise.all(
      pages.map((page) =>
        page.evaluate(async (id) => {
          const connection = Reflect.get(globalThis, "connection");
          await new Promise<void>((resolve) => {
            const look = () =>
              connection.state.pending.some((request: RequestAnswer) => request.request_id === id) && resolve();
            connection.subscribe(look);
            look();
          });
        }, id),
      ),
    );
    const acks = await Promise.all(
      pages.map((page, side) =>
        page.evaluate(
          ([id, side]) => Reflect.get(globalThis, "connection").answer(id, { success: true, result: side }),
          [id, side] as const,
        ),
      ),
    );
    const winner = acks.findIndex((ack) => ack.success);
    expect(acks.filter((ack) => ack.success)).toHaveLength(1);
    expect(acks[1 - winner]).toEqual({ success: false, error: "already_resolved" });
    expect(await answerTo("race", id)).toMatchObject({ state: "resolved", result: winner });
  }
});

it("the page is closed before it answers: the next one gets the same question", async () => {
  const page = await openPage("closed");
  const id = await ask("closed", "Delete it?");
  await card(page, "Delete it?").waitFor();
  await page.close();
  const again = await openPage("closed");
  await attempt(again, "Delete it?", 2);
  await again.reload();
  await attempt(again, "Delete it?", 3);
  await allow(again, "Delete it?");
  expect(await answerTo("closed", id)).toMatchObject({
    request_id: id,
    state: "resolved",
    result: { confirmed: true },
  });
});

it("kill -9 of the gateway: the page reconnects, and every caller gets its answer", async () => {
  const page = await openPage("kill");
  const { held, release } = await holdRenderer(page);
  const called = draw("kill");
  await held;
  const before = await ask("kill", "Answered before?");
  await allow(page, "Answered before?");
  expect(await answerTo("kill", before)).toMatchObject({ state: "resolved" });
  const questions = ["One?", "Two?", "Three?"];
  const ids = await Promise.all(questions.map((question) => ask("kill", question)));
  await card(page, "Three?").waitFor();
  const waiting = answerTo("kill", ids[0]!).catch(() => "the caller's connection broke");

  await gateway.kill();
  expect(await waiting).toBe("the caller's connection broke");
  await lost(page);
  // The user answers while the gateway is unreachable.
  await allow(page, "One?");
  await gateway.start();

  await connected(page);
  await attempt(page, "Two?", 2);
  await allow(page, "Two?");
  await allow(page, "Three?");
  for (const id of [before, ...ids]) {
    expect(await answerTo("kill", id)).toMatchObject({
      request_id: id,
      state: "resolved",
      result: { confirmed: true },
    });
  }
  release();
  expect((await called).results[0]?.content[0]?.text).toContain('"rendered":true');
  expect(await page.locator("figure.drawing").count()).toBe(1);
  expect(await page.locator(".question").count()).toBe(0);
  const { body } = await gateway.call<{ items: RequestAnswer[] }>("GET", "/conversations/kill/requests");
  expect(body.items.map(({ state }) => state)).toEqual(Array(5).fill("resolved"));
});
