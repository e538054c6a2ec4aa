// Recorded test results in the console in Chromium: the table, the failing cases, and the warning of a publish and an activation.

import { createHash } from "node:crypto";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import * as z from "zod";
import { barriers } from "../axe";
import { open, overflows, skillText, zipOf } from "./page";
import { Desk } from "./setup";

const PICTURES = process.env.CATALOG_PICTURES;
const desk = new Desk("shared");
const HOSTILE = "<img src=x onerror=alert(1)>";

const publishedSchema = z.object({
  metadata: z.object({ labels: z.object({ id: z.string() }) }),
  status: z.object({ version_id: z.string() }),
});

const zip = (version: string) =>
  zipOf("tides.zip", { "tides/SKILL.md": skillText("tides", version, `Text of ${version}.`) });

/** Uploads a package below the path of skills. Returns the response. */
async function upload(
  key: string,
  version: string,
  { method = "POST", route = "upload", namespace = "default" },
): Promise<Response> {
  const body = new FormData();
  body.set("namespace", namespace);
  body.set("file", new Blob([new Uint8Array(zip(version).buffer)]), "tides.zip");
  const headers = { authorization: `Bearer ${key}` };
  const answer = await fetch(`${desk.gateway.url}/api/v1/kinds/skills/${route}`, { method, headers, body });
  expect(answer.ok).toBe(true);
  return answer;
}

async function publish(
  key: string,
  version: string,
  namespace = "default",
): Promise<{ id: string; versionId: string }> {
  const answer = await upload(key, version, { namespace });
  const { metadata, status } = publishedSchema.parse(await answer.json());
  return { id: metadata.labels.id, versionId: status.version_id };
}

/** The digest of a content with only a SKILL.md, as `domain/package/package.ts` defines it. */
function digestOf(version: string): string {
  const text = Buffer.from(skillText("tides", version, `Text of ${version}.`));
  return sha256(`${["SKILL.md", "644", text.length, sha256(text)].join("\0")}\n`);
}

const sha256 = (data: string | Buffer) => createHash("sha256").update(data).digest("hex");

/** Publishes 1.0.0, and records results of it and of 2.0.0, in which a case fails that passed. */
async function tested(key: string, namespace = "default"): Promise<{ id: string; versionId: string }> {
  const first = await publish(key, "1.0.0", namespace);
  const record = async (digest: string, second: object) => {
    const cases = [
      { name: "routing: high tide", passed: true },
      { name: HOSTILE, ...second },
    ];
    const body = { digest, runner: "skillgate test", cases };
    expect(await desk.as(key, "POST", `/kinds/skills/${first.id}/evals`, body)).toMatchObject({ status: 201 });
  };
  await record(digestOf("1.0.0"), { passed: true });
  await record(digestOf("2.0.0"), { passed: false, reason: "<b>rank</b> #9" });
  return first;
}

async function picture(page: Page, name: string): Promise<void> {
  if (PICTURES !== undefined)
    await page.screenshot({ path: `${PICTURES}/console-${name}.png`, animations: "disabled" });
}

it("shows the pass rate of each version, and its failing cases on request", async () => {
  const key = await desk.keyOf("tester");
  const { id } = await tested(key);
  await publish(key, "3.0.0");
  const page = await desk.enter(key, `/skills/${id}?view=use`);
  const table = page.getByRole("region", { name: "Test results" });
  const rows = async () => (await table.getByRole("row").allInnerTexts()).map((row) => row.replace(/\s+/g, " ").trim());
  await expect
    .poll(rows)
    .toMatchObject([
      expect.stringContaining("Pass rate"),
      expect.stringMatching(/^[0-9a-f]{12} not published 50\.0 % 1 \/ 2 .* Failing cases$/),
      expect.stringMatching(/^1\.0\.0 100\.0 % 2 \/ 2 /),
    ]);
  await publish(key, "2.0.0");
  await page.reload();
  await expect
    .poll(rows)
    .toMatchObject([expect.anything(), expect.stringMatching(/^2\.0\.0 current 50\.0 %/), expect.anything()]);
  await page.getByRole("button", { name: "Failing cases of 2.0.0" }).click();
  const window = page.getByRole("dialog", { name: "Failing cases of 2.0.0" });
  await expect.poll(() => window.innerText()).toContain(`${HOSTILE}\n<b>rank</b> #9`);
  expect(await window.innerText()).not.toContain("high tide");
  expect(await barriers(page)).toEqual([]);
  await picture(page, "evals-window");
  await window.getByRole("button", { name: "Close" }).click();
  for (const colorScheme of ["light", "dark"] as const)
    for (const width of [1_280, 375]) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 800 });
      expect(await overflows(page)).toBe(false);
      await table.scrollIntoViewIfNeeded();
      await picture(page, `evals-${colorScheme}-${width}`);
    }
});

