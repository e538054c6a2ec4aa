// A new ghost: skills are suggested, the preview shows the result before saving, and then a chat uses it.

import { expect } from "vitest";
import type { Visit } from "./visit";

export async function composed(visit: Visit): Promise<void> {
  const { page, hands } = visit;
  const name = visit.named("painter");
  await visit.enter(await visit.keyFor("composer"), "/console/ghosts");
  await visit.look("no ghost yet");
  await visit.press("link", "Start");
  await hands.write(page.getByLabel("Name", { exact: true }).first(), name);
  await hands.write(page.getByLabel("Prompt", { exact: true }), "You draw a diagram with Mermaid.");
  await visit.press("button", "Add mermaid-diagram");
  const preview = page.getByRole("region", { name: "Preview" });
  await preview.getByText("Ready to save. 1 skill.").waitFor();
  await preview.getByRole("row").filter({ hasText: "Total" }).waitFor();
  await visit.look("a ghost that is being composed");
  await visit.press("button", "Save");
  await visit.heading(name).waitFor();
  await visit.press("link", "Try it", page.locator("main"));
  await expect.poll(() => page.getByRole("combobox", { name: "Agent" }).inputValue()).toBe(name);
  await visit.look("a ghost before it is tried");
  await visit.press("button", "Draw how a login works");
  await page.locator(".talk .prose").waitFor();
  const skills = page.getByRole("region", { name: "Active skills" });
  await skills.getByRole("row").filter({ hasText: "mermaid-diagram" }).waitFor();
  await visit.look("a ghost that was tried");
}
