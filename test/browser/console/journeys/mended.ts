// An invalid package: its report lists the problems with their location. The fixed package is published.

import { expect } from "vitest";
import { skillText } from "../page";
import type { Visit } from "./visit";

export async function mended(visit: Visit): Promise<void> {
  const { page, hands } = visit;
  const name = visit.named("mended");
  const good = skillText(name, "1.0.0", "# Mended");
  const broken = good.replace(/^description: .*\n/m, "");
  await visit.enter(await visit.keyFor("mender"), "/console/publish");
  await visit.look("nothing chosen");
  await hands.give(await visit.folderOf(name, { "SKILL.md": broken }));
  const told = page.getByRole("status").filter({ hasText: "Cannot be published" });
  await told.waitFor();
  await visit.look("a bad report");
  // The report contains enough to fix it: the location and the missing field.
  const places = await told.getByRole("listitem").locator("> code").allInnerTexts();
  expect(places).toEqual(["SKILL.md:1"]);
  expect(await told.innerText()).toContain("description");
  expect(await page.getByRole("button", { name: "Publish", exact: true }).count()).toBe(0);
  await hands.give(await visit.folderOf(name, { "SKILL.md": good }));
  await page.getByText("Ready to publish.").waitFor();
  await visit.press("button", "Publish");
  await visit.heading("Mended").waitFor();
  await visit.go("Skills");
  await page.getByRole("link", { name, exact: true }).waitFor();
}
