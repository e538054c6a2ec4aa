// Parts of the console in Chromium that no journey covers: sign-in, sign-out and paginated lists.

import { readFile } from "node:fs/promises";
import { beforeAll, expect, it } from "vitest";
import type { Skill } from "../../../sdk/src/generated/operations";
import { keyField } from "../chromium";
import { go, open, signIn, signInByForm, signOut, skillText, zipOf } from "./page";
import { Desk } from "./setup";

const desk = new Desk();
let key: string;

beforeAll(async () => {
  key = await desk.keyOf("alice");
});

it("opens by the link of npm start, which counts once, asks first and leaves the address", async () => {
  const { page } = desk.seen;
  await page.goto(desk.gateway.consoleLink);
  const accept = page.getByRole("button", { name: "Sign in with the link" });
  await accept.waitFor();
  expect(page.url()).not.toContain("ticket");
  expect((await desk.seen.context.cookies()).length).toBe(0);
  await accept.click();
  await go(page, "System", "Audit log");
  await page.getByRole("cell").first().waitFor();
  const [cookie] = await desk.seen.context.cookies();
  expect(cookie).toMatchObject({ httpOnly: true, sameSite: "Strict" });
  await signOut(page);
  expect(await desk.seen.context.cookies()).toEqual([]);

  const other = await desk.seen.context.newPage();
  await other.goto(desk.gateway.consoleLink);
  await other.getByRole("button", { name: "Sign in with the link" }).click();
  await other.getByRole("alert").waitFor();
});

it("refuses a key that is none, and says so", async () => {
  const { page } = desk.seen;
  await page.goto(`${desk.gateway.url}/console/`);
  await keyField(page).fill("sgw_nobody");
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("alert").filter({ hasText: "Request rejected." }).waitFor();
});

it("keeps the address that was asked for through the sign-in, and shows nothing after signing out", async () => {
  const { page } = desk.seen;
  await signInByForm(page, desk.gateway.url, key, "/console/limits");
  await page.getByRole("heading", { name: "System" }).waitFor();
  await go(page, "API keys");
  await page.getByRole("heading", { name: "API keys" }).waitFor();
  await signOut(page);
  await page.goBack();
  await keyField(page).waitFor();
  expect(await page.getByRole("heading", { name: "System" }).count()).toBe(0);
});

it("renders only the rows in view, and filters by the address", async () => {
  const { page } = desk.seen;
  const names = Array.from({ length: 60 }, (_, n) => `many-${`${n}`.padStart(3, "0")}`);
  const other = (await desk.gateway.call<{ key: string }>("POST", "/keys", { user_id: "bob" })).body.key;
  for (const name of names) {
    const form = new FormData();
    const tags = name === "many-042" ? "tags: [rare]\n" : "";
    const { buffer } = zipOf(`${name}.zip`, { [`${name}/SKILL.md`]: skillText(name, "1.0.0", "Text.", tags) });
    form.set("file", new Blob([new Uint8Array(buffer)]), `${name}.zip`);
    const answer = await fetch(`${desk.gateway.url}/api/v1/kinds/skills/upload`, {
      method: "POST",
      headers: { authorization: `Bearer ${other}` },
      body: form,
    });
    expect(answer.status).toBe(201);
  }
  await signIn(page, desk.gateway.url, other, "/console/skills?from=default");
  const rows = page.locator("tbody tr[aria-rowindex]");
  const link = (name: string) => page.getByRole("link", { name });
  const part = (name: string) => page.getByRole("button", { name: new RegExp(`^${name} `) });
  await link("many-000").waitFor();
  expect(await page.locator("[aria-rowcount]").getAttribute("aria-rowcount")).toBe("61");
  expect(await rows.count()).toBeLessThanOrEqual(30);
  await page.getByRole("region", { name: "Skills" }).evaluate((region) => region.scrollTo(0, region.scrollHeight));
  await link("many-059").waitFor();
  await link("many-000").waitFor({ state: "detached" });
  expect(await rows.count()).toBeLessThanOrEqual(30);
  await page.getByLabel("Tag").selectOption("rare");
  await page.getByText("1 of ", { exact: false }).waitFor();
  await link("many-042").waitFor();
  expect(new URL(page.url()).search).toBe("?from=default&tag=rare");
  await page.reload();
  await link("many-042").waitFor();
  expect(await rows.count()).toBe(1);
  // The built-in skills have scripts, those of the user have none.
  await part("Scripts").click();
  await page.getByText("No matching skills").waitFor();
  await page.getByRole("link", { name: "show all skills" }).click();
  await part("Scripts").click();
  await link("csv-report").waitFor();
  expect([await link("many-042").count(), await part("Scripts").getAttribute("aria-pressed")]).toEqual([0, "true"]);
  // No conversation has used the skills of the user.
  await part("Scripts").click();
  await part("Unused").click();
  await link("many-000").waitFor();
  expect(await part("Failing").isDisabled()).toBe(true);
  await part("Unused").click();
  await part("Scripts").click();
  await page.getByRole("searchbox").fill("what is many-042 for");
  await part("Scripts").click();
  await page.getByRole("searchbox").press("Enter");
  await link("many-042").waitFor();
  expect(new URL(page.url()).searchParams.get("q")).toBe("what is many-042 for");
});

it.each([
  ["en-US", "Signed", "Statement"],
  ["zh-CN", "已签名", "声明"],
])("shows the key that signed a version, and downloads the statement: %s", async (locale, signed, statement) => {
  const name = `signed-${locale.toLowerCase()}`;
  const form = new FormData();
  const { buffer } = zipOf(`${name}.zip`, { [`${name}/SKILL.md`]: skillText(name, "1.0.0", "Text.") });
  form.set("file", new Blob([new Uint8Array(buffer)]), `${name}.zip`);
  const headers = { authorization: `Bearer ${key}` };
  const skills = `${desk.gateway.url}/api/v1/kinds/skills`;
  const published = await fetch(`${skills}/upload`, { method: "POST", headers, body: form });
  const { metadata, status } = (await published.json()) as Skill;
  const version = `${metadata.labels.id}/versions/${status.version_id}`;
  const envelope: unknown = await (await fetch(`${skills}/${version}/attestation`, { headers })).json();

  const { context, page, heard } = await open(desk.browser, desk.gateway.url, { locale });
  // The sign-in page has English names in the tests' helper.
  await page.goto(`${desk.gateway.url}/console/skills/${metadata.labels.id}`);
  await page.locator("input").first().fill(key);
  await page.keyboard.press("Enter");
  const fact = page.locator(".facts > div").filter({ hasText: signed });
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    fact.getByRole("link", { name: statement }).click(),
  ]);
  expect(file.suggestedFilename()).toBe(`${status.version_id}.intoto.json`);
  expect(JSON.parse(await readFile(await file.path(), "utf8"))).toEqual(envelope);
  expect(envelope).toMatchObject({ signatures: [{ keyid: await fact.locator("code").getAttribute("title") }] });
  expect(heard()).toEqual([]);
  await context.close();
});
