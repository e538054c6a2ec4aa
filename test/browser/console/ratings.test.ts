// Ratings and reports in the console in Chromium. A rating needs a load of an hour ago, so the ratings of one skill are simulated.

import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { barriers } from "../axe";
import { overflows, signIn, skillText, zipOf } from "./page";
import { Desk } from "./setup";

const PICTURES = process.env.CATALOG_PICTURES;
const desk = new Desk();
const HOSTILE = "<img src=x onerror=alert(1)>\u202Ebad";

async function publish(name: string): Promise<string> {
  const { buffer } = zipOf(`${name}.zip`, { [`${name}/SKILL.md`]: skillText(name, "1.0.0", "# Text") });
  const body = new FormData();
  body.set("file", new Blob([new Uint8Array(buffer)]), `${name}.zip`);
  const headers = { authorization: `Bearer ${desk.gateway.key}` };
  const answer = await fetch(`${desk.gateway.url}/api/v1/kinds/skills/public`, { method: "POST", headers, body });
  expect(answer.status).toBe(201);
  const { metadata } = (await answer.json()) as { metadata: { labels: { id: string } } };
  return metadata.labels.id;
}

async function picture(page: Page, name: string): Promise<void> {
  if (PICTURES !== undefined) await page.screenshot({ path: `${PICTURES}/console-${name}.png`, fullPage: true });
}

const rating = (id: string, more: object) => ({
  ...{ id, stars: 4, comment: null, version_id: "ver_1", version: "1.0.0", answer: null, is_own: false, hidden: null },
  ...{ created_at: "2026-11-20T10:00:00.000Z", updated_at: "2026-11-20T10:00:00.000Z", ...more },
});

it("rates a skill by the keyboard, and shows comments and answers as text", async () => {
  const id = await publish("rated-skill");
  const items = [
    rating("rtg_1", { comment: HOSTILE, answer: { text: "Fixed.", answered_at: "2026-11-21T10:00:00.000Z" } }),
    rating("rtg_2", { stars: 2, hidden: { hidden_at: "2026-11-21T10:00:00.000Z", reason: "Spam." }, is_own: true }),
  ];
  const listed = {
    ...{ summary: { count: 2, average: 3, score: 3.36 }, own: null, can_rate: true, cannot_rate_because: null },
    ...{ can_answer: true, items, next_cursor: null },
  };
  const sent: unknown[] = [];
  const { page } = desk.seen;
  await page.route(/\/kinds\/skills\/[^/]+\/ratings/, async (route) => {
    if (route.request().method() === "PUT")
      sent.push([new URL(route.request().url()).pathname, route.request().postDataJSON()]);
    const isList = route.request().method() === "GET";
    await route.fulfill({ json: isList ? listed : rating("rtg_3", {}) });
  });
  await signIn(page, desk.gateway.url, desk.gateway.key, `/console/skills/${id}?view=ratings`);
  const list = page.getByRole("list", { name: "Ratings" });
  await list.getByText("<img src=x onerror=alert(1)>⟨U+202E⟩bad").waitFor();
  await list.getByText("Fixed.").waitFor();
  await page.getByRole("complementary", { name: "Facts" }).getByLabel("3 of 5 stars").waitFor();
  expect(await page.locator("main img").count()).toBe(0);
  expect([await overflows(page), await barriers(page)]).toEqual([false, []]);
  await picture(page, "ratings-light");

  await page.getByRole("button", { name: "Rate this skill" }).press("Enter");
  const form = page.getByRole("dialog", { name: "Rate this skill" });
  await form.getByRole("combobox", { name: "Stars" }).selectOption("4");
  await form.getByRole("textbox", { name: "Comment" }).fill("Works.");
  expect(await barriers(page)).toEqual([]);
  await picture(page, "rate");
  await form.getByRole("button", { name: "Save" }).press("Enter");
  await page.getByText("Rating stored.").waitFor();
  await list.getByRole("button", { name: "Hide" }).click();
  const hide = page.getByRole("dialog", { name: "Hide the rating" });
  await hide.getByRole("textbox", { name: "Reason" }).fill("Insult.");
  await hide.getByRole("button", { name: "Hide" }).click();
  await page.getByText("Rating hidden.").waitFor();
  expect(sent).toEqual([
    [`/console/api/v1/kinds/skills/${id}/ratings/own`, { stars: 4, comment: "Works." }],
    [`/console/api/v1/kinds/skills/${id}/ratings/rtg_1/hidden`, { hidden: true, reason: "Insult." }],
  ]);

  await page.setViewportSize({ width: 375, height: 800 });
  await page.emulateMedia({ colorScheme: "dark" });
  expect([await overflows(page), await barriers(page)]).toEqual([false, []]);
  await picture(page, "ratings-dark-375");
});

it("reports a skill, and an admin decides the report", async () => {
  const id = await publish("reported-skill");
  const key = await desk.keyOf("rhea");
  const page = await desk.enter(key, `/skills/${id}?view=ratings`);
  await page.getByText("Load the skill in a conversation first.").waitFor();
  await page.getByText("No ratings yet").waitFor();
  await page.getByRole("button", { name: "Report abuse" }).click();
  const form = page.getByRole("dialog", { name: "Report the skill" });
  await form.getByRole("combobox", { name: "Reason" }).selectOption("spam");
  await form.getByRole("textbox", { name: "Message" }).fill(HOSTILE);
  await form.getByRole("button", { name: "Send" }).click();
  await page.getByText("Report sent.").waitFor();
  await page.getByRole("button", { name: "Report abuse" }).click();
  await form.getByRole("button", { name: "Send" }).click();
  await form.getByText("You already reported this.").waitFor();

  await page.context().clearCookies();
  await signIn(page, desk.gateway.url, desk.gateway.key, "/console/reports");
  const row = page.getByRole("row").filter({ hasText: "reported-skill" });
  await row.getByText("<img src=x onerror=alert(1)>⟨U+202E⟩bad").waitFor();
  expect([await overflows(page), await barriers(page)]).toEqual([false, []]);
  await picture(page, "reports-light");
  await page.setViewportSize({ width: 375, height: 800 });
  await page.emulateMedia({ colorScheme: "dark" });
  expect([await overflows(page), await barriers(page)]).toEqual([false, []]);
  await picture(page, "reports-dark-375");
  await row.getByRole("button", { name: "Decide" }).click();
  const decide = page.getByRole("dialog", { name: "Decide the report" });
  await decide.getByRole("combobox", { name: "Decision" }).selectOption("dismissed");
  await decide.getByRole("textbox", { name: "Note" }).fill("Nothing is wrong.");
  await decide.getByRole("button", { name: "Decide" }).click();
  await page.getByText("No reports").waitFor();
  await page.getByRole("combobox", { name: "State" }).selectOption("decided");
  await page.getByRole("row").filter({ hasText: "Nothing is wrong." }).getByText("Dismissed").waitFor();
});
