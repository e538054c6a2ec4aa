// Each journey through the console once: by the keyboard alone, on a desk, by day. `npm run try:console` walks them in every manner.

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, it } from "vitest";
import { openBrowser } from "../chromium";
import { Gateway } from "../gateway";
import { JOURNEYS } from "./journeys/all";
import { walk } from "./journeys/walk";

let gateway: Gateway;
let browser: Browser;

beforeAll(async () => {
  [gateway, browser] = await Promise.all([Gateway.start(), openBrowser()]);
});
afterAll(async () => {
  await Promise.all([browser?.close(), gateway?.stop()]);
});

it.each(Object.entries(JOURNEYS))("%s", async (_, journey) => {
  await walk(journey, browser, gateway, { hands: "keyboard", colorScheme: "light", width: 1280 });
});
