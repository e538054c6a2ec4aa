// The demo's chat: what one sees of it at any size, several skills at once, words as they come, and what a reload brings back.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { complaints, connected, openBrowser, openDemo } from "./chromium";
import { Gateway } from "./gateway";

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

const openPage = (conversation: string) => openDemo(context, gateway.url, gateway.key, conversation);
const suggestion = (page: Page, text: string) => page.getByRole("button", { name: text, exact: true });
const answered = (page: Page, count = 1) =>
  page
    .locator("#log .assistant")
    .nth(count - 1)
    .waitFor();
const log = (page: Page) => page.locator("#log > li").evaluateAll((items) => items.map((item) => item.outerHTML));
const ready = (page: Page) => page.locator("#composer button:enabled").waitFor();

async function send(page: Page, text: string): Promise<void> {
  await ready(page);
  await page.getByLabel("Message", { exact: true }).fill(text);
  await page.getByRole("button", { name: "Send" }).click();
}

it.each([
  [1280, 800],
  [375, 667],
])("composer, suggestions and active skills are in view, %i x %i", async (width, height) => {
  const page = await openPage(`view-${width}`);
  await page.setViewportSize({ width, height });
  await suggestion(page, "Draw how a login works").click();
  await answered(page);
  const shown = {
    composer: page.getByLabel("Message", { exact: true }),
    send: page.getByRole("button", { name: "Send" }),
    suggestions: suggestion(page, "Draw how a login works"),
    skills: page.locator("#skills li", { hasText: "mermaid-diagram" }),
    "last word": page.locator("#log .assistant"),
  };
  for (const [name, locator] of Object.entries(shown)) {
    const box = await locator.boundingBox();
    const inside = box !== null && box.y >= 0 && box.y + box.height <= height && box.height > 15;
    expect([name, inside, box]).toEqual([name, true, box]);
  }
  expect(await page.evaluate(() => [document.documentElement.scrollWidth <= innerWidth, scrollY])).toEqual([true, 0]);
});

it("a message may want two skills: both are loaded at once, and both do their part", async () => {
  const page = await openPage("several");
  await send(page, "Show the boats as a table, and draw the shares");
  await answered(page);
  const said = await page.locator("#log .step").allInnerTexts();
  expect(said.slice(0, 2).map((text) => text.split(" ", 1)[0])).toEqual(["load_skill", "load_skill"]);
  // One of them needs a third one, which comes along.
  const active = await page.locator("#skills li").allInnerTexts();
  expect(active.map((text) => text.split("\n")[0]).sort()).toEqual(["json-table", "markdown-style", "mermaid-diagram"]);
  expect(await page.locator("#log figure").count()).toBe(1);
  expect(await page.locator("#log .assistant").innerText()).toMatch(/\| Heron \|[\s\S]*a pie diagram/);
});

it("the prompt is shown before and after, in tokens, and as the model reads it", async () => {
  const page = await openPage("sizes");
  const tokens = async (id: string) => Number((await page.locator(`#${id}`).innerText()).replace(/\D/g, ""));
  expect(await page.locator("#sizes").isVisible()).toBe(false);
  await suggestion(page, "Draw how a login works").click();
  await answered(page);
  expect(await tokens("skills-before")).toBeLessThan(5);
  expect(await tokens("skills-now")).toBeGreaterThan(500);
  expect(await tokens("front-now")).toBe(await tokens("front-before"));
  expect(await tokens("chat-now")).toBeGreaterThan(await tokens("chat-before"));
  await page
    .locator("#saved", { hasText: /^Skills have cost [\d,]+ tokens up to now, and [\d,]+ with all of them pasted/ })
    .waitFor();
  await page.getByText("What the model reads").click();
  const read = await page.locator("#read").innerText();
  for (const part of ["[system]", "## Available Skills", "[user]", "→ load_skill", "## Skill: mermaid-diagram"])
    expect(read).toContain(part);
});

