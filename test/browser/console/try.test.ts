// The page Try it in Chromium: a chat with the gateway's models, next to the state of its conversation.

import { readFile } from "node:fs/promises";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { barriers } from "../axe";
import { keyField, openBrowser } from "../chromium";
import { Gateway } from "../gateway";
import { type Model, startModel } from "./model";
import { go, open, overflows, type Seen, signIn, signOut, skillText, zipOf } from "./page";

let gateway: Gateway;
let browser: Browser;
let model: Model;
let seen: Seen;
const CHART = `<svg xmlns="http://www.w3.org/2000/svg" width="90" height="9" onload="alert(1)"><rect width="9" height="9"/></svg>`;

beforeAll(async () => {
  model = await startModel();
  [gateway, browser] = await Promise.all([Gateway.start({ MODEL_HOSTS: model.url }), openBrowser()]);
  const entry = { api: ["openai-chat"], base_url: `${model.url}/v1`, model: "vendor-1", scope: "gateway" };
  expect((await gateway.call("PUT", "/models/work", entry)).status).toBeLessThan(300);
  const { buffer } = zipOf("plot.zip", {
    "plot/SKILL.md": skillText("plot", "1.0.0", "Run scripts/plot.js."),
    "plot/scripts/plot.js": `require("node:fs").writeFileSync("chart.svg", ${JSON.stringify(CHART)}); console.log("818");`,
  });
  const body = new FormData();
  body.set("file", new Blob([new Uint8Array(buffer)]), "plot.zip");
  const headers = { authorization: `Bearer ${gateway.key}` };
  const published = await fetch(`${gateway.url}/api/v1/kinds/skills/public`, { method: "POST", headers, body });
  expect([published.status, await published.text()]).toEqual([201, expect.any(String)]);
});
afterAll(async () => {
  await Promise.all([browser?.close(), gateway?.stop(), model?.close()]);
});
beforeEach(async () => {
  seen = await open(browser, gateway.url);
  seen.page.setDefaultTimeout(12_000);
  // The first page waits until the console is built.
  seen.page.setDefaultNavigationTimeout(60_000);
});
afterEach(async () => {
  await seen.context.close();
  expect(seen.heard()).toEqual([]);
});

const keyOf = async (user_id: string) =>
  (await gateway.call<{ id: string; key: string }>("POST", "/keys", { user_id })).body;

const messageIn = (page: Page) => page.getByRole("textbox", { name: "Message" });
const modelIn = (page: Page) => page.getByRole("combobox", { name: "Model" });

async function enter(page: Page, user: string, name = "demo"): Promise<void> {
  await signIn(page, gateway.url, (await keyOf(user)).key, "/console/try");
  await modelIn(page).selectOption(name);
}

/** Sends a message and waits for the complete answer. */
async function say(page: Page, text: string): Promise<void> {
  const before = await page.locator(".talk .prose").count();
  await messageIn(page).fill(text);
  await page.getByRole("button", { name: "Send" }).click();
  await page.locator(".talk .prose").nth(before).waitFor();
}
const does = (page: Page) => page.getByRole("region", { name: "Conversation state" });
/** The steps of the shown turn, without the times of the model. */
const steps = (page: Page) => page.locator(".trace .step > th").filter({ hasNotText: "demo" });
const NAMES = [
  "load_skill · mermaid-diagram",
  "render_mermaid · mermaid-diagram",
  "Question · render_mermaid · mermaid-diagram",
];
const active = (page: Page) => does(page).getByRole("region", { name: "Active skills" });
const idIn = (page: Page) => new URL(page.url()).searchParams.get("c") ?? "";

