// The gradual rollout of a version in the console, in Chromium: start, change, promote, stop, and what a user without the right sees.

import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { barriers } from "../axe";
import { open, overflows, signIn, skillText, zipOf } from "./page";
import { Desk } from "./setup";

const PICTURES = process.env.ROLLOUT_PICTURES;
const desk = new Desk("shared");
const SKILLS = "/kinds/skills";

async function publish(key: string, name: string, version: string): Promise<{ id: string; version_id: string }> {
  const { buffer } = zipOf(`${name}.zip`, { [`${name}/SKILL.md`]: skillText(name, version, `# Text of ${version}`) });
  const body = new FormData();
  body.set("file", new Blob([new Uint8Array(buffer)]), `${name}.zip`);
  const headers = { authorization: `Bearer ${key}` };
  const answer = await fetch(`${desk.gateway.url}/api/v1${SKILLS}/upload`, { method: "POST", headers, body });
  expect(answer.status).toBe(201);
  const { metadata, status } = (await answer.json()) as {
    metadata: { labels: { id: string } };
    status: { version_id: string };
  };
  return { id: metadata.labels.id, version_id: status.version_id };
}

/** Publishes 1.0.0 and 2.0.0 of a skill, of which the first is current. */
async function twoVersions(key: string, name: string) {
  const first = await publish(key, name, "1.0.0");
  const { version_id } = await publish(key, name, "2.0.0");
  await desk.as(key, "POST", `${SKILLS}/${first.id}/versions/${first.version_id}/activate`);
  return { id: first.id, former: first.version_id, candidate: version_id };
}

const rolloutOf = async (key: string, id: string) => {
  const { status, body } = await desk.as<{ percent: number; candidate: { version_id: string } }>(
    key,
    "GET",
    `${SKILLS}/${id}/rollout`,
  );
  return status === 404 ? null : [body.candidate.version_id, body.percent];
};

async function picture(page: Page, name: string): Promise<void> {
  if (PICTURES !== undefined) await page.screenshot({ path: `${PICTURES}/rollout-${name}.png`, fullPage: true });
}

const table = (page: Page) => page.getByRole("region", { name: "Rollout", exact: true });
const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();

it("starts a rollout by the keyboard, changes its percentage and stops it", async () => {
  const key = await desk.keyOf("roller");
  const { id, candidate } = await twoVersions(key, "rolled-skill");
  const page = await desk.enter(key, `/skills/${id}?view=use`);
  const start = page.getByRole("button", { name: "Start rollout" });
  await start.press("Enter");
  const form = page.getByRole("dialog", { name: "Start a rollout" });
  const percent = form.getByRole("textbox", { name: "Percentage of conversations" });
  const submit = form.getByRole("button", { name: "Start rollout" });
  expect(await form.getByRole("combobox", { name: "Candidate" }).inputValue()).toBe(candidate);
  expect(await form.getByRole("option").allInnerTexts()).toEqual(["2.0.0"]);
  for (const wrong of ["", "0", "101", "1.5", "-3", "1e1"]) {
    await percent.fill(wrong);
    expect([wrong, await submit.isDisabled()]).toEqual([wrong, true]);
  }
  await percent.fill("25");
  expect(await barriers(page)).toEqual([]);
  await picture(page, "start-light");
  await percent.press("Enter");
  await page.getByText("The rollout has started.").waitFor();
  await table(page).getByRole("row").filter({ hasText: "2.0.0 candidate" }).waitFor();
  await page.getByText("25 % of conversations").waitFor();
  expect(await rolloutOf(key, id)).toEqual([candidate, 25]);

  await press(page, "Change percentage");
  const change = page.getByRole("dialog", { name: "Change the rollout of 2.0.0" });
  expect(await change.getByRole("combobox").count()).toBe(0);
  await change.getByRole("textbox").fill("100");
  await change.getByRole("button", { name: "Save" }).click();
  await page.getByText("100 % of conversations").waitFor();
  expect(await rolloutOf(key, id)).toEqual([candidate, 100]);

  await press(page, "Stop rollout");
  const stop = page.getByRole("alertdialog", { name: "Stop the rollout of 2.0.0?" });
  expect(await barriers(page)).toEqual([]);
  await stop.getByRole("button", { name: "Cancel" }).click();
  expect(await rolloutOf(key, id)).toEqual([candidate, 100]);
  await press(page, "Stop rollout");
  await stop.getByRole("button", { name: "Stop rollout" }).click();
  await page.getByText("The rollout has ended.").waitFor();
  await start.waitFor();
  expect(await rolloutOf(key, id)).toBe(null);
});

it("promotes the candidate, and says what a rollout needs", async () => {
  const key = await desk.keyOf("promoter");
  const only = await publish(key, "single-skill", "1.0.0");
  const page = await desk.enter(key, `/skills/${only.id}?view=use`);
  await page.getByText("The skill has only one version.").waitFor();
  expect(await page.getByRole("button", { name: "Start rollout" }).count()).toBe(0);

  const { id, candidate } = await twoVersions(key, "promoted-skill");
  await desk.as(key, "PUT", `${SKILLS}/${id}/rollout`, { candidate, percent: 10 });
  await page.goto(`${desk.gateway.url}/console/skills/${id}?view=use`);
  await press(page, "Promote");
  const promote = page.getByRole("alertdialog", { name: "Promote 2.0.0?" });
  await promote.getByRole("button", { name: "Promote" }).click();
  await page.getByText("The version is current.").waitFor();
  await page.getByRole("button", { name: "Start rollout" }).waitFor();
  const { body } = await desk.as(key, "GET", `${SKILLS}/${id}`);
  expect(body).toMatchObject({ status: { version_id: candidate } });
  expect(await rolloutOf(key, id)).toBe(null);
});

