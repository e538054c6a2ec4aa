// The link that `npm start` prints: it opens the demo signed in, and its key goes nowhere else.

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { demoLink } from "../../scripts/local/demo-link.mjs";
import { connected, openBrowser } from "./chromium";
import { Gateway } from "./gateway";

let gateway: Gateway;
let browser: Browser;
let context: BrowserContext;

beforeAll(async () => {
  [gateway, browser] = await Promise.all([Gateway.start({ LOG_REQUESTS: "true" }), openBrowser()]);
});
afterAll(async () => {
  await Promise.all([browser?.close(), gateway?.stop()]);
});
beforeEach(async () => {
  context = await browser.newContext();
});
afterEach(() => context.close());

const keyOf = (link: string) => new URL(link).hash.slice("#key=".length);
const me = async (key: string) =>
  (await (await fetch(`${gateway.url}/api/v1/me`, { headers: { authorization: `Bearer ${key}` } })).json()) as object;
const ask = (page: Page, text: string) => page.getByRole("button", { name: text, exact: true }).click();

it("is of a user who may chat, for 12 hours, and no more", async () => {
  expect(gateway.link).toMatch(new RegExp(`^${gateway.url}/demo#key=sgw_[A-Z0-9]{26}_[0-9a-f]{72}$`));
  const key = keyOf(gateway.link);
  expect(await me(key)).toMatchObject({ user_id: "demo", role: "user", scopes: ["conversations"] });
  const { body } = await gateway.call<{ items: { user_id: string; expires_at: string }[] }>("GET", "/keys");
  const [made] = body.items.filter(({ user_id }) => user_id === "demo");
  const hours = (Date.parse(made?.expires_at ?? "") - Date.now()) / 3_600_000;
  expect(hours).toBeGreaterThan(11.5);
  expect(hours).toBeLessThanOrEqual(12);
  for (const route of ["/kinds/skills/public/list", "/keys", "/secrets", "/users/demo", "/models"]) {
    const answer = await fetch(`${gateway.url}/api/v1${route}`, { headers: { authorization: `Bearer ${key}` } });
    expect([route, answer.status]).toEqual([route, 403]);
  }
});

it("opens the demo signed in; its key leaves the address at once, and goes to the gateway's conversations alone", async () => {
  const key = keyOf(gateway.link);
  const elsewhere: string[] = [];
  const sent = new Set<string>();
  context.on("request", (request) => {
    const { authorization = "", ...headers } = request.headers();
    const rest = [request.url(), request.postData() ?? "", ...Object.values(headers)].join("\n");
    if (rest.includes(key)) elsewhere.push(request.url());
    const { origin, pathname } = new URL(request.url());
    if (authorization.includes(key)) sent.add(`${origin}${pathname.split("/").slice(0, 4).join("/")}`);
  });
  const page = await context.newPage();
  const addresses: string[] = [];
  page.on("framenavigated", (frame) => addresses.push(frame.url()));
  await page.goto(gateway.link);
  await connected(page);
  expect(page.url()).toMatch(/\/demo\/\?c=demo-[0-9a-f-]{36}$/);
  expect(await page.locator("#door").isVisible()).toBe(false);
  await ask(page, "Draw how a login works");
  await page.locator("#log .assistant").waitFor();
  expect(elsewhere).toEqual([]);
  expect([...sent]).toEqual([`${gateway.url}/api/v1/conversations`]);
  expect(
    await page.evaluate(() => document.documentElement.outerHTML + document.cookie + localStorage.length),
  ).not.toContain(key);
  // The way back leads to no address with the key in it, either.
  await page.reload();
  await connected(page);
  await page.goBack();
  expect(page.url()).not.toContain("key=");
  expect(addresses.slice(1).filter((address) => address.includes(key))).toEqual([]);
  // Requests are logged here; the key is in none of it.
  expect(gateway.said.join("")).toContain("/api/v1/conversations/");
  expect(gateway.said.join("")).not.toContain(key);
});