it("draws by the keyboard alone: the skill comes, its tool asks the page, and the skill leaves again", async () => {
  const { page } = seen;
  await enter(page, "ann");
  await does(page).getByText("Nothing to show yet").waitFor();
  await page.getByRole("button", { name: "Draw how a login works" }).focus();
  await page.keyboard.press("Enter");
  await page.locator(".talk .prose").waitFor();
  expect(
    await page.locator(".talk figure img").evaluate((one) => (one as HTMLImageElement).naturalWidth),
  ).toBeGreaterThan(100);
  await active(page)
    .getByRole("row", { name: /mermaid-diagram .* in 3 turns loaded by the model, in turn 1/ })
    .waitFor();
  await expect.poll(() => steps(page).allInnerTexts()).toEqual(NAMES);
  await steps(page).nth(1).getByRole("button").focus();
  await page.keyboard.press("Enter");
  expect(await page.locator(".trace .detail").innerText()).toMatch(/sequenceDiagram[\s\S]*"rendered":true/);

  // After turns 2 to 4. In turn 5 it is gone.
  const left = ["in 3 turns", "in 2 turns", "in 1 turn"];
  for (let turn = 2; turn <= 5; turn++) {
    await messageIn(page).focus();
    await page.keyboard.type("Hello");
    await page.keyboard.press("Enter");
    await page
      .locator(".talk .prose")
      .nth(turn - 1)
      .waitFor();
    await page.getByText(`Latest: turn ${turn}`).waitFor();
    const name = left[turn - 2];
    // The table follows the turn after its own request.
    if (name !== undefined) await active(page).getByRole("cell", { name, exact: true }).waitFor();
  }
  await does(page).getByText("No active skills.").waitFor();

  // Select earlier turns, then the current one.
  const slider = page.getByRole("slider", { name: "Turn" });
  await slider.focus();
  await page.keyboard.press("Home");
  await page.getByText("Showing turn 1").waitFor();
  await active(page).getByRole("cell", { name: "in 3 turns" }).waitFor();
  await expect.poll(() => steps(page).allInnerTexts()).toEqual(NAMES);
  expect(new URL(page.url()).searchParams.get("at")).not.toBeNull();
  await page.keyboard.press("ArrowRight");
  await page.getByText("Showing turn 2").waitFor();
  await page.keyboard.press("End");
  await page.getByText("Latest: turn 5").waitFor();

  // The charts are also available as tables and CSV.
  await page.locator(".lanes summary").click();
  const charted = page.getByRole("region", { name: "Skills by turn" }).locator("tbody tr");
  await charted.first().waitFor();
  expect(await charted.allInnerTexts()).toEqual([
    expect.stringContaining("mermaid-diagram: loaded"),
    ...[expect.stringContaining("mermaid-diagram: active"), expect.stringContaining("mermaid-diagram: active")],
    ...[expect.stringContaining("mermaid-diagram: last turn"), "turn 5\t"],
  ]);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.locator(".lanes").getByRole("link", { name: "Download CSV" }).click(),
  ]);
  expect(await readFile(await download.path(), "utf8")).toBe(
    "Turn,mermaid-diagram\r\nturn 1,loaded\r\nturn 2,active\r\nturn 3,active\r\nturn 4,leaving\r\nturn 5,",
  );
  await page.locator(".lines polyline").nth(4).waitFor({ state: "attached" });

  // After a reload, the tab restores the messages and uses the same conversation.
  await page.reload();
  await page.getByText("Latest: turn 5").waitFor();
  await page.locator(".talk .prose").nth(4).waitFor();
  expect(await page.locator(".talk .prose").count()).toBe(5);
  await page.locator(".talk figure img").waitFor();
});

it("sends the error of a drawing to the model, and shows a script's file", async () => {
  const { page } = seen;
  await enter(page, "ben");
  await page.getByRole("button", { name: "Draw a flow, with a mistake" }).click();
  await page.locator(".talk .prose", { hasText: "error" }).waitFor();
  await page.locator(".trace .tag.bad").waitFor();
  await page.locator(".trace .why").waitFor();
  await page.getByRole("button", { name: "New chat" }).click();
  await say(page, 'Use plot: execute_skill_script {"skill_name":"plot","script_path":"scripts/plot.js"}');
  expect(await page.locator(".talk .prose").innerText()).toContain("818");
  const files = does(page).locator("li", { hasText: "chart.svg" });
  await files.locator("img").waitFor();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    files.getByRole("button", { name: "Download /workspace/chart.svg" }).click(),
  ]);
  expect(download.suggestedFilename()).toBe("chart.svg");
  expect(await readFile(await download.path(), "utf8")).toBe(CHART);
});

