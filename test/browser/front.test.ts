// The gateway's start page in Chromium, in desktop and phone size, in light and dark mode.

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { complaints, openBrowser } from "./chromium";
import { brightness, contrast } from "./colors";
import { Gateway } from "./gateway";

let gateway: Gateway;
let browser: Browser;
beforeAll(async () => {
  [gateway, browser] = await Promise.all([Gateway.start({ CONSOLE: "off" }), openBrowser()]);
});
afterAll(async () => {
  await Promise.all([browser?.close(), gateway?.stop()]);
});

it.each([
  ["light", 1280],
  ["dark", 1280],
  ["light", 375],
  ["dark", 375],
] as const)("is readable and whole: %s, %i pixels wide", async (colorScheme, width) => {
  const context = await browser.newContext({ colorScheme, viewport: { width, height: 800 }, javaScriptEnabled: false });
  const heard = complaints(context);
  const page = await context.newPage();
  await page.goto(gateway.url);
  expect(await page.title()).toBe("Skill Gateway");
  expect(await page.getByRole("heading", { level: 1 }).innerText()).toBe("Skill Gateway");
  const box = await page.locator("main").boundingBox();
  expect((box?.x ?? -1) >= 0 && (box?.width ?? width + 1) <= width).toBe(true);
  const overflow = "document.documentElement.scrollWidth > document.documentElement.clientWidth";
  expect(await page.evaluate(overflow)).toBe(false);
  // The style sheet applies, because its digest is in the policy. The text has enough contrast.
  const [ink, paper] = await page.evaluate<[string, string]>(
    "['color', 'backgroundColor'].map((name) => getComputedStyle(document.body)[name])",
  );
  expect(contrast(ink, paper)).toBeGreaterThan(7);
  expect(brightness(paper) > 0.5).toBe(colorScheme === "light");
  for (const link of await page.getByRole("listitem").getByRole("link").all())
    expect((await link.boundingBox())?.height).toBeGreaterThanOrEqual(44);
  expect(heard).toEqual([]);
  await context.close();
});

it("leads everywhere by keyboard alone, and every place is there", async () => {
  const context = await browser.newContext();
  const heard = complaints(context);
  const page = await context.newPage();
  await page.goto(gateway.url);
  const links = await page.getByRole("link").evaluateAll((found) => found.map((link) => link.getAttribute("href")));
  expect(links).toContain("/docs/");
  for (const link of links) {
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.getAttribute('href')")).toBe(link);
    expect(await page.evaluate("getComputedStyle(document.activeElement).outlineStyle")).toBe("solid");
    const answer = await fetch(new URL(link ?? "", gateway.url));
    expect([link, answer.status]).toEqual([link, 200]);
    if (link?.endsWith(".md")) {
      expect(answer.headers.get("content-type")).toBe("text/plain; charset=utf-8");
      expect(await answer.text()).toMatch(/^# /);
    }
  }
  expect(heard).toEqual([]);
  await context.close();
});
