// The console's page of a conversation in Chromium, while another client drives it over HTTP.

import { readFile } from "node:fs/promises";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openBrowser } from "../chromium";
import { Gateway } from "../gateway";
import { open, signIn } from "./page";

let gateway: Gateway;
let browser: Browser;

beforeAll(async () => {
  [gateway, browser] = await Promise.all([Gateway.start(), openBrowser()]);
});
afterAll(async () => {
  await Promise.all([browser?.close(), gateway?.stop()]);
});

const USER = { "on-behalf-of": "ida" };
const PATH = "/conversations/watched";
let turns = 0;
const turn = () => gateway.call("POST", `${PATH}/turns`, { key: `turn-${++turns}`, format: "openai" }, USER);
const load = (skill_name: string) =>
  gateway.call(
    "POST",
    `${PATH}/tool-calls`,
    { format: "openai", calls: [{ id: `load-${skill_name}`, name: "load_skill", arguments: { skill_name } }] },
    USER,
  );
const active = (page: Page) => page.getByRole("region", { name: "Active skills" });

it("shows live what another client does, answers for it, goes back, and comes back after the gateway was away", async () => {
  const seen = await open(browser, gateway.url);
  const { page } = seen;
  page.setDefaultTimeout(15_000);
  const { key } = (await gateway.call<{ key: string }>("POST", "/keys", { user_id: "ida" })).body;
  await signIn(page, gateway.url, key, "/console/conversations/watched");
  // Viewing a conversation does not create it.
  await page.getByRole("alert").filter({ hasText: "Not found." }).waitFor();
  expect((await gateway.call("GET", PATH, undefined, USER)).status).toBe(404);

  await gateway.call("PUT", PATH, { title: "Boats \u202Eand\u202C tables", retention_turns: 1 }, USER);
  await turn();
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("heading", { name: "Boats ⟨U+202E⟩and⟨U+202C⟩ tables" }).waitFor();
  await page.getByText("Live", { exact: true }).waitFor();
  await page.getByText("No active skills.").waitFor();

  const looks = performance.now();
  await load("json-table");
  await active(page)
    .getByRole("rowheader", { name: /json-table/ })
    .waitFor();
  expect(performance.now() - looks).toBeLessThan(5_000);
  await active(page)
    .getByRole("rowheader", { name: /markdown-style/ })
    .waitFor();
  const trace = page.getByRole("region", { name: "Trace of turn 1" });
  await trace.getByRole("row", { name: /^load_skill · json-table/ }).waitFor();
  await page.getByText("Available skills: 6").click();
  await page.getByRole("cell", { name: /Turns JSON into readable/ }).waitFor();

  const asked = gateway.call("POST", `${PATH}/requests`, { action: "confirm", payload: { question: "Go on?" } }, USER);
  await page.getByRole("button", { name: "Allow" }).click();
  expect((await asked).body).toMatchObject({ success: true, result: { confirmed: true } });

  await turn();
  await page.getByText("Latest: turn 2").waitFor();
  await active(page).getByRole("cell", { name: "in 1 turn", exact: true }).first().waitFor();
  await turn();
  await page.getByText("No active skills.").waitFor();

  // The page stays at an older turn while new turns arrive.
  await page.getByRole("button", { name: "Previous turn" }).click();
  await page.getByText("Showing turn 2").waitFor();
  await turn();
  await expect.poll(() => page.getByRole("slider").getAttribute("aria-valuetext")).toBe("turn 2, 2 of 4");
  expect(new URL(page.url()).searchParams.get("at")).not.toBeNull();
  await page.reload();
  await page.getByText("Showing turn 2").waitFor();
  await page.getByRole("button", { name: "Latest" }).click();
  await page.getByText("Latest: turn 4").waitFor();
  await page.locator(".lanes rect.lane-leaving").nth(1).waitFor();

  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Export" }).click(),
  ]);
  expect(file.suggestedFilename()).toBe("watched.json");
  const { body: stored } = await gateway.call<{ events: unknown[] }>(
    "GET",
    `${PATH}/events?limit=1000`,
    undefined,
    USER,
  );
  expect(JSON.parse(await readFile(await file.path(), "utf8"))).toMatchObject({
    conversation: { id: "watched", turn: 4 },
    events: stored.events,
  });

  await gateway.kill();
  await page.getByText("Connection lost").waitFor({ timeout: 45_000 });
  await gateway.start();
  await turn();
  await page.getByText("Latest: turn 5").waitFor({ timeout: 60_000 });
  await page.getByText("Live", { exact: true }).waitFor({ timeout: 60_000 });
  expect(seen.heard()).toEqual([]);
  await seen.context.close();
});

it("shows nobody another's, and no address makes one", async () => {
  const seen = await open(browser, gateway.url);
  const { page } = seen;
  const { key } = (await gateway.call<{ key: string }>("POST", "/keys", { user_id: "joe" })).body;
  const sockets: string[] = [];
  page.on("websocket", (socket) => sockets.push(socket.url()));
  await signIn(page, gateway.url, key, "/console/conversations/watched");
  await page.getByRole("alert").filter({ hasText: "Not found." }).waitFor();
  expect(await page.locator("body").innerText()).not.toContain("Boats");
  expect(sockets).toEqual([]);
  expect(seen.heard()).toEqual([]);
  await seen.context.close();
});
