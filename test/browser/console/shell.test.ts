// The frame of the console in Chromium: palette, theme, sidebar, drawer, toasts, and former addresses.

import { expect, it } from "vitest";
import { barriers } from "../axe";
import { keyField } from "../chromium";
import { brightness } from "../colors";
import { go, open, overflows, signIn } from "./page";
import { Desk } from "./setup";

const desk = new Desk("shared");
const finder = { name: "Search or jump to" };

it("finds pages, actions, skills, agents, servers and conversations by the keyboard alone", async () => {
  const key = await desk.keyOf("alice");
  await desk.as(key, "PUT", "/conversations/harbour-talk", { title: "Harbour talk" });
  await desk.as(key, "PUT", "/servers/harbour-server", { url: "http://127.0.0.1:9/mcp" });
  await desk.as(key, "POST", "/kinds/ghosts", { metadata: { name: "harbour agent" }, spec: {} });
  const page = await desk.enter(key, "/limits");
  const items = page.getByRole("menuitem");
  await page.keyboard.press("Control+k");
  await page.getByRole("searchbox", finder).waitFor();
  expect(await items.allInnerTexts()).toEqual(expect.arrayContaining(["Playground", "Skills", "Publish a skill"]));
  expect(await barriers(page)).toEqual([]);
  await page.keyboard.type("harbour");
  for (const found of ["Harbour talk", "harbour-server", "harbour agent"])
    await items.filter({ hasText: found }).first().waitFor();
  expect(await barriers(page)).toEqual([]);
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type("json-table");
  await items.filter({ hasText: "json-table" }).first().waitFor();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type("health");
  await page.locator("[role=menuitem][data-focused]", { hasText: "Health" }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByText("Database (D1)").waitFor();
  expect(new URL(page.url()).pathname).toBe("/console/health");
  // An action that begins with a dialog opens it.
  await page.keyboard.press("Control+k");
  await page.getByRole("searchbox", finder).waitFor();
  await page.keyboard.type("store a secret");
  await page.locator("[role=menuitem][data-focused]", { hasText: "Store a secret" }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("dialog", { name: "Store secret" }).waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+k");
  await page.getByRole("searchbox", finder).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("searchbox", finder).waitFor({ state: "detached" });
});

it("shows only the actions and pages that the user can use", async () => {
  const page = await desk.enter(await desk.keyOf("bob", { scopes: ["skills:read", "conversations"] }), "/limits");
  await page.keyboard.press("Control+k");
  await page.getByRole("menuitem", { name: "Skills" }).waitFor();
  const texts = (await page.getByRole("menuitem").allInnerTexts()).join("\n");
  for (const hidden of ["Publish a skill", "Create an agent", "Create an API key", "Audit log", "Users"])
    expect(texts).not.toContain(hidden);
});

it("stores the theme, and applies it before the first paint", async () => {
  const page = await desk.enter(await desk.keyOf("carol"), "/limits");
  const background = async () => brightness(await page.evaluate(() => getComputedStyle(document.body).backgroundColor));
  expect(await background()).toBeGreaterThan(0.8);
  await page.getByRole("button", { name: /^Account: / }).click();
  await page.getByRole("menuitemradio", { name: "Dark" }).click();
  await expect.poll(() => page.evaluate(() => document.documentElement.dataset.theme)).toBe("dark");
  expect(await barriers(page)).toEqual([]);
  // The script in the head sets the theme before any module of the console runs.
  await page.route("**/console/assets/index-*.js", (route) =>
    route.fulfill({ body: "", contentType: "text/javascript" }),
  );
  await page.reload({ waitUntil: "commit" });
  await expect.poll(() => page.evaluate(() => document.documentElement.dataset.theme)).toBe("dark");
  await expect.poll(background).toBeLessThan(0.1);
  await page.unroute("**/console/assets/index-*.js");
  await page.reload();
  await page.getByRole("button", { name: /^Account: / }).click();
  await page.getByRole("menuitemradio", { name: "System" }).click();
  await expect.poll(() => page.evaluate(() => document.documentElement.dataset.theme)).toBe(undefined);
  expect(await page.evaluate(() => localStorage.getItem("skill-gateway-theme"))).toBeNull();
});

it("follows the language of the browser, and stores another choice", async () => {
  const { page, context, heard } = await open(desk.browser, desk.gateway.url, { locale: "zh-CN" });
  await page.goto(`${desk.gateway.url}/console/limits`);
  await page.getByLabel("API 密钥").fill(await desk.keyOf("lin"));
  await page.getByRole("button", { name: "登录", exact: true }).click();
  await page.getByRole("heading", { name: "系统" }).waitFor();
  expect(await page.evaluate(() => document.documentElement.lang)).toBe("zh-CN");
  expect(await barriers(page)).toEqual([]);
  await page.getByRole("button", { name: /^账户：/ }).click();
  await page.getByRole("menuitemradio", { name: "English" }).click();
  await page.getByRole("heading", { name: "System" }).waitFor();
  await page.reload();
  await page.getByRole("heading", { name: "System" }).waitFor();
  expect(await page.evaluate(() => document.documentElement.lang)).toBe("en-US");
  await page.getByRole("button", { name: /^Account: / }).click();
  await page.getByRole("menuitemradio", { name: "Browser" }).click();
  await page.getByRole("heading", { name: "系统" }).waitFor();
  expect(await page.evaluate(() => localStorage.getItem("skill-gateway-language"))).toBeNull();
  expect(heard()).toEqual([]);
  await context.close();
});

it("collapses the sidebar, also after a reload, and keeps the names of its links", async () => {
  const page = await desk.enter(await desk.keyOf("dora"), "/limits");
  await page.getByRole("button", { name: "Collapse the sidebar" }).click();
  await page.getByRole("button", { name: "Expand the sidebar" }).waitFor();
  await page.reload();
  await page.getByRole("button", { name: "Expand the sidebar" }).waitFor();
  expect(await barriers(page)).toEqual([]);
  await go(page, "API keys");
  await page.getByRole("heading", { name: "API keys" }).waitFor();
  await page.getByRole("button", { name: "Expand the sidebar" }).click();
  await page.getByRole("navigation", { name: "Console" }).getByText("Conversations").waitFor();
});

it("has a drawer on a phone, which Escape closes", async () => {
  const { page, context, heard } = await open(desk.browser, desk.gateway.url, {
    colorScheme: "dark",
    viewport: { width: 375, height: 800 },
  });
  await signIn(page, desk.gateway.url, await desk.keyOf("erin"), "/console/limits");
  await page.getByRole("button", { name: "Open the navigation" }).press("Enter");
  const drawer = page.getByRole("dialog", { name: "Navigation" });
  await drawer.waitFor();
  expect([await overflows(page), await barriers(page)]).toEqual([false, []]);
  await page.keyboard.press("Escape");
  await drawer.waitFor({ state: "detached" });
  await go(page, "Conversations");
  await page.getByRole("heading", { name: "Conversations", exact: true }).waitFor();
  await drawer.waitFor({ state: "detached" });
  expect(heard()).toEqual([]);
  await context.close();
});

it("reports the result of an action, and the message can be closed", async () => {
  const key = await desk.keyOf("fay");
  await desk.as(key, "PUT", "/conversations/gone", {});
  const page = await desk.enter(key, "/conversations");
  await page.getByRole("button", { name: "Delete gone" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click();
  const message = page.getByRole("region", { name: "Messages" });
  await message.getByText("Conversation deleted.").waitFor();
  expect(await barriers(page)).toEqual([]);
  await message.getByRole("button", { name: "Close" }).click();
  await message.getByText("Conversation deleted.").waitFor({ state: "detached" });
});

it("redirects former addresses", async () => {
  const page = await desk.enter(desk.gateway.key, "/?q=json&from=public");
  await page.getByRole("searchbox").waitFor();
  expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe("/console/skills?q=json&from=public");
});

it("keeps both tabs signed in that sign in at the same moment, and shows another user's sign-in in each tab", async () => {
  const { context, page } = desk.seen;
  const [key, other] = [await desk.keyOf("dora"), await desk.keyOf("emil")];
  const second = await context.newPage();
  const pages = [page, second];
  let [sent, answered] = [0, 0];
  const { promise: bothPressed, resolve: press } = Promise.withResolvers<void>();
  await context.route("**/console/api/session", async (route) => {
    if (route.request().method() === "POST") {
      sent++;
      await bothPressed;
    }
    // Chromium sends it. A response that the test passes on would set its cookie again, after that of the next sign-in.
    await route.continue();
  });
  context.on("response", (response) => {
    if (response.request().method() === "POST" && response.url().endsWith("/console/api/session")) answered++;
  });
  for (const one of pages) {
    await one.goto(`${desk.gateway.url}/console/limits`);
    await keyField(one).fill(key);
  }
  for (const one of pages) {
    await one.getByRole("button", { name: "Sign in", exact: true }).click();
    await one.getByRole("button", { name: "Signing in…" }).waitFor();
  }
  const waiting = () => second.evaluate(async () => (await navigator.locks.query()).pending?.length);
  await expect.poll(waiting).toBe(1);
  expect(sent).toBe(1);
  press();
  await expect.poll(() => answered).toBe(2);
  for (const one of pages) await one.getByRole("heading", { name: "System" }).waitFor();
  for (const one of pages) {
    await one.reload();
    await one.getByRole("heading", { name: "System" }).waitFor();
  }
  await context.unroute("**/console/api/session");
  // A third tab signs another user in. The tabs of this browser share one cookie, so that they show the same user.
  await second.evaluate(async (proof) => {
    const headers = { "content-type": "application/json", "x-skillgate-console": "1" };
    await fetch("/console/api/session", { method: "POST", headers, body: JSON.stringify({ key: proof }) });
    new BroadcastChannel("console-session").postMessage("signed in");
  }, other);
  for (const one of pages) await one.getByRole("button", { name: /^Account: emil/ }).waitFor();
});
