// Creating and editing ghosts in the console in Chromium, by several users and in two tabs.

import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { barriers } from "../axe";
import { openBrowser } from "../chromium";
import { Gateway } from "../gateway";
import { go, open, overflows, type Seen, signIn, signOut, skillText, zipOf } from "./page";

let gateway: Gateway;
let browser: Browser;
let seen: Seen;
const keys: Record<string, string> = {};

/** A name with direction controls, and text with markup. */
const HOSTILE = '<img src=x onerror=alert(1)> \u202Eevil\u202C [x](javascript:alert(2)) \u{E0041} "\u2066';

async function publish(name: string, more: string): Promise<void> {
  const { buffer } = zipOf(`${name}.zip`, {
    [`${name}/SKILL.md`]: skillText(name, "1.2.0", `Instructions of ${name}.`, more),
  });
  const form = new FormData();
  form.set("file", new Blob([new Uint8Array(buffer)]), `${name}.zip`);
  const answer = await fetch(`${gateway.url}/api/v1/kinds/skills/public`, {
    method: "POST",
    headers: { authorization: `Bearer ${gateway.key}` },
    body: form,
  });
  expect(answer.status, await answer.text()).toBe(201);
}

beforeAll(async () => {
  [gateway, browser] = await Promise.all([Gateway.start(), openBrowser()]);
  await publish("palette", "");
  await publish(
    "painting",
    'dependencies: ["palette@^1"]\nmcpServers: {colors: {url: "https://colors.example.com/"}}\n',
  );
  await gateway.call("POST", "/groups", { name: "studio" });
  for (const [user, role] of [
    ["mia", "Maintainer"],
    ["rob", "Reporter"],
    ["ann", null],
  ] as const) {
    keys[user] = (await gateway.call<{ key: string }>("POST", "/keys", { user_id: user })).body.key;
    if (role !== null)
      expect((await gateway.call("PUT", `/groups/studio/members/${user}`, { role })).status).toBeLessThan(300);
  }
});
afterAll(async () => {
  await Promise.all([browser?.close(), gateway?.stop()]);
});
beforeEach(async () => {
  seen = await open(browser, gateway.url);
});
afterEach(async () => {
  await seen.context.close();
  expect(seen.heard()).toEqual([]);
});

const preview = (page: Page) => page.getByRole("region", { name: "Preview" });
const said = (page: Page, text: string | RegExp) => preview(page).getByText(text).first().waitFor();
const ghostsOf = async (key: string) =>
  (
    await gateway.call<{
      items: { metadata: { name: string; labels: { id: string } }; spec: Record<string, unknown> }[];
    }>("GET", "/kinds/ghosts?limit=100", undefined, { authorization: `Bearer ${key}` })
  ).body.items;

