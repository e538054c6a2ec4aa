// Pages do not move while they load: no layout shift after the first paint, on a desktop and on a phone.

import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { open, signIn, skillText, zipOf } from "./page";
import { Desk } from "./setup";

const desk = new Desk("shared");

/** Addresses of pages. `SKILL` stands for the id of a skill. */
const PLACES = [
  ...["/", "/try", "/skills", "/skills/SKILL", "/skills/SKILL?view=versions", "/skills/SKILL?view=files", "/publish"],
  ...["/ghosts", "/ghosts/new", "/servers", "/models", "/conversations", "/conversations/steady", "/keys", "/secrets"],
  ...["/webhooks", "/webhooks/steady", "/groups", "/grants", "/insights", "/review", "/health", "/limits", "/sessions"],
];

interface Shift {
  value: number;
  moved: string[];
}

/** Runs in the page before its scripts. */
function observe(): void {
  const shifts: Shift[] = [];
  Object.assign(globalThis, { shifts });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as (PerformanceEntry & {
      value: number;
      hadRecentInput: boolean;
      sources: { node: Node | null }[];
    })[]) {
      if (entry.hadRecentInput) continue;
      const moved = entry.sources.map(({ node }) =>
        node instanceof Element ? node.outerHTML : `${node?.textContent}`,
      );
      shifts.push({ value: entry.value, moved: moved.map((text) => text.slice(0, 160)) });
    }
  }).observe({ type: "layout-shift", buffered: true });
}

async function complete(page: Page): Promise<void> {
  await page.getByRole("heading", { level: 1 }).first().waitFor();
  await page.waitForLoadState("networkidle");
  await page
    .getByText(/^Loading /)
    .first()
    .waitFor({ state: "detached" });
}

it.each([1280, 375])("has no layout shift after the first paint, %i pixels wide", async (width) => {
  const key = await desk.keyOf(`steady-${width}`);
  const form = new FormData();
  const { buffer } = zipOf("steady.zip", {
    "steady/SKILL.md": skillText("steady", "1.0.0", "# Steady\n\nDo not move."),
  });
  form.set("file", new Blob([new Uint8Array(buffer)]), "steady.zip");
  const published = await fetch(`${desk.gateway.url}/api/v1/kinds/skills/upload`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}` },
    body: form,
  });
  expect(published.status).toBe(201);
  const { metadata } = (await published.json()) as { metadata: { labels: { id: string } } };
  for (let turn = 0; turn < 3; turn++) await desk.as(key, "POST", "/conversations/steady/turns", { conversation: {} });
  await desk.as(key, "PUT", "/webhooks/steady", { url: "http://127.0.0.1:9/hook" });
  const { context, page } = await open(desk.browser, desk.gateway.url, { viewport: { width, height: 800 } });
  try {
    await signIn(page, desk.gateway.url, key, "/console/limits");
    await context.addInitScript(observe);
    const found: [string, readonly Shift[]][] = [];
    const left = PLACES.values();
    // A page is complete after half a second without requests, in which others can load.
    const visit = async (tab: Page) => {
      for (const place of left) {
        await tab.goto(`${desk.gateway.url}/console${place.replace("SKILL", metadata.labels.id)}`);
        await complete(tab);
        const shifts = await tab.evaluate(() => (globalThis as unknown as { shifts: Shift[] }).shifts);
        if (shifts.length > 0) found.push([place, shifts]);
      }
    };
    await Promise.all([page, await context.newPage(), await context.newPage()].map(visit));
    expect(found).toEqual([]);
  } finally {
    await context.close();
  }
});