it("answers what a skill or a back end asks, and says what is wrong with an answer", async () => {
  const { page } = seen;
  await enter(page, "cat");
  await say(page, "Hello");
  const ask = (action: string, payload: object) =>
    gateway.call("POST", `/conversations/${idIn(page)}/requests`, { action, payload }, { "on-behalf-of": "cat" });
  const questions = page.getByRole("region", { name: "Questions" });
  const confirmed = ask("confirm", { question: "Burn \u202Eit\u202C <b>down</b>?" });
  await questions.getByText("Burn ⟨U+202E⟩it⟨U+202C⟩ <b>down</b>?").waitFor();
  await questions.getByRole("button", { name: "Refuse" }).click();
  expect((await confirmed).body).toMatchObject({ success: true, result: { confirmed: false } });
  const filled = ask("form", {
    title: "An order",
    fields: [
      { name: "what", type: "text", required: true },
      { name: "count", type: "number" },
      { name: "size", type: "choice", options: ["S", "L"] },
      { name: "gift", type: "boolean" },
    ],
  });
  await questions.getByLabel("what").fill("tea");
  await questions.getByLabel("count (optional)").fill("3");
  await questions.getByLabel("size (optional)").selectOption("L");
  await questions.getByLabel("gift (optional)").check();
  await questions.getByRole("button", { name: "Send" }).click();
  const values = { what: "tea", count: 3, size: "L", gift: true };
  expect((await filled).body).toMatchObject({ success: true, result: { values } });
  const other = ask("paint", { color: "red" });
  await questions.getByText('"color": "red"').waitFor();
  await questions.getByLabel("Answer (JSON)").fill("{oops");
  await questions.getByRole("button", { name: "Answer" }).click();
  await questions.getByText("The answer is not valid JSON.").waitFor();
  await questions.getByLabel("Answer (JSON)").fill('{"painted":true}');
  await questions.getByRole("button", { name: "Answer" }).click();
  expect((await other).body).toMatchObject({ success: true, result: { painted: true } });
  const chosen = ask("choose", { question: "Which?", options: [{ value: "a", label: "An apple" }, { value: "b" }] });
  await questions.getByLabel("An apple").check();
  await questions.getByRole("button", { name: "Send" }).click();
  expect((await chosen).body).toMatchObject({ result: { chosen: ["a"] } });
});

it("shows what a model writes, and does nothing of it", async () => {
  const { page } = seen;
  await enter(page, "dan", "work");
  await say(page, "Be hostile");
  const prose = page.locator(".talk .prose");
  expect(await prose.innerText()).toContain("⟨U+202E⟩txt.exe");
  expect(await prose.locator("script, iframe, form, svg, img, [onerror]").count()).toBe(0);
  expect(
    await prose
      .locator("a")
      .evaluateAll((all) => all.map((one) => [one.getAttribute("href"), one.getAttribute("rel")])),
  ).toEqual([["https://evil.example/x", "noopener noreferrer nofollow"]]);
});

it("says what went wrong and goes on from there: refused, broken off, stopped, away", async () => {
  const { page, context } = seen;
  await enter(page, "eve", "work");
  const message = messageIn(page);
  const alert = page.getByRole("alert");
  await message.fill("Please refuse");
  await page.keyboard.press("Enter");
  await alert.filter({ hasText: "The model refuses this." }).waitFor();
  await page.getByRole("button", { name: "New chat" }).click();
  await message.fill("Be slow");
  await page.keyboard.press("Enter");
  await page.locator(".coming", { hasText: "word word" }).waitFor();
  await page.getByRole("button", { name: "Stop" }).click();
  await page.getByText("Stopped.").waitFor();
  await page.locator(".talk .prose", { hasText: "word word" }).waitFor();
  await say(page, "Go on");
  // A stopped answer is part of the chat.
  expect(await page.locator(".talk .prose").last().innerText()).toMatch(/heard [345] messages/);
  await context.setOffline(true);
  await message.fill("Anybody?");
  await page.keyboard.press("Enter");
  await alert.filter({ hasText: "No connection." }).waitFor();
  await context.setOffline(false);
  await alert.getByRole("button", { name: "Try again" }).click();
  await page.locator(".talk .prose").nth(2).waitFor();
  await message.fill("Now break");
  await page.keyboard.press("Enter");
  await alert.waitFor();
  expect(await page.locator(".talk .user").last().innerText()).toContain("Now break");
});

it("leads to the sign-in when the session has ended, and loses nothing that was typed", async () => {
  const { page } = seen;
  const { id, key } = await keyOf("fay");
  await signIn(page, gateway.url, key, "/console/try");
  await modelIn(page).selectOption("demo");
  await say(page, "Hello");
  const address = page.url();
  expect((await gateway.call("DELETE", `/keys/${id}`)).status).toBe(204);
  await messageIn(page).fill("What I was about to say");
  await page.getByRole("button", { name: "Send" }).click();
  await keyField(page).waitFor();
  expect(await page.locator("body").innerText()).not.toContain("about to say");
  const again = (await keyOf("fay")).key;
  await keyField(page).fill(again);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.locator(".talk .user", { hasText: "What I was about to say" }).waitFor();
  expect(page.url()).toBe(address);
  await page.getByRole("button", { name: "Request answer" }).click();
  await page.locator(".talk .prose", { hasText: "You said: What I was about to say" }).waitFor();
  // Another user of the same tab does not see the chat.
  await signOut(page);
  expect(await page.evaluate(() => Object.keys(sessionStorage).filter((name) => name.includes("try")))).toEqual([]);
});