it("composes a ghost from an empty page: searched, suggested, mended beside its field, saved, tried", async () => {
  const { page } = seen;
  await signIn(page, gateway.url, keys.ann!, "/console/ghosts");
  await page.getByText("Create your first agent").waitFor();
  await page.getByRole("link", { name: "Start" }).click();
  await page.getByLabel("Name", { exact: true }).first().fill("painter");
  await page.getByLabel("Prompt", { exact: true }).fill("You help with a painting.");
  // Suggestions from the words of the prompt, and from the dependencies of the selected skill.
  await page.getByRole("button", { name: "Add painting" }).click();
  await page.getByText("dependency of painting").waitFor();
  await preview(page).locator(".node.missing").first().waitFor();
  await page.getByRole("button", { name: "Add palette" }).click();
  await said(page, "Ready to save. 2 skills.");
  expect(await preview(page).locator("svg .node.missing").count()).toBe(0);
  // An MCP server with the same name as one of the skill.
  await page.getByRole("group", { name: "MCP servers" }).getByLabel("Name").fill("colors");
  await page.getByLabel("URL", { exact: true }).fill("https://own.example.com/");
  await page.getByRole("button", { name: "Add server" }).click();
  await preview(page).getByRole("region", { name: "Name conflicts" }).getByText("ghost, skill:painting").waitFor();
  await preview(page).locator("svg .node.meets").waitFor();
  // A range that no version satisfies. The issue appears next to the skill.
  const versions = page.getByLabel("Versions of painting");
  await versions.fill(">=9");
  const line = page.getByRole("listitem").filter({ has: versions });
  await line.getByText("No version of 'painting' satisfies '>=9'. Change the range.").waitFor();
  await said(page, "Not ready to save.");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("alert").filter({ hasText: "Request rejected." }).waitFor();
  await versions.fill("");
  await page.getByRole("button", { name: "Pin painting to 1.2.0" }).click();
  await page.getByLabel("Preload painting").check();
  await said(page, "Ready to save.");
  await preview(page).getByText("Prompt of the first turn").click();
  await preview(page).getByText("Instructions of painting.").waitFor();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("heading", { name: "painter", level: 1 }).waitFor();
  expect(page.url()).toContain("/console/ghosts/gho_");
  expect(await page.locator("#page").getByRole("link", { name: "Try it" }).getAttribute("href")).toBe(
    "/console/try?ghost=painter",
  );
  const [made] = await ghostsOf(keys.ann!);
  expect(made?.spec).toMatchObject({
    systemPrompt: "You help with a painting.",
    skills: ["painting@1.2.0", "palette"],
    preload_skills: ["painting"],
    mcpServers: { colors: { url: "https://own.example.com/" } },
  });
  // Open by name, and export as text for another gateway.
  await page.goto(`${gateway.url}/console/ghosts/painter`);
  await page.getByText("Definition as YAML or JSON").click();
  await page.getByText("- painting@1.2.0").waitFor();
  await page
    .getByLabel("Definition in YAML or JSON")
    .fill("kind: Ghost\nmetadata: {name: other}\nspec:\n  skills: nonsense\n  wrong: 1\n");
  await page.getByRole("button", { name: "Apply to the fields" }).click();
  await page
    .getByText(/spec\.skills/)
    .first()
    .waitFor();
  await page.getByText(/wrong/).first().waitFor();
  await page.getByRole("button", { name: "Swap" }).click();
  await said(page, "Ready to save. 2 skills.");
  // Delete after the confirmation with the consequences.
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("alertdialog").getByText("Conversations with this agent continue without").waitFor();
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("Create your first agent").waitFor();
});

