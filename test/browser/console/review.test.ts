// The page Review: an author submits a draft, a reviewer reads what it changes and decides it. Texts of others are shown as text.

import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { barriers } from "../axe";
import { overflows, skillText, zipOf } from "./page";
import { Desk } from "./setup";

const desk = new Desk();
const HOSTILE = "<img src=x onerror=alert(1)> \u202egnihsilbup";

/** Stores a picture for `REVIEW_PICTURES=<folder>`. */
async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env.REVIEW_PICTURES;
  if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
}

async function push(key: string, text: string, files: Record<string, string> = {}): Promise<void> {
  const body = new FormData();
  const { buffer } = zipOf("tides.zip", { "tides/SKILL.md": text, ...files });
  body.set("file", new Blob([new Uint8Array(buffer)]), "tides.zip");
  const answer = await fetch(`${desk.gateway.url}/api/v1/kinds/skills/drafts/tides`, {
    method: "PUT",
    headers: { authorization: `Bearer ${key}` },
    body,
  });
  expect(answer.ok).toBe(true);
}

it("leads from a draft to a published version, with a second pair of eyes", async () => {
  const author = await desk.keyOf("ann");
  const reviewer = await desk.keyOf("rea", { role: "admin" });
  await push(author, skillText("tides", "1.0.0", "# Tides\n\nFirst.\n"), { "tides/notes.md": "Notes.\n" });
  const page = await desk.enter(author, "/drafts");
  await page.getByRole("button", { name: "Submit tides" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Note for the reviewers").fill(HOSTILE);
  await picture(page, "submit");
  await dialog.getByRole("button", { name: "Submit", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "tides" }).waitFor();
  await page.getByText("⟨U+202E⟩gnihsilbup").waitFor();
  expect(await page.locator("main img").count()).toBe(0);
  expect(await page.getByRole("button", { name: "Approve" }).count()).toBe(0);
  expect([await overflows(page), await barriers(page)]).toEqual([false, []]);
  const id = page.url().split("/").at(-1)?.split("?")[0] ?? "";
  await desk.seen.context.clearCookies();

  await desk.enter(reviewer, "/");
  const attention = page.locator(".card", { hasText: "Needs attention" });
  await attention.getByRole("link", { name: "tides" }).waitFor();
  await attention.getByText("Waiting for review since").waitFor();
  await page.goto(`${desk.gateway.url}/console/review`);
  await page.getByRole("link", { name: "tides" }).waitFor();
  await picture(page, "list");
  expect([await overflows(page), await barriers(page)]).toEqual([false, []]);
  await page.getByRole("link", { name: "tides" }).click();
  const changed = page.getByRole("region", { name: "Changed files" });
  await changed.getByRole("link", { name: "notes.md" }).click();
  await page.getByRole("region", { name: "Changes of notes.md" }).getByText("Notes.").waitFor();
  await page.getByRole("button", { name: "Comment" }).click();
  await dialog.getByLabel("Comment", { exact: true }).fill("Which sea?");
  await dialog.getByLabel("File and line").fill("SKILL.md:7");
  await dialog.getByRole("button", { name: "Add comment" }).click();
  const history = page.getByRole("region", { name: "History" });
  await history.getByText("SKILL.md:7").waitFor();
  await page.getByRole("button", { name: "Request changes" }).click();
  await dialog.getByLabel("Reason").fill("Name the sea.");
  await dialog.getByRole("button", { name: "Request changes" }).click();
  await page.getByText("changes requested").first().waitFor();

  // The reviewer opens the dialog, and the author pushes meanwhile.
  await page.getByRole("button", { name: "Approve" }).click();
  await push(author, skillText("tides", "1.0.0", "# Tides\n\nThe North Sea.\n"));
  await dialog.getByRole("button", { name: "Approve and publish" }).click();
  await dialog.getByText("The author changed the content after you read it.").waitFor();
  await picture(page, "changed");
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await page.getByText("The North Sea.").waitFor();
  for (const [scheme, width] of [
    ["light", 1280],
    ["dark", 1280],
    ["light", 375],
    ["dark", 375],
  ] as const) {
    await page.emulateMedia({ colorScheme: scheme });
    await page.setViewportSize({ width, height: 800 });
    // Colors change over some milliseconds.
    await page.waitForFunction(() => document.getAnimations().length === 0);
    await picture(page, `detail-${scheme}-${width}`);
    expect([await overflows(page), await barriers(page)]).toEqual([false, []]);
  }
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByRole("button", { name: "Approve" }).click();
  await dialog.getByRole("button", { name: "Approve and publish" }).click();
  await page.getByText("approved it").waitFor();
  const found = await desk.as<{ state: string }>(author, "GET", `/reviews/${id}`);
  expect(found.body.state).toBe("approved");
  const skills = await desk.as<{ items: unknown[] }>(author, "GET", "/kinds/skills?name=tides");
  expect(skills.body.items).toHaveLength(1);
});

it("lets the owner of a group require reviews", async () => {
  const admin = await desk.keyOf("gus", { role: "admin" });
  expect((await desk.as(admin, "POST", "/groups", { name: "harbour" })).status).toBe(201);
  const page = await desk.enter(admin, "/groups/harbour");
  await page.getByText("as the operator set it").waitFor();
  await page.getByRole("button", { name: "Review", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("combobox").selectOption("required");
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByText("new versions are published by approval only").waitFor();
  const { body } = await desk.as<{ review: string }>(admin, "GET", "/groups/harbour");
  expect(body.review).toBe("required");
  expect([await overflows(page), await barriers(page)]).toEqual([false, []]);
});
