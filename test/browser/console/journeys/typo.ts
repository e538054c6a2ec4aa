// A typo in a skill is fixed: the gateway reports a mistake while the user writes, a draft is saved, and a comparison precedes the version.

import { expect } from "vitest";
import { skillText } from "../page";
import type { Visit } from "./visit";

export async function typo(visit: Visit): Promise<void> {
  const { page, hands } = visit;
  const name = visit.named("typo");
  const key = await visit.keyFor("writer");
  const text = skillText(name, "1.0.9", "Tell the tiddes.");
  await visit.publish(key, name, text);
  await visit.enter(key, "/console/skills");
  await visit.press("link", name);
  await visit.press("link", "Edit");
  const source = page.getByRole("textbox", { name: "SKILL.md" });
  const isReady = page.getByRole("status").filter({ hasText: "Ready to publish." });
  await isReady.waitFor();
  await hands.write(source, text.replace(/^description: .*\n/m, ""));
  await page.getByRole("status").filter({ hasText: "Cannot be published" }).waitFor();
  await page.getByRole("button", { name: "Line 1", exact: true }).waitFor();
  expect(await page.getByRole("button", { name: "Review and publish" }).isDisabled()).toBe(true);
  await visit.look("a mistake while writing");
  await hands.write(source, text.replace("tiddes", "tides"));
  await isReady.waitFor();
  await visit.press("button", "Review and publish");
  const review = page.getByRole("dialog", { name: `Publish ${name}?` });
  expect(await review.getByLabel("Version", { exact: true }).inputValue()).toBe("1.0.10");
  await visit.look("the comparison before publishing");
  expect(await review.locator(".columns .added code").allInnerTexts()).toEqual(["version: 1.0.10", "Tell the tides."]);
  await visit.press("button", "Publish", review);
  await visit.heading(name).waitFor();
  await page.getByText("Tell the tides.").waitFor();
  await page.getByRole("complementary", { name: "Facts" }).getByText("1.0.10", { exact: true }).waitFor();
}
