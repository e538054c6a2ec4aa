// The card of predictions on the page of an agent, in Chromium: for those who manage the agent, in both languages.

import { expect, it } from "vitest";
import { barriers } from "../axe";
import { open } from "./page";
import { Desk } from "./setup";

const desk = new Desk("shared");
const spec = { systemPrompt: "Be brief.", predict: "shadow" };

const figures = {
  ...{ messages: 1_250, predicted: 80, appended: 30, needed: 400, hits: 47, saved: 52_000, lost: 9_100 },
  ...{ saved_ms: 61_500, precision: 0.94, coverage: 0.118 },
};

async function agentOf(user: string): Promise<{ key: string; path: string }> {
  const key = await desk.keyOf(user);
  const made = await desk.as<{ metadata: { labels: { id: string } } }>(key, "POST", "/kinds/ghosts", {
    metadata: { name: "helper" },
    spec,
  });
  return { key, path: `/ghosts/${made.body.metadata.labels.id}` };
}

it("says where predictions come from while there are none, and stores the setting with the agent", async () => {
  const { key, path } = await agentOf("ada");
  const page = await desk.enter(key, path);
  const card = page.locator(".card", { has: page.getByRole("heading", { name: "Predictive loading" }) });
  await card.getByText("Predictions appear up to one hour after").waitFor();
  expect(await barriers(page)).toEqual([]);
  await page.getByRole("textbox", { name: "Prompt" }).fill("Be very brief.");
  await page.getByRole("button", { name: "Save" }).click();
  await expect
    .poll(async () => (await desk.as<{ spec: object }>(key, "GET", `/kinds${path}`)).body.spec)
    .toMatchObject({ systemPrompt: "Be very brief.", predict: "shadow" });
  const setting = page.getByLabel("Predictive loading", { exact: true });
  await setting.selectOption("append instructions (on)");
  await page.getByRole("button", { name: "Save" }).click();
  const stored = async () => (await desk.as<{ spec: { predict?: string } }>(key, "GET", `/kinds${path}`)).body.spec;
  await expect.poll(async () => (await stored()).predict).toBe("on");
  await setting.selectOption("default (shadow)");
  await page.getByRole("button", { name: "Save" }).click();
  await expect.poll(async () => (await stored()).predict).toBeUndefined();
});

it.each([
  [
    "en-US",
    "Predictive loading",
    ["Messages 1,250", "Precision 94.0 %", "Coverage 11.8 %", "Appended 30", "52,000", "61.5 s"],
  ],
  ["zh-CN", "预测加载", ["准确率 94.0 %", "覆盖率 11.8 %", "已附加 30", "52,000", "61.5 秒"]],
])("shows precision, coverage, and possible savings of the last 30 days: %s", async (locale, title, parts) => {
  const { key, path } = await agentOf(`bob-${locale.toLowerCase()}`);
  const { page, context, heard } = await open(desk.browser, desk.gateway.url, { locale });
  const days = { since: "2026-10-28", until: "2026-11-26", days: [] };
  const json = { ghost_id: "gho_1", ghost_name: "helper", ...days, totals: figures };
  await page.route("**/predictions?*", (route) => route.fulfill({ json }));
  // The names on the sign-in page depend on the language.
  await page.goto(`${desk.gateway.url}/console${path}`);
  await page.locator("input").first().fill(key);
  await page.keyboard.press("Enter");
  const card = page.locator(".card", { has: page.getByRole("heading", { name: title }) });
  const shown = async () => (await card.innerText()).replace(/\s+/g, " ");
  await expect.poll(shown).toContain(parts[0]);
  const text = await shown();
  for (const part of parts) expect(text).toContain(part);
  expect(await barriers(page)).toEqual([]);
  await context.close();
  expect(heard()).toEqual([]);
});
