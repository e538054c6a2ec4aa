// Runs each journey once: with the keyboard, in desktop size and light mode. Jobs with a number of steps also run with the mouse.
// `npm run try:console` runs all combinations.

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, it } from "vitest";
import { openBrowser } from "../chromium";
import { Gateway } from "../gateway";
import { JOURNEYS } from "./journeys/all";
import { JOBS } from "./journeys/jobs";
import { walk } from "./journeys/walk";

let gateway: Gateway;
let browser: Browser;

beforeAll(async () => {
  gateway = Gateway.shared();
  browser = await openBrowser();
});
afterAll(async () => {
  await browser?.close();
});

it.each(Object.entries(JOURNEYS))("%s", async (_, journey) => {
  await walk(journey, browser, gateway, { hands: "keyboard", colorScheme: "light", width: 1280 });
});

it.each(Object.entries(JOBS))("with the mouse: %s", async (_, job) => {
  await walk(job, browser, gateway, { hands: "mouse", colorScheme: "light", width: 1280 });
});
