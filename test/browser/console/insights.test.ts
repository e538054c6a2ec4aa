// The page of insights, failing versions, the comparison of versions, and feedback on a turn, in Chromium.

import { expect, it } from "vitest";
import { barriers } from "../axe";
import { open } from "./page";
import { Desk } from "./setup";

const desk = new Desk("shared");

const zeros = {
  ...{ loads: 0, calls: 0, failures: 0, tokens: 0, found: 0, scripts_ok: 0, scripts_failed: 0, scripts_killed: 0 },
  ...{ liked: 0, disliked: 0 },
};
const tokens = { fresh: 0, cache_read: 0, cache_write: 0, output: 0 };
const none = { calls: 0, failures: 0, tokens: 0, ...tokens, priced_tokens: 0, cost_usd: null };
const sums = { ...zeros, searches: 0, searches_empty: 0 };
const skill = { skill_id: "skl_1", skill_name: "<b>charts</b>", scope: "public" };
const failing = {
  ...{ ...skill, version_id: "ver_2", version: "2.0.0", since: "2026-11-26T10:00:00.000Z", percent: 20 },
  ...{ uses: 60, failures: 30, former: { version_id: "ver_1", version: "1.0.0", uses: 200, failures: 10 } },
};

const COSTS = {
  en: [
    "≥ $1,234.50",
    "75.0 % of 2,000 tokens have a known price (25 Nov 2026)",
    "900 unknown",
    "1,000 $0.0123",
    "9 ≥ $0.000020",
  ],
  zh: ["模型费用 ≥ $1,234.50", "2,000 个 token 中 75.0 % 的价格已知（2026年11月25日）", "900 未知", "1,000 $0.0123"],
};

it.each([
  [
    "en-US",
    "Insights",
    ["5.0 %", "Failing versions", "50.0 % of 60", "5.0 % of 200", "zebra", "weather", "gpt", ...COSTS.en],
  ],
  ["zh-CN", "洞察", ["失败增多的版本", "60 次中的 50.0 %", "zebra", "weather", "gpt", ...COSTS.zh]],
])("shows figures, failing versions, searches and services: %s", async (locale, title, parts) => {
  const key = await desk.keyOf(`seer-${locale.toLowerCase()}`, { role: "admin" });
  const { page, context, heard } = await open(desk.browser, desk.gateway.url, { locale });
  const days = { from: "2026-10-28", to: "2026-11-26" };
  const list = (items: object[], more: object = {}) => ({ ...days, ...more, items, next_cursor: null });
  const answers: Record<string, object> = {
    overview: {
      ...{ ...days, interval: "day", before: sums, failing: [failing], prices_of: "2026-11-25" },
      models: { ...none, calls: 20, tokens: 2_000, priced_tokens: 1_500, cost_usd: 1_234.5 },
      totals: { ...sums, loads: 40, calls: 200, failures: 10, liked: 3, disliked: 1 },
      series: [{ at: "2026-11-25T00:00:00.000Z", ...sums, loads: 40, calls: 200, failures: 10 }],
    },
    skills: list([{ ...skill, ...zeros, listed: 90, calls: 200, failures: 10 }]),
    unused: { items: [{ ...skill, created_at: "2026-01-01T00:00:00Z", last_used: null }], next_cursor: null },
    searches: list([{ query: "zebra <i>", count: 4, last_at: "2026-11-26T10:00:00.000Z" }], { stored: true }),
    server: list([{ ...none, name: "weather", scope: "gateway", calls: 10, failures: 5 }]),
    model: list([
      { ...none, name: "gpt", scope: "gateway", calls: 10, failures: 1, tokens: 900 },
      { ...none, name: "opus", scope: "gateway", calls: 10, tokens: 1_000, priced_tokens: 1_000, cost_usd: 0.0123 },
      { ...none, name: "tiny", scope: "gateway", calls: 1, tokens: 9, priced_tokens: 8, cost_usd: 0.000_02 },
    ]),
  };
  await page.route("**/insights/*", (route) => {
    const url = new URL(route.request().url());
    const name = url.searchParams.get("kind") ?? url.pathname.slice(url.pathname.lastIndexOf("/") + 1);
    return url.pathname.includes("/api/") ? route.fulfill({ json: answers[name] }) : route.continue();
  });
  await page.goto(`${desk.gateway.url}/console/insights`);
  await page.locator("input").first().fill(key);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: title }).waitFor();
  const shown = async () => (await page.locator("main").innerText()).replace(/\s+/g, " ");
  for (const part of parts) await expect.poll(shown).toContain(part);
  expect(await shown()).toContain("<b>charts</b>");
  expect(await barriers(page)).toEqual([]);
  for (const width of [375, 1_280]) {
    await page.setViewportSize({ width, height: 800 });
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect(overflow).toBeLessThanOrEqual(0);
  }
  await context.close();
  expect(heard()).toEqual([]);
});

it("rates a turn, and withdraws the rating", async () => {
  const key = await desk.keyOf("rater");
  await desk.as(key, "POST", "/conversations/rated/turns", { conversation: {} });
  const page = await desk.enter(key, "/conversations/rated");
  const good = page.getByRole("button", { name: "Good answer" });
  const stored = async () =>
    (await desk.as<{ items: { score: number }[] }>(key, "GET", "/conversations/rated/feedback")).body.items;
  await good.click();
  await expect.poll(stored).toMatchObject([{ turn: 1, score: 1 }]);
  await page.getByRole("button", { name: "Good answer", pressed: true }).waitFor();
  await good.click();
  await expect.poll(stored).toMatchObject([{ turn: 1, score: 0 }]);
  expect(await barriers(page)).toEqual([]);
});