it("keeps both where two tabs change one ghost, and asks before what is written is left", async () => {
  await gateway.call("POST", "/kinds/ghosts", { metadata: { name: "shared tab" }, spec: { systemPrompt: "First." } });
  const { page } = seen;
  await signIn(page, gateway.url, gateway.key, "/console/ghosts");
  await page.getByRole("link", { name: "shared tab" }).click();
  await page.getByLabel("Prompt", { exact: true }).fill("Mine.");
  const other = await seen.context.newPage();
  await other.goto(page.url());
  await other.getByLabel("Prompt", { exact: true }).fill("Theirs.");
  await other.getByRole("button", { name: "Save" }).click();
  await other.getByText("Saved.", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Save" }).click();
  const conflict = page.getByRole("alert", { name: "Conflict" });
  await conflict.locator("code", { hasText: "Theirs." }).waitFor();
  await conflict.locator("code", { hasText: "Mine." }).waitFor();
  expect(await barriers(page)).toEqual([]);
  await page.getByRole("button", { name: "Use the saved version" }).click();
  await page.waitForFunction(() => document.querySelector("textarea")?.value === "Theirs.");
  await page.getByRole("button", { name: "Swap" }).click();
  // Leaving the page requires a confirmation.
  await go(page, "Skills");
  const ask = page.getByRole("alertdialog", { name: "Leave without saving?" });
  await ask.getByRole("button", { name: "Stay" }).click();
  expect(await page.getByLabel("Prompt", { exact: true }).inputValue()).toBe("Mine.");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved.", { exact: true }).waitFor();
  expect((await ghostsOf(gateway.key)).find(({ metadata }) => metadata.name === "shared tab")?.spec).toMatchObject({
    systemPrompt: "Mine.",
  });
  await go(page, "Skills");
  await page.getByRole("heading", { name: "Skills" }).waitFor();
});

it("has what was written after the page is loaded again, but for credentials, which are kept nowhere", async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  page.on("dialog", (dialog) => void dialog.accept());
  await signIn(page, gateway.url, keys.ann!, "/console/ghosts/new");
  await page.getByLabel("Prompt", { exact: true }).fill("Half a thought");
  await page
    .getByLabel("As JSON", { exact: true })
    .fill('{"a": {"url": "https://a.example.com/", "headers": {"x-key": "planted-secret"}}}');
  await said(page, "Ready to save");
  expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage, ...localStorage }))).not.toContain(
    "planted-secret",
  );
  await page.reload();
  await page.getByText("Servers are not stored in the browser").waitFor();
  expect(await page.getByLabel("Prompt", { exact: true }).inputValue()).toBe("Half a thought");
  await page.getByRole("button", { name: "Discard" }).click();
  expect(await page.getByLabel("Prompt", { exact: true }).inputValue()).toBe("");
  await page.getByLabel("Prompt", { exact: true }).fill("Another thought");
  await signOut(page);
  expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage }))).not.toContain("Another thought");
  await context.close();
});

it("is written by the keyboard alone", async () => {
  const { page } = seen;
  await signIn(page, gateway.url, keys.ann!, "/console/ghosts/new");
  const name = page.getByLabel("Name", { exact: true }).first();
  await name.waitFor();
  await name.focus();
  await page.keyboard.type("by hand");
  await page.getByRole("button", { name: "Help: Prompt" }).focus();
  await page.keyboard.press("Enter");
  await page.getByText("The system prompt of every turn").waitFor();
  await page.keyboard.press("Tab");
  await page.keyboard.type("Be kind.");
  await page.getByRole("searchbox", { name: "Add a skill" }).focus();
  await page.keyboard.type("what palette is for");
  await page.getByText(/found\. Press Enter to add the first/).waitFor();
  await page.keyboard.press("Enter");
  await page.getByLabel("Versions of palette").waitFor();
  await page.getByRole("button", { name: "Save" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "by hand", level: 1 }).waitFor();
});

it("lets everybody do what their role may: a Maintainer writes for the group, a Reporter reads and duplicates", async () => {
  const { page } = seen;
  await signIn(page, gateway.url, keys.mia!, "/console/ghosts/new");
  const whose = page.getByLabel("Owner", { exact: true });
  expect(await whose.locator("option").allInnerTexts()).toEqual(["me", "group studio"]);
  await whose.selectOption("studio");
  await page.getByLabel("Name", { exact: true }).first().fill("of the studio");
  await page.getByLabel("Prompt", { exact: true }).fill(`Say ${HOSTILE}`);
  await said(page, "Ready to save");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("heading", { name: "of the studio", level: 1 }).waitFor();
  const place = page.url();

  const rob = await open(browser, gateway.url);
  await signIn(rob.page, gateway.url, keys.rob!, new URL(place).pathname);
  await rob.page.getByText("You can use this agent but not change it.").waitFor();
  expect(await rob.page.getByRole("button", { name: /Save|Delete/ }).count()).toBe(0);
  // Invisible characters are shown as code points, and markup is shown as text.
  await rob.page.getByText("⟨U+202E⟩evil⟨U+202C⟩").waitFor();
  expect(await rob.page.locator("main img").count()).toBe(0);
  await rob.page.getByRole("link", { name: "Duplicate" }).click();
  // The preview can move the button. A press that ends outside the button does nothing.
  await said(rob.page, "Ready to save");
  await rob.page.getByRole("button", { name: "Save" }).click();
  await rob.page.getByRole("heading", { name: "of the studio copy", level: 1 }).waitFor();
  expect(rob.heard()).toEqual([]);
  await rob.context.close();

  const ann = await open(browser, gateway.url);
  await signIn(ann.page, gateway.url, keys.ann!, new URL(place).pathname);
  await ann.page.getByRole("alert").filter({ hasText: "Not found." }).waitFor();
  await ann.context.close();

  const admin = await open(browser, gateway.url);
  await signIn(admin.page, gateway.url, gateway.key, "/console/ghosts/new");
  expect(await admin.page.getByLabel("Owner", { exact: true }).locator("option").allInnerTexts()).toContain(
    "everyone (public)",
  );
  await admin.context.close();
});

