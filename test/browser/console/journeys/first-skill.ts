// From the first visit to the first published skill in at most six actions.

import { expect } from "vitest";
import { skillText } from "../page";
import type { Visit } from "./visit";

const MOST_ACTIONS = 6;

export async function firstSkill(visit: Visit): Promise<void> {
  const { page, hands } = visit;
  const name = visit.named("first");
  const folder = await visit.folderOf(name, {
    "SKILL.md": skillText(name, "1.0.0", "# The first\n\nRead [the notes](notes/more.md)."),
    "notes/more.md": "More.",
  });
  await visit.enter(await visit.keyFor("newcomer"));
  await visit.heading("Overview").waitFor();
  await visit.look("the overview of a newcomer");
  if (hands.name === "keyboard") await visit.press("link", "Publish a skill");
  await hands.give(folder);
  await page.getByText("Ready to publish.").waitFor();
  await visit.look("a good report");
  await visit.press("button", "Publish");
  await visit.heading(name).waitFor();
  await visit.heading("The first").waitFor();
  expect(hands.actions).toBeLessThanOrEqual(MOST_ACTIONS);
  await visit.look("the skill");
  await visit.press("link", "the notes");
  await page.getByRole("region", { name: "Content" }).getByText("More.", { exact: true }).waitFor();
}
