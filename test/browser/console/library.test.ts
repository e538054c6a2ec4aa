// The library of the console in Chromium: the way from an empty page to a published skill, and back from a bad version.

import { beforeAll, expect, it } from "vitest";
import { Desk } from "./desk";
import { drop, signIn, skillText, zipOf } from "./page";

const desk = new Desk();
let key: string;

beforeAll(async () => {
  key = await desk.keyOf("alice");
});

it("opens by the link of npm start, which counts once, asks first and leaves the address", async () => {
  const { page } = desk.seen;
  await page.goto(desk.gateway.consoleLink);
  const go = page.getByRole("button", { name: "Sign in by the link" });
  await go.waitFor();
  expect(page.url()).not.toContain("ticket");
  expect((await desk.seen.context.cookies()).length).toBe(0);
  await go.click();
  await page.getByRole("link", { name: "Audit" }).waitFor();
  const [cookie] = await desk.seen.context.cookies();
  expect(cookie).toMatchObject({ httpOnly: true, sameSite: "Strict" });
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByLabel("Your key").waitFor();
  expect(await desk.seen.context.cookies()).toEqual([]);

  const other = await desk.seen.context.newPage();
  await other.goto(desk.gateway.consoleLink);
  await other.getByRole("button", { name: "Sign in by the link" }).click();
  await other.getByRole("alert").waitFor();
});

it("refuses a key that is none, and says so", async () => {
  const { page } = desk.seen;
  await page.goto(`${desk.gateway.url}/console/`);
  await page.getByLabel("Your key").fill("sgw_nobody");
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("alert").filter({ hasText: "Refused." }).waitFor();
});

it("keeps the address that was asked for through the sign-in, and shows nothing after signing out", async () => {
  const { page } = desk.seen;
  await signIn(page, desk.gateway.url, key, "/console/limits");
  await page.getByRole("heading", { name: "Limits in use" }).waitFor();
  await page.getByRole("link", { name: "Keys" }).click();
  await page.getByRole("heading", { name: "Keys" }).waitFor();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByLabel("Your key").waitFor();
  await page.goBack();
  await page.getByLabel("Your key").waitFor();
  expect(await page.getByRole("heading", { name: "Limits in use" }).count()).toBe(0);
});

it("says what is wrong with a package, by file and line, and takes the one that is mended", async () => {
  const { page } = desk.seen;
  await signIn(page, desk.gateway.url, key);
  await drop(page, zipOf("broken.zip", { "broken/SKILL.md": "---\nname: broken\nversion: 1.0.0\n---\nText.\n" }));
  const problem = page.getByRole("status").filter({ hasText: "It cannot be published" });
  await problem.waitFor();
  expect(await problem.innerText()).toContain("SKILL.md");
  expect(await page.getByRole("button", { name: "Publish", exact: true }).count()).toBe(0);
  await drop(page, zipOf("mended.zip", { "mended/SKILL.md": skillText("mended", "1.0.0", "# Mended\n\nText.") }));
  await page.getByRole("status").filter({ hasText: "It can be published." }).waitFor();
  await page.getByRole("button", { name: "Publish", exact: true }).click();
  await page.getByRole("heading", { name: "mended", level: 1 }).waitFor();
  expect(new URL(page.url()).pathname).toMatch(/^\/console\/skills\/skl_/);
  await page.getByRole("link", { name: "Library" }).click();
  await page.getByRole("row").filter({ hasText: "What mended is for." }).waitFor();
});

it("compares two versions, text and permissions, and goes back to the older one", async () => {
  const { page } = desk.seen;
  await signIn(page, desk.gateway.url, key, "/console/publish");
  const versions = [
    skillText("tides", "1.0.0", "Tell the tides.\n\nSay the height.", "allowed-tools: Read\n"),
    skillText("tides", "2.0.0", "Tell the tides.\n\nSay the depth.", "allowed-tools: Read Bash\n"),
  ];
  for (const text of versions) {
    await drop(page, zipOf("tides.zip", { "tides/SKILL.md": text }));
    await page.getByRole("button", { name: "Publish", exact: true }).click();
    await page.getByRole("heading", { name: "tides", level: 1 }).waitFor();
  }
  await page.getByText("Say the depth.").waitFor();
  await page.getByRole("link", { name: "Versions" }).click();
  await page.getByRole("row").filter({ hasText: "1.0.0" }).getByRole("link", { name: "Compare" }).click();
  await page.getByText("May now: allowed tools Bash", { exact: false }).waitFor();
  await page.locator(".columns .removed code").first().waitFor();
  expect(await page.locator(".columns .removed code").allInnerTexts()).toContain("Say the height.");
  expect(await page.locator(".columns .added code").allInnerTexts()).toContain("Say the depth.");
  await page.getByRole("link", { name: "Versions" }).click();
  await page.getByRole("row").filter({ hasText: "1.0.0" }).getByRole("button", { name: "Make current" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Make current" }).click();
  await page.getByRole("row").filter({ hasText: "1.0.0 (current)" }).waitFor();
  await page.getByRole("link", { name: "Instructions" }).click();
  await page.getByText("Say the height.").waitFor();
});

it("asks one page at a time, and holds no more rows than that", async () => {
  const { page } = desk.seen;
  const names = Array.from({ length: 60 }, (_, n) => `many-${`${n}`.padStart(3, "0")}`);
  const other = (await desk.gateway.call<{ key: string }>("POST", "/keys", { user_id: "bob" })).body.key;
  for (const name of names) {
    const form = new FormData();
    const { buffer } = zipOf(`${name}.zip`, { [`${name}/SKILL.md`]: skillText(name, "1.0.0", "Text.") });
    form.set("file", new Blob([new Uint8Array(buffer)]), `${name}.zip`);
    const answer = await fetch(`${desk.gateway.url}/api/v1/kinds/skills/upload`, {
      method: "POST",
      headers: { authorization: `Bearer ${other}` },
      body: form,
    });
    expect(answer.status).toBe(201);
  }
  const asked: string[] = [];
  page.on("request", (request) => request.url().includes("/kinds/skills") && asked.push(request.url()));
  await signIn(page, desk.gateway.url, other);
  await page.getByRole("link", { name: "many-000" }).waitFor();
  expect([await page.locator("tbody tr").count(), asked.length]).toEqual([50, 1]);
  await page.getByRole("link", { name: "Next page" }).click();
  await page.getByRole("link", { name: "many-059" }).waitFor();
  expect(asked.length).toBe(2);
  await page.reload();
  await page.getByRole("link", { name: "many-059" }).waitFor();
  await page.getByRole("searchbox").fill("what is many-042 for");
  await page.keyboard.press("Enter");
  await page.getByRole("link", { name: "many-042" }).waitFor();
  expect(new URL(page.url()).searchParams.get("q")).toBe("what is many-042 for");
});
