// Signing in an MCP host in Chromium: in desktop and phone size, in light and dark mode, with the keyboard alone, without scripts, and back
// to a program through redirects to unknown addresses.

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { barriers } from "./axe";
import { complaints, openBrowser } from "./chromium";
import { Gateway } from "./gateway";

const CHALLENGE = "HUvjLWEVyXUX4OvzzJL5eCQgZUEdsZ_a854gpmghYl0";

let gateway: Gateway;
let browser: Browser;
/** A program that receives its answer at one address and redirects the browser to another. */
let program: Server;
let back: string;
let answers: URL[] = [];
let key: string;

beforeAll(async () => {
  program = createServer((request, response) => {
    const url = new URL(request.url ?? "/", back);
    answers.push(url);
    if (url.pathname === "/callback") response.writeHead(302, { location: "/thanks" }).end();
    else response.writeHead(200, { "content-type": "text/html" }).end("<h1>Thanks</h1>");
  });
  await new Promise<void>((listening) => program.listen(0, "127.0.0.1", listening));
  back = `http://localhost:${(program.address() as AddressInfo).port}/callback`;
  [gateway, browser] = await Promise.all([Gateway.start(), openBrowser()]);
  key = (await admin<{ key: string }>("/api/v1/keys", { user_id: "alice" })).key;
});
afterAll(async () => {
  program?.close();
  await Promise.all([browser?.close(), gateway?.stop()]);
});
afterEach(() => {
  answers = [];
});

/** Creates a resource as an admin. */
async function admin<T>(path: string, body: object): Promise<T> {
  const headers = { authorization: `Bearer ${gateway.key}`, "content-type": "application/json" };
  const answer = await fetch(gateway.url + path, { method: "POST", headers, body: JSON.stringify(body) });
  expect(answer.status).toBe(201);
  return (await answer.json()) as T;
}

/** Opens the page like a program that just registered itself. */
async function begin(context: BrowserContext): Promise<Page> {
  const registered = await fetch(`${gateway.url}/oauth/register`, {
    method: "POST",
    body: JSON.stringify({ client_name: "A program", redirect_uris: ["http://localhost/callback"] }),
  });
  const { client_id } = (await registered.json()) as { client_id: string };
  const asked = new URLSearchParams({
    ...{ client_id, redirect_uri: back, response_type: "code", state: "s", resource: `${gateway.url}/mcp` },
    ...{ code_challenge: CHALLENGE, code_challenge_method: "S256" },
  });
  const page = await context.newPage();
  await page.goto(`${gateway.url}/oauth/authorize?${asked}`);
  return page;
}

it.each([
  ["light", 1280],
  ["dark", 1280],
  ["light", 375],
  ["dark", 375],
] as const)("is whole, and axe has nothing to say: %s, %i pixels wide", async (colorScheme, width) => {
  const context = await browser.newContext({ colorScheme, viewport: { width, height: 800 } });
  const heard = complaints(context);
  const page = await begin(context);
  const overflow = "document.documentElement.scrollWidth > document.documentElement.clientWidth";
  expect([await page.title(), await page.evaluate(overflow), await barriers(page)]).toEqual([
    "Sign in: A program",
    false,
    [],
  ]);
  await page.getByLabel("Your key, or a sign-in link").fill("sgw_nobody");
  await page.getByRole("button", { name: "Sign in" }).click();
  expect(await page.getByRole("alert").innerText()).toContain("does not have the format of this gateway");
  await page.getByLabel("Your key, or a sign-in link").fill(key);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Allow A program to use this Skill Gateway as alice?" }).waitFor();
  expect([await page.evaluate(overflow), await barriers(page)]).toEqual([false, []]);
  expect(heard.filter((line) => !line.includes("status of 400"))).toEqual([]);
  await context.close();
});

it("goes by the keyboard alone, and Chrome follows the form through all redirects of the program", async () => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const heard = complaints(context);
  const page = await begin(context);
  await page.keyboard.press("Tab");
  await page.keyboard.type(key);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: /as alice\?$/ }).waitFor();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Thanks" }).waitFor();
  const answer = answers.find(({ pathname }) => pathname === "/callback");
  expect(Object.fromEntries(answer?.searchParams ?? [])).toEqual({
    code: expect.stringMatching(/^sgc_/),
    state: "s",
    iss: gateway.url,
  });
  expect(await context.cookies()).toEqual([]);
  expect(heard).toEqual([]);
  await context.close();
});

it("is in no other page's frame, and takes no other page's form", async () => {
  const context = await browser.newContext();
  const page = await begin(context);
  const place = page.url();
  await page.getByLabel("Your key, or a sign-in link").fill(key);
  await page.getByRole("button", { name: "Sign in" }).click();
  const evil = await context.newPage();
  // A different site: `localhost` is not the same site as 127.0.0.1.
  await evil.goto(back.replace("/callback", "/evil"));
  await evil.setContent(`<iframe src="${place}"></iframe>`);
  await evil.waitForFunction("frames.length === 1");
  const framed = evil.frames().at(-1);
  expect(await framed?.getByRole("button").count()).toBe(0);
  await evil.setContent(
    `<form method="post" action="${place}"><button name="how" value="approve">Win a prize</button></form>`,
  );
  await evil.getByRole("button").click();
  await evil.getByRole("heading", { name: "Sign-in failed" }).waitFor();
  await page.reload();
  expect(await page.getByRole("button", { name: "Allow, as alice" }).count()).toBe(1);
  expect(answers.map(({ pathname }) => pathname)).not.toContain("/callback");
  await context.close();
});

it("opens a sign-in link in the browser that waits, once", async () => {
  const context = await browser.newContext();
  const page = await begin(context);
  const { url } = await admin<{ url: string }>("/api/v1/sign-ins", { user_id: "bob" });
  const linked = await context.newPage();
  await linked.goto(url);
  expect(await barriers(linked)).toEqual([]);
  await linked.getByRole("button", { name: "Continue as bob" }).click();
  await linked.getByRole("button", { name: "Continue as bob" }).click();
  await linked.getByRole("button", { name: "Allow, as bob" }).click();
  await linked.getByRole("heading", { name: "Thanks" }).waitFor();
  await page.reload();
  await page.getByRole("heading", { name: "Sign-in failed" }).waitFor();
  await context.close();
});