it("begins with the skill that somebody came from, and says where there is no model", async () => {
  const { page } = seen;
  await enter(page, "gil");
  await go(page, "Skills");
  await page.getByRole("link", { name: "json-table" }).click();
  await page.getByRole("main").getByRole("link", { name: "Try it" }).click();
  await page.locator(".talk .user").getByText("Use json-table, please.").waitFor();
  // An address alone sends nothing, because it could come from elsewhere.
  await page.goto(`${gateway.url}/console/try?skill=json-table`);
  await expect.poll(() => messageIn(page).inputValue()).toBe("Use json-table, please.");
  await modelIn(page).selectOption("demo");
  await page.getByRole("button", { name: "Send" }).click();
  await active(page).getByText("json-table").waitFor();
  await page.route("**/console/api/openai/v1/models", (route) => route.fulfill({ json: { data: [] } }));
  await page.goto(`${gateway.url}/console/try`);
  await page.getByText("No models yet").waitFor();
});

it("chooses an agent and a skill before the first message, in the address", async () => {
  const { page } = seen;
  const { key } = await keyOf("iva");
  const spec = { systemPrompt: "You keep boats.", skills: ["json-table"] };
  const agent = { metadata: { name: "harbour-master" }, spec };
  const made = await gateway.call("POST", "/kinds/ghosts", agent, { authorization: `Bearer ${key}` });
  expect(made.status).toBe(201);
  await signIn(page, gateway.url, key, "/console/try");
  await modelIn(page).selectOption("demo");
  await page.getByRole("combobox", { name: "Agent" }).selectOption("harbour-master");
  await page.getByRole("combobox", { name: "Skill" }).selectOption("json-table");
  expect(new URL(page.url()).search).toBe("?ghost=harbour-master&skill=json-table");
  expect(await messageIn(page).inputValue()).toBe("Use json-table, please.");
  await page.getByRole("button", { name: "Send" }).click();
  await active(page).getByText("json-table").waitFor();
  await page.getByText("Agent: harbour-master").waitFor();
  expect(await page.getByRole("combobox", { name: "Agent" }).count()).toBe(0);
  const { body } = await gateway.call("GET", `/conversations/${idIn(page)}`, undefined, {
    authorization: `Bearer ${key}`,
  });
  expect(body).toMatchObject({ ghost: "harbour-master" });
});

it.each([
  ["light", 1280],
  ["dark", 1280],
  ["light", 375],
  ["dark", 375],
] as const)("has no serious finding in any state, and fits: %s, %i pixels wide", async (colorScheme, width) => {
  const own = await open(browser, gateway.url, { colorScheme, viewport: { width, height: 800 } });
  const { page } = own;
  page.setDefaultTimeout(12_000);
  const look = async (state: string) =>
    expect([state, await overflows(page), await barriers(page)]).toEqual([state, false, []]);
  await enter(page, "hal");
  await look("empty");
  await page.getByRole("button", { name: "Draw how a login works" }).click();
  await page.locator(".talk .prose").waitFor();
  await steps(page).nth(1).getByRole("button").click();
  await page.locator(".lanes summary").click();
  await page.locator(".lines summary").first().click();
  await page.getByRole("button", { name: "Show the prompt" }).click();
  await page.getByText("6 tools").waitFor();
  const payload = { fields: [{ name: "what", type: "text" }] };
  const asked = gateway.call(
    "POST",
    `/conversations/${idIn(page)}/requests`,
    { action: "form", payload },
    { "on-behalf-of": "hal" },
  );
  await page.getByLabel("what (optional)").waitFor();
  await look("a chat with a drawing and a question");
  await page.getByRole("button", { name: "Decline" }).click();
  await asked;
  await say(page, "Hello");
  await page.getByRole("button", { name: "Previous turn" }).click();
  await page.getByText("Showing turn 1").waitFor();
  await look("a turn before");
  await modelIn(page).selectOption("work");
  await messageIn(page).fill("Please refuse");
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByRole("alert").waitFor();
  await look("refused");
  expect(own.heard()).toEqual([]);
  await own.context.close();
});