it("says how to record results, in both languages", async () => {
  const key = await desk.keyOf("starter");
  const { id } = await publish(key, "1.0.0");
  const page = await desk.enter(key, `/skills/${id}?view=use`);
  await page.getByText("No results are recorded.").waitFor();
  const chinese = await open(desk.browser, desk.gateway.url, { locale: "zh-CN" });
  await chinese.page.goto(`${desk.gateway.url}/console/skills/${id}?view=use`);
  await chinese.page.locator("input").first().fill(key);
  await chinese.page.keyboard.press("Enter");
  await chinese.page.getByText("没有记录的结果").waitFor();
  await chinese.context.close();
});

it("warns when a package is published or a version activated with which a case fails that passed", async () => {
  const key = await desk.keyOf("publisher");
  const { id, versionId } = await tested(key);
  const page = await desk.enter(key, "/publish");
  const [chooser] = await Promise.all([
    page.waitForEvent("filechooser"),
    page.getByRole("button", { name: "Choose a ZIP or SKILL.md" }).click(),
  ]);
  await chooser.setFiles(zip("2.0.0"));
  await page.getByRole("button", { name: "Publish", exact: true }).click();
  const warning = page.getByRole("alertdialog").filter({ hasText: "Test results are worse." });
  await expect
    .poll(() => warning.innerText())
    .toContain(`1 test case that passes with version 1.0.0 fails now: '${HOSTILE}'. Run skillgate test`);
  expect(await barriers(page)).toEqual([]);
  await picture(page, "evals-warning");
  await warning.getByRole("button", { name: "Close" }).click();
  await warning.waitFor({ state: "detached" });
  await desk.as(key, "POST", `/kinds/skills/${id}/versions/${versionId}/activate`);
  await page.goto(`${desk.gateway.url}/console/skills/${id}?view=versions`);
  await page.getByRole("button", { name: "Activate", exact: true }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Activate" }).click();
  await warning.waitFor();
});

it("shows a reviewer the results of a submission, and warns before its approval", async () => {
  const author = await desk.keyOf("author");
  const reviewer = await desk.keyOf("reviewer", { role: "admin" });
  const namespace = "tide-readers";
  expect((await desk.as(reviewer, "POST", "/groups", { name: namespace })).status).toBe(201);
  await desk.as(reviewer, "PUT", `/groups/${namespace}/members/author`, { role: "Developer" });
  await tested(reviewer, namespace);
  await upload(author, "2.0.0", { method: "PUT", route: "drafts/tides" });
  const made = await desk.as<{ id: string }>(author, "POST", "/reviews", { draft: "tides", namespace });
  const page = await desk.enter(reviewer, `/review/${made.body.id}`);
  const results = page.locator(".card", { hasText: "Test results" });
  await results.getByText("1 of 2 cases passed (50.0 %).").waitFor();
  await expect.poll(() => results.innerText()).toContain(`${HOSTILE} passed before\n<b>rank</b> #9`);
  expect(await results.locator("img").count()).toBe(0);
  for (const colorScheme of ["light", "dark"] as const)
    for (const width of [1_280, 375]) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 800 });
      expect([await overflows(page), await barriers(page)]).toEqual([false, []]);
      await results.scrollIntoViewIfNeeded();
      await picture(page, `review-evals-${colorScheme}-${width}`);
    }
  await page.getByRole("button", { name: "Approve", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("1 case that passes with version 1.0.0 fails now.").waitFor();
  await picture(page, "review-evals-approve");
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "Reject", exact: true }).click();
  await dialog.getByLabel("Reason").waitFor();
  expect(await dialog.getByText("fails now").count()).toBe(0);
});
