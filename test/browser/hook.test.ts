import path from "node:path";
import { build } from "esbuild";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { complaints, openBrowser, ownPages } from "./chromium";
import { Gateway } from "./gateway";

let gateway: Gateway;
let browser: Browser;
let context: BrowserContext;
let heard: string[];
let page: Page;
const tickets: string[] = [];

beforeAll(async () => {
  const [bundle] = await Promise.all([
    build({
      entryPoints: [path.join(import.meta.dirname, "hook-page.ts")],
      bundle: true,
      write: false,
      define: { "process.env.NODE_ENV": '"development"' },
    }),
    (async () => {
      gateway = Gateway.shared();
      browser = await openBrowser();
    })(),
  ]);
  context = await ownPages(browser);
  heard = complaints(context);
  page = await context.newPage();
  await page.exposeFunction("ticket", async (conversation: string) => {
    tickets.push(conversation);
    return (await gateway.call("POST", `/conversations/${conversation}/tickets`, { origin: gateway.url })).body;
  });
  await page.goto(`${gateway.url}/client/skill-gateway.js`);
  await page.addScriptTag({ content: bundle.outputFiles[0]!.text });
});
afterAll(async () => {
  await browser?.close();
});

const press = (name: string) => page.getByRole("button", { name, exact: true }).click();
const shows = (conversation: string | null, status: string) =>
  page.locator("output", { hasText: `"conversation":${JSON.stringify(conversation)},"status":"${status}"` }).waitFor();
const ask = (conversation: string, action: string, payload: unknown) =>
  gateway.call("POST", `/conversations/${conversation}/requests`, { action, payload, require_client: true });

it("useSkillGateway keeps a component connected to the conversation of the moment, with the handlers of the moment", async () => {
  await shows(null, "idle");
  await press("go to one");
  await shows("one", "open");

  // A handler reads the latest state of the component.
  expect((await ask("one", "multiply", { n: 21 })).body).toMatchObject({ success: true, result: 42 });
  await press("times 2");
  expect((await ask("one", "multiply", { n: 21 })).body).toMatchObject({ success: true, result: 63 });

  // A question without a handler is shown, and the user answers it.
  const picked = ask("one", "pick", "a file");
  await press("pick a file");
  expect((await picked).body).toMatchObject({ success: true, result: "picked" });
  await page.getByRole("button", { name: "pick a file" }).waitFor({ state: "detached" });

  // The list of active skills follows the conversation.
  await gateway.call("POST", "/conversations/one/turns", { selected_skills: ["markdown-style"] });
  await page.locator("output", { hasText: '"turn":1,"active":["markdown-style"]' }).waitFor();

  // Thumbs rate a turn. They show feedback that was given elsewhere, and pressing again withdraws it.
  const thumb = (name: string, isPressed: boolean) =>
    page.getByRole("group", { name: "Feedback" }).getByRole("button", { name, pressed: isPressed });
  const scores = async () => (await gateway.call("GET", "/conversations/one/feedback")).body;
  await thumb("Good answer", false).click();
  await thumb("Good answer", true).waitFor();
  expect(await scores()).toMatchObject({ items: [{ turn: 1, score: 1 }] });
  await gateway.call("POST", "/conversations/one/feedback", { turn: 1, score: -1 });
  await thumb("Bad answer", true).click();
  await thumb("Bad answer", false).waitFor();
  expect(await scores()).toMatchObject({ items: [{ turn: 1, score: 0 }] });

  // Another conversation opens a new connection and closes the old one.
  await press("go to two");
  await shows("two", "open");
  expect((await ask("two", "multiply", { n: 2 })).body).toMatchObject({ result: 6 });
  expect(await ask("one", "multiply", { n: 2 })).toMatchObject({ status: 409, body: { code: "NO_CLIENT" } });

  await gateway.call("DELETE", "/conversations/two");
  await page.locator("output", { hasText: '"closed":{"code":4404' }).waitFor();

  await press("go to null");
  await shows(null, "idle");
  await press("go to one");
  await shows("one", "open");
  await thumb("Good answer", false).waitFor();
  await page.evaluate("unmount()");
  await expect.poll(async () => (await ask("one", "multiply", { n: 2 })).status).toBe(409);
  // Strict mode mounts each component twice. No connection stays open.
  expect(new Set(tickets)).toEqual(new Set(["one", "two"]));
  expect(heard).toEqual([]);
});