it("shows nothing of its key to a page that opened it, and lets none frame it", async () => {
  const other = createServer((_, response) => {
    response.setHeader("content-type", "text/html");
    response.end(`<!doctype html><title>other</title><iframe src="${gateway.link}"></iframe>`);
  }).listen(0, "127.0.0.1");
  await once(other, "listening");
  try {
    const page = await context.newPage();
    const framed = page.waitForEvent("console", (message) => message.text().includes("frame-ancestors"));
    await page.goto(`http://127.0.0.1:${(other.address() as AddressInfo).port}/`);
    await framed;
    const [opened, seen] = await Promise.all([
      context.waitForEvent("page"),
      page.evaluate(async (link) => {
        const opened = window.open(link);
        await new Promise((resolve) => setTimeout(resolve, 0));
        try {
          return `read ${opened?.location.href}`;
        } catch {
          return "not readable";
        }
      }, gateway.link),
    ]);
    await connected(opened);
    expect(seen === "not readable" || seen === "read about:blank").toBe(true);
    expect(await opened.evaluate(() => window.opener === null)).toBe(true);
  } finally {
    other.close();
  }
});

it("a link that has ended says what to do, and a new one opens the same page", async () => {
  const { body } = await gateway.call<{ key: string; id: string }>("POST", "/keys", {
    user_id: "demo",
    scopes: ["conversations"],
  });
  await gateway.call("DELETE", `/keys/${body.id}`);
  const page = await context.newPage();
  await page.goto(`${gateway.url}/demo#key=${body.key}`);
  await page.getByRole("alert").filter({ hasText: "npm start prints a new one" }).waitFor();
  expect(await page.getByLabel("Key", { exact: true }).isVisible()).toBe(true);
  expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
  expect(page.url()).not.toContain(body.key);
  // In the same tab: nothing but the fragment differs, so the browser loads nothing.
  await page.evaluate((key) => {
    location.hash = `key=${key}`;
  }, keyOf(gateway.link));
  await connected(page);
  expect(page.url()).not.toContain("key=");
});

it("in the middle of a chat a key that ends says so, too", async () => {
  const { body } = await gateway.call<{ key: string; id: string }>("POST", "/keys", {
    user_id: "demo",
    scopes: ["conversations"],
  });
  const page = await context.newPage();
  await page.goto(`${gateway.url}/demo#key=${body.key}`);
  await connected(page);
  await gateway.call("DELETE", `/keys/${body.id}`);
  await ask(page, "Hello");
  await page.locator("#log .failed", { hasText: "npm start prints a new one" }).waitFor();
});

it("elsewhere than on one's own machine a link brings no key: it could be anybody's", async () => {
  // The same gateway by a name that is not this machine's, as if it were deployed.
  const remote = await openBrowser("--host-resolver-rules=MAP gateway.test 127.0.0.1");
  try {
    const far = await remote.newPage();
    const { port } = new URL(gateway.url);
    await far.goto(`http://gateway.test:${port}/demo#key=${keyOf(gateway.link)}`);
    await far.getByRole("alert").filter({ hasText: "only for a gateway on one's own machine" }).waitFor();
    expect(far.url()).not.toContain("key=");
    expect(await far.evaluate(() => sessionStorage.length)).toBe(0);
  } finally {
    await remote.close();
  }
});

it("many starts leave a handful of keys, of which the last ones open the page", async () => {
  const links = [gateway.link];
  for (let start = 0; start < 6; start++) links.push((await demoLink(gateway.url, gateway.key)) ?? "none");
  expect(new Set(links).size).toBe(7);
  const found = await Promise.all(links.map((link) => me(keyOf(link))));
  expect(found.map((answer) => ("user_id" in answer ? answer.user_id : "gone"))).toEqual([
    ...["gone", "gone"],
    ...["demo", "demo", "demo", "demo", "demo"],
  ]);
});

it("without a key of its own the gateway starts all the same, and says so", async () => {
  expect(await demoLink(gateway.url, "sgw_not_the_admin")).toBeNull();
});