it("shows the dependencies of a skill in the library, and who uses it", async () => {
  const { page } = seen;
  await gateway.call("POST", "/kinds/ghosts", { metadata: { name: "user of it" }, spec: { skills: ["painting"] } });
  await signIn(page, gateway.url, gateway.key, "/console/?q=painting");
  await page.getByRole("link", { name: "painting", exact: true }).click();
  await page.getByRole("link", { name: "Dependencies" }).click();
  const graph = page.getByRole("figure");
  await graph.locator("svg text").getByText("palette").waitFor({ state: "attached" });
  await graph.getByText("Table", { exact: true }).click();
  await graph.getByRole("row", { name: /user of it uses painting/ }).waitFor();
  await graph.getByRole("row", { name: /painting needs palette/ }).waitFor();
});

it.each([
  ["light", 1280],
  ["dark", 375],
] as const)("has no serious finding in any state, and fits: %s, %i pixels wide", async (colorScheme, width) => {
  const { context, page, heard } = await open(browser, gateway.url, { colorScheme, viewport: { width, height: 800 } });
  await signIn(page, gateway.url, keys.mia!, "/console/ghosts");
  const fine = async (state: string) =>
    expect([state, await overflows(page), await barriers(page)]).toEqual([state, false, []]);
  await page
    .getByRole("link", { name: /of the studio$|Start/ })
    .first()
    .waitFor();
  await fine("the list");
  await page.goto(`${gateway.url}/console/ghosts?q=zzz`);
  await page.getByText("No matching agents").waitFor();
  await fine("nothing found");
  await page.goto(`${gateway.url}/console/ghosts/new`);
  await page.getByRole("searchbox", { name: "Add a skill" }).fill("painting");
  const found = page.getByRole("list", { name: "Found skills" });
  await found.getByText("painting", { exact: true }).waitFor();
  await fine("a search");
  await found.getByRole("button", { name: "Add painting" }).click();
  await page.getByLabel("Versions of painting").fill(">=9");
  await page.getByText("No version of 'painting' satisfies '>=9'. Change the range.").waitFor();
  await page.getByLabel("As JSON", { exact: true }).fill("{");
  await page.getByText("This is not JSON").waitFor();
  await page.getByRole("button", { name: "Help: All skills of its scope" }).click();
  await page.getByText("Definition as YAML or JSON").click();
  await fine("problems");
  await page.getByLabel("As JSON", { exact: true }).fill('{"colors": {"url": "https://own.example.com/"}}');
  await page.getByLabel("Versions of painting").fill("");
  await said(page, "Ready to save.");
  await preview(page).getByText("Prompt of the first turn").click();
  await preview(page).getByText("Table", { exact: true }).click();
  await fine("a preview");
  await go(page, "Skills");
  await page.getByRole("alertdialog").waitFor();
  await fine("leaving");
  await page.getByRole("button", { name: "Leave" }).click();
  await page.getByRole("heading", { name: "Skills" }).waitFor();
  expect(heard()).toEqual([]);
  await context.close();
});
