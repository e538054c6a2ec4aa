// Accessibility of the gateway's pages, in both color schemes and in desktop and phone size.

import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { barriers } from "./axe";
import { openBrowser } from "./chromium";
import { Gateway } from "./gateway";

let gateway: Gateway;
let browser: Browser;
beforeAll(async () => {
  gateway = Gateway.shared();
  browser = await openBrowser();
});
afterAll(async () => {
  await browser?.close();
});

const PAGES: [name: string, open: (page: Page) => Promise<unknown>][] = [
  ["the page at /", (page) => page.goto(gateway.url)],
  [
    "the API reference, with an operation open",
    async (page) => {
      await page.goto(`${gateway.url}/docs/#skills.publish`);
      await page.getByRole("status").filter({ hasText: "operations" }).waitFor();
      await page.locator('[id="skills.publish"]').getByText("Answers").waitFor();
    },
  ],
];

it.each(
  PAGES.flatMap(([name, open]) =>
    (["light", "dark"] as const).flatMap((scheme) => [1280, 375].map((width) => [name, scheme, width, open] as const)),
  ),
)("%s has no serious finding: %s, %i pixels wide", async (_, colorScheme, width, open) => {
  const context = await browser.newContext({ colorScheme, viewport: { width, height: 800 } });
  const page = await context.newPage();
  await open(page);
  expect(await barriers(page)).toEqual([]);
  await context.close();
});

it("axe finds what is wrong", async () => {
  const page = await browser.newPage();
  await page.setContent('<!doctype html><title>x</title><main><img src="data:,"><input></main>');
  expect((await barriers(page)).map((finding) => finding.split(":")[0]).sort()).toEqual([
    "html-has-lang",
    "image-alt",
    "label",
  ]);
  await page.close();
});
