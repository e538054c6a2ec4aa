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
  await visit.press("link", "Compare", visit.entry("1.0.0"));
  await page.getByText("Added: Allowed tool of the host Bash", { exact: false }).waitFor();
  const { removed, added } = {
    removed: page.locator(".columns .removed code"),
    added: page.locator(".columns .added code"),
  };
  await removed.first().waitFor();
  expect(await removed.allInnerTexts()).toContain("Say the height.");
  expect(await added.allInnerTexts()).toContain("Say the depth.");
  await visit.look("two versions side by side");
  await visit.press("link", "Versions");
  await visit.press("button", "Roll back", visit.entry("1.0.0"));
  await page.getByRole("alertdialog", { name: "Roll back to 1.0.0?" }).getByText("2.0.0 is kept").waitFor();
  await visit.look("the question before rolling back");
  await visit.press("button", "Roll back", page.getByRole("alertdialog"));
  await visit.entry("1.0.0", "current").waitFor();
  // The newer version is activated, not rolled back to. A yank can be undone.
  await visit.entry("2.0.0").getByRole("button", { name: "Activate", exact: true }).waitFor();
  await visit.press("button", "Yank", visit.entry("2.0.0"));
  await visit.press("button", "Yank", page.getByRole("alertdialog", { name: "Yank 2.0.0?" }));
  await visit.entry("2.0.0", "yanked").waitFor();
  await visit.look("a yanked version");
  await visit.press("button", "Undo yank", visit.entry("2.0.0"));
  await visit.press("button", "Undo yank", page.getByRole("alertdialog"));
  await visit.entry("2.0.0").getByRole("button", { name: "Activate", exact: true }).waitFor();
  await visit.press("link", "Instructions");
  await page.getByText("Say the height.").waitFor();
}