it("shows why a rollout cannot start, or has ended meanwhile", async () => {
  const key = await desk.keyOf("latecomer");
  const { id, candidate } = await twoVersions(key, "late-skill");
  const page = await desk.enter(key, `/skills/${id}?view=use`);
  await press(page, "Start rollout");
  await desk.as(key, "POST", `${SKILLS}/${id}/versions/${candidate}/yank`);
  const form = page.getByRole("dialog", { name: "Start a rollout" });
  await form.getByRole("button", { name: "Start rollout" }).click();
  await form.getByText("The version cannot be rolled out").waitFor();
  await form.getByRole("button", { name: "Cancel" }).click();

  await desk.as(key, "POST", `${SKILLS}/${id}/versions/${candidate}/unyank`);
  await desk.as(key, "PUT", `${SKILLS}/${id}/rollout`, { candidate, percent: 10 });
  await page.reload();
  await press(page, "Promote");
  await desk.as(key, "DELETE", `${SKILLS}/${id}/rollout`);
  const promote = page.getByRole("alertdialog");
  await promote.getByRole("button", { name: "Promote" }).click();
  await promote.getByText("The skill has no rollout.").waitFor();
});

it("shows only the figures to a user who cannot activate versions, in both themes and on a phone", async () => {
  const key = await desk.keyOf("reader");
  const { id, candidate, former } = await twoVersions(key, "read-skill");
  await desk.as(key, "PUT", `${SKILLS}/${id}/rollout`, { candidate, percent: 20 });
  const arm = (version_id: string, version: string, uses: number, failures: number) => ({
    ...{ version_id, version, uses, failures },
  });
  const figures = {
    ...{ skill_id: id, percent: 20, started_at: "2026-11-20T10:00:00.000Z", failing: true },
    candidate: arm(candidate, "2.0.0", 1_200, 600),
    current: arm(former, "<b>1.0.0</b>\u202E", 4_800, 240),
  };
  const { page } = desk.seen;
  await page.route("**/rollout", (route) => route.fulfill({ json: figures }));
  const readOnly = await desk.keyOf("reader", { scopes: ["skills:read"] });
  await signIn(page, desk.gateway.url, readOnly, `/console/skills/${id}?view=use`);
  await table(page).getByRole("row").filter({ hasText: "<b>1.0.0</b>⟨U+202E⟩ current" }).waitFor();
  expect((await table(page).innerText()).replace(/\s+/g, " ")).toContain("1,200 50.0 %");
  await page.getByText("The candidate fails significantly more often.").waitFor();
  for (const name of ["Start rollout", "Change percentage", "Promote", "Stop rollout"])
    expect([name, await page.getByRole("button", { name }).count()]).toEqual([name, 0]);

  await page.context().clearCookies();
  await signIn(page, desk.gateway.url, key, `/console/skills/${id}?view=use`);
  for (const colorScheme of ["light", "dark"] as const)
    for (const width of [1_280, 375]) {
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme });
      await page.getByRole("button", { name: "Change percentage" }).waitFor();
      expect([await overflows(page), await barriers(page)]).toEqual([false, []]);
      await picture(page, `${colorScheme}-${width}`);
    }
  await press(page, "Promote");
  await page.getByRole("alertdialog").getByText("The candidate fails significantly more often.").waitFor();
  await page.keyboard.press("Escape");
  await press(page, "Change percentage");
  await page.getByRole("dialog").waitFor();
  expect([await overflows(page), await barriers(page)]).toEqual([false, []]);
  await picture(page, "change-dark-375");
});

it("marks the candidate in a conversation that uses it", async () => {
  const key = await desk.keyOf("talker");
  const { id, candidate } = await twoVersions(key, "talked-skill");
  await desk.as(key, "PUT", `${SKILLS}/${id}/rollout`, { candidate, percent: 100 });
  await desk.as(key, "POST", "/conversations/arm/turns", { conversation: {}, format: "openai" });
  const calls = [{ id: "c1", name: "load_skill", arguments: { skill_name: "talked-skill" } }];
  await desk.as(key, "POST", "/conversations/arm/tool-calls", { calls, format: "openai" });
  const page = await desk.enter(key, "/conversations/arm");
  await page
    .getByRole("region", { name: "Active skills" })
    .getByRole("rowheader", { name: "talked-skill 2.0.0 candidate", exact: true })
    .waitFor();
  expect(await barriers(page)).toEqual([]);
  await picture(page, "conversation");
});

it("has the form in Chinese", async () => {
  const key = await desk.keyOf("chinese-roller");
  const { id, candidate } = await twoVersions(key, "chinese-rollout");
  const { page, context, heard } = await open(desk.browser, desk.gateway.url, { locale: "zh-CN" });
  await page.goto(`${desk.gateway.url}/console/skills/${id}?view=use`);
  await page.locator("input").first().fill(key);
  await page.keyboard.press("Enter");
  await press(page, "开始灰度发布");
  const form = page.getByRole("dialog", { name: "开始灰度发布" });
  await form.getByRole("textbox", { name: "对话比例（%）" }).fill("5");
  await form.getByText("固定了其他版本的智能体不受影响。").waitFor();
  await picture(page, "start-zh");
  await form.getByRole("button", { name: "开始灰度发布" }).click();
  await page.getByText("5 % 的对话").waitFor();
  expect(await rolloutOf(key, id)).toEqual([candidate, 5]);
  await context.close();
  expect(heard()).toEqual([]);
});
