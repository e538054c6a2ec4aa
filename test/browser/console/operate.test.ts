// The operator's pages of the console in Chromium, where no journey comes by: what leaves a window, and what ends a session.

import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { openBrowser } from "../chromium";
import { Gateway } from "../gateway";
import { open, type Seen, signIn } from "./page";

let gateway: Gateway;
let browser: Browser;
let seen: Seen;

beforeAll(async () => {
  [gateway, browser] = await Promise.all([Gateway.start(), openBrowser()]);
});
afterAll(async () => {
  await Promise.all([browser?.close(), gateway?.stop()]);
});
beforeEach(async () => {
  seen = await open(browser, gateway.url);
});
afterEach(async () => {
  await seen.context.close();
  expect(seen.heard()).toEqual([]);
});

it("leaves a window by Escape, without doing anything", async () => {
  const { page } = seen;
  await signIn(page, gateway.url, gateway.key, "/console/keys");
  await page.getByRole("button", { name: "Make a key" }).click();
  await page.getByRole("dialog").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
});

it("comes back to the sign-in when the key behind the session is revoked", async () => {
  const { page } = seen;
  const made = (await gateway.call<{ id: string; key: string }>("POST", "/keys", { user_id: "dave" })).body;
  await signIn(page, gateway.url, made.key, "/console/limits");
  expect((await gateway.call("DELETE", `/keys/${made.id}`)).status).toBe(204);
  await page.getByRole("link", { name: "Keys" }).click();
  await page.getByLabel("Your key").waitFor();
  expect(await page.locator("body").innerText()).not.toContain("dave");
});
