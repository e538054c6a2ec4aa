// `npm run try:console`: every journey through the console in every variant.

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, it } from "vitest";
import { openBrowser } from "../../browser/chromium";
import { JOURNEYS } from "../../browser/console/journeys/all";
import { type Manner, walk } from "../../browser/console/journeys/walk";
import { Gateway } from "../../browser/gateway";

const MANNERS: Manner[] = (["mouse", "keyboard"] as const).flatMap((hands) =>
  (["light", "dark"] as const).flatMap((colorScheme) => [1280, 375].map((width) => ({ hands, colorScheme, width }))),
);

let gateway: Gateway;
let browser: Browser;

beforeAll(async () => {
  [gateway, browser] = await Promise.all([Gateway.start(), openBrowser()]);
});
afterAll(async () => {
  await Promise.all([browser?.close(), gateway?.stop()]);
});

describe.each(MANNERS)("$hands, $colorScheme, $width pixels", (manner) => {
  it.each(Object.entries(JOURNEYS))("%s", (_, journey) => walk(journey, browser, gateway, manner));
});

it.each(Object.entries(JOURNEYS))("without motion: %s", (_, journey) =>
  walk(journey, browser, gateway, { hands: "mouse", colorScheme: "light", width: 1280, reducedMotion: "reduce" }),
);
