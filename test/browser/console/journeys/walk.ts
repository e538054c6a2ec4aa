// Runs a journey in its own browser and checks the rules that apply to every page of the console.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Browser } from "playwright-core";
import { expect } from "vitest";
import type { Gateway } from "../../gateway";
import { type HandsName, handsOn } from "../input";
import { open } from "../page";
import { type Journey, Visit } from "./visit";

export interface Manner {
  hands: HandsName;
  colorScheme: "light" | "dark";
  /** Width of the window in pixels. */
  width: number;
  reducedMotion?: "reduce";
}

let visits = 0;

/** Runs a journey. Fails on policy violations, page errors, dialogs and requests to other hosts. */
export async function walk(journey: Journey, browser: Browser, gateway: Gateway, manner: Manner): Promise<void> {
  const { hands, colorScheme, width, reducedMotion = null } = manner;
  const folder = await mkdtemp(path.join(tmpdir(), "journey-"));
  const { context, page, heard } = await open(browser, gateway.url, {
    ...{ colorScheme, reducedMotion, viewport: { width, height: 800 } },
  });
  try {
    await journey(new Visit(gateway, context, page, handsOn(page, hands), `v${++visits}`, folder));
    expect(heard()).toEqual([]);
  } finally {
    await context.close();
    await rm(folder, { recursive: true, force: true });
  }
}
