// Comparing two versions of a skill by text and permissions, and rolling back to the older one.

import { expect } from "vitest";
import { skillText } from "../page";
import type { Visit } from "./visit";

export async function rolledBack(visit: Visit): Promise<void> {
  const { page, hands } = visit;
  const name = visit.named("tides");
  const texts = {
    "1.0.0": skillText(name, "1.0.0", "Tell the tides.\n\nSay the height.", "allowed-tools: Read\n"),
    "2.0.0": skillText(name, "2.0.0", "Tell the tides.\n\nSay the depth.", "allowed-tools: Read Bash\n"),
  };
  await visit.enter(await visit.keyFor("sailor"), "/console/publish");
  for (const [version, text] of Object.entries(texts)) {
    await hands.give(await visit.folderOf(`${version}/${name}`, { "SKILL.md": text }));
    await page.getByText("Ready to publish.").waitFor();
    await visit.press("button", "Publish");
    await visit.heading(name).waitFor();
    await visit.go("Skills");
    await visit.press("link", "Publish a skill");
  }
  await visit.go("Skills");
  await visit.press("link", name);
  await page.getByText("Say the depth.").waitFor();
  await visit.press("link", "Versions");
  await visit.press("link", "Compare", visit.row("1.0.0"));
  await page.getByText("Added: allowed tools Bash", { exact: false }).waitFor();
  const { removed, added } = {
    removed: page.locator(".columns .removed code"),
    added: page.locator(".columns .added code"),
  };
  await removed.first().waitFor();
  expect(await removed.allInnerTexts()).toContain("Say the height.");
  expect(await added.allInnerTexts()).toContain("Say the depth.");
  await visit.look("two versions side by side");
  await visit.press("link", "Versions");
  await visit.press("button", "Make current", visit.row("1.0.0"));
  await visit.look("the question before going back");
  await visit.press("button", "Make current", page.getByRole("alertdialog"));
  await visit.row("1.0.0 (current)").waitFor();
  await visit.press("link", "Instructions");
  await page.getByText("Say the height.").waitFor();
}