it("an answer appears word by word, of the script and of an endpoint that streams", async () => {
  const page = await openPage("words");
  await page.evaluate(() => {
    const lengths: number[] = [];
    Object.assign(globalThis, { lengths });
    new MutationObserver(() => {
      const spoken = document.querySelector("#spoken")?.textContent?.length ?? 0;
      if (spoken > 0) lengths.push(spoken);
    }).observe(document.querySelector("#log") ?? document.body, {
      childList: true,
      subtree: true,
      characterData: true,
    });
  });
  const lengths = () => page.evaluate(() => (Reflect.get(globalThis, "lengths") as number[]).splice(0));
  await suggestion(page, "Hello").click();
  await answered(page);
  const seen = await lengths();
  expect(seen.length).toBeGreaterThan(5);
  expect(seen).toEqual([...seen].sort((left, right) => left - right));
  expect(await page.locator("#spoken").count()).toBe(0);

  const pieces = [
    { tool_calls: [{ index: 0, id: "c1", type: "function", function: { name: "load_", arguments: "" } }] },
    { tool_calls: [{ index: 0, function: { name: "skill", arguments: '{"skill_na' } }] },
    { tool_calls: [{ index: 0, function: { arguments: 'me":"markdown-style"}' } }] },
  ];
  let asked = 0;
  const server = createServer(async (request, response) => {
    response.setHeader("access-control-allow-origin", "*");
    response.setHeader("access-control-allow-headers", "authorization,content-type");
    if (request.method === "OPTIONS") return response.end();
    for await (const _ of request);
    response.setHeader("content-type", "text/event-stream; charset=utf-8");
    const deltas = asked++ === 0 ? pieces : [{ content: "Lo" }, { content: "aded: über" }, { content: "all." }];
    const events = deltas.map((delta) => `data: ${JSON.stringify({ choices: [{ delta }] })}\n\n`).join("");
    const bytes = Buffer.from(`: hello\n\n${events}data: [DONE]\n\n`);
    // Cut wherever: also within a letter of two bytes.
    for (let at = 0; at < bytes.length; at += 7) response.write(bytes.subarray(at, at + 7));
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    await page
      .getByLabel("OpenAI-compatible URL")
      .fill(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`);
    await send(page, "Load it");
    await answered(page, 2);
    expect(await page.locator("#log .assistant").last().innerText()).toBe("Loaded: überall.");
    expect(await page.locator("#log .step").first().innerText()).toBe('load_skill {"skill_name":"markdown-style"}');
    expect(await page.locator("#skills").innerText()).toContain("markdown-style");
    // After a reload it is still the endpoint that is asked, and not the script.
    await page.reload();
    await send(page, "Once more");
    await answered(page, 3);
    expect(await page.locator("#log .assistant").last().innerText()).toBe("Loaded: überall.");
    expect(asked).toBe(3);
  } finally {
    server.close();
  }
});

it("a tab that is open over an upgrade begins anew where what it kept is of another shape", async () => {
  const page = await openPage("upgraded");
  await suggestion(page, "Draw how a login works").click();
  await answered(page);
  await ready(page);
  // As another version of the page kept it.
  await page.evaluate(() => {
    const name = Object.keys(sessionStorage).find((key) => key.startsWith("skill-gateway-chat:")) ?? "";
    const { shape, ...kept } = JSON.parse(sessionStorage.getItem(name) ?? "{}");
    if (typeof shape !== "number") throw new Error("nothing says of which shape it is");
    sessionStorage.setItem(name, JSON.stringify({ ...kept, shown: { entries: kept.shown }, chat: {} }));
  });
  await page.reload();
  await connected(page);
  expect(await log(page)).toEqual([]);
  await send(page, "Draw a flow");
  await answered(page);
});

it("a reload keeps the thread, with its figures and what the panel says, and the chat goes on", async () => {
  const page = await openPage("reload");
  await suggestion(page, "Draw how a login works").click();
  await answered(page);
  await page.locator("#saved", { hasText: "less" }).waitFor();
  const panel = () => page.locator("#prompt, #sizes, #saved, #skills").allInnerTexts();
  const before = [await log(page), await panel()];
  expect(before[0]?.length).toBeGreaterThan(7);
  await page.reload();
  await connected(page);
  await page.locator("#saved", { hasText: "less" }).waitFor();
  await page.locator("#skills li", { hasText: "mermaid-diagram" }).waitFor();
  expect([await log(page), await panel()]).toEqual(before);
  await send(page, "Draw a flow");
  await answered(page, 2);
  // The model still has all of it: nothing is loaded again, and the provider has read all of it before.
  expect(
    (await page.locator("#log .step").allInnerTexts()).filter((text) => text.startsWith("load_skill")),
  ).toHaveLength(1);
  expect(await page.locator("#prompt").innerText()).toMatch(/^Request 7 begins with all /);
  // Another tab has its own; and to forget leaves nothing.
  await page.getByRole("button", { name: "Forget key and conversation" }).click();
  await page.getByLabel("Key", { exact: true }).waitFor();
  expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
});

it("a reload in the middle of a turn goes on where it was: nothing is lost, and nothing runs twice", async () => {
  const page = await openPage("middle");
  let held = () => {};
  const holding = new Promise<void>((resolve) => {
    held = resolve;
  });
  // The page is asked to draw, and is reloaded while it does.
  await page.route("**/demo/renderer", () => held());
  await suggestion(page, "Draw how a login works").click();
  await holding;
  await page.unroute("**/demo/renderer");
  await page.reload();
  await answered(page);
  expect(await page.locator("#log .user").allInnerTexts()).toEqual(["Draw how a login works"]);
  expect(await page.locator("#log figure").count()).toBe(1);
  const steps = (await page.locator("#log .step").allInnerTexts()).map((text) => text.split(" ", 1)[0]);
  expect(steps).toEqual(["load_skill", "↳", "read_skill", "↳", "call_skill_tool", "↳"]);
  const { body } = await gateway.call<{ turn: number }>("GET", "/conversations/middle");
  expect(body.turn).toBe(1);
});

it("a reload before the turn has begun sends the message once", async () => {
  const page = await openPage("begun");
  let held = () => {};
  const holding = new Promise<void>((resolve) => {
    held = resolve;
  });
  await page.route("**/turns", () => held());
  await suggestion(page, "Hello").click();
  await holding;
  await page.unroute("**/turns");
  await page.reload();
  await answered(page);
  expect(await page.locator("#log .user").allInnerTexts()).toEqual(["Hello"]);
  const { body } = await gateway.call<{ turn: number }>("GET", "/conversations/begun");
  expect(body.turn).toBe(1);
});
