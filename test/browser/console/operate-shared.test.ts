// Shared resources in the console in Chromium: groups by role, users, the audit log as a file, and servers that fail.

import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { startFaults } from "../../support/upstream-server/faults";
import { barriers } from "../axe";
import { go, open, overflows, signIn } from "./page";
import { Desk } from "./setup";

const desk = new Desk();
const LINKS = ["Users", "Audit log"];
/** The tabs for admins that a user sees. Returns to the page that was open before. */
const linksOf = async (page: Page) => {
  const before = page.url();
  const found: string[] = [];
  for (const name of ["People and groups", "System"]) {
    await go(page, name);
    const tabs = page.getByRole("navigation", { name, exact: true }).getByRole("link");
    await page.getByRole("heading", { name, level: 1 }).waitFor();
    found.push(...(await tabs.allInnerTexts()).filter((tab) => LINKS.includes(tab)));
  }
  await page.goto(before);
  return found;
};

it("gives each role in a group what it may, and nothing else", async () => {
  const { gateway, browser } = desk;
  const page = await desk.enter(gateway.key, "/groups");
  await page.getByRole("button", { name: "Create group" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").waitFor();
  await page.keyboard.type("sea");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "sea", level: 1 }).waitFor();
  for (const [user, role] of [
    ["olga", "Owner"],
    ["mara", "Maintainer"],
    ["rita", "Reporter"],
  ] as const) {
    await page.getByLabel("User", { exact: true }).fill(user);
    await page.getByRole("combobox", { name: "Role", exact: true }).selectOption(role);
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByRole("combobox", { name: `Role of ${user}` }).waitFor();
  }
  expect([await linksOf(page), await barriers(page)]).toEqual([LINKS, []]);

  const maintainer = await open(browser, gateway.url);
  await signIn(maintainer.page, gateway.url, await desk.keyOf("mara"), "/console/groups/sea");
  await maintainer.page.getByRole("combobox", { name: "Role of rita" }).waitFor();
  expect(await maintainer.page.getByRole("combobox", { name: "Role of olga" }).count()).toBe(0);
  expect(
    await maintainer.page.getByRole("combobox", { name: "Role", exact: true }).locator("option").allInnerTexts(),
  ).toEqual(expect.arrayContaining(["Developer", "Reporter"]));
  expect(await maintainer.page.getByRole("combobox", { name: "Role", exact: true }).locator("option").count()).toBe(2);
  for (const name of ["Rename", "Delete group", "Remove olga", "Remove mara"])
    expect(await maintainer.page.getByRole("button", { name }).count()).toBe(0);
  await maintainer.page.getByRole("combobox", { name: "Role of rita" }).selectOption("Developer");
  await expect
    .poll(async () => (await gateway.call("GET", "/groups/sea/members")).body.items)
    .toEqual(expect.arrayContaining([expect.objectContaining({ user_id: "rita", role: "Developer" })]));
  await maintainer.page.getByRole("combobox", { name: "Role of rita" }).selectOption("Reporter");
  expect(await linksOf(maintainer.page)).toEqual([]);
  // A Maintainer can manage secrets of the group, but not of the gateway.
  await go(maintainer.page, "Secrets");
  await maintainer.page.getByRole("combobox", { name: "Owner" }).waitFor();
  expect(await maintainer.page.getByRole("combobox", { name: "Owner" }).locator("option").allInnerTexts()).toEqual([
    "Me",
    "Group sea",
  ]);
  await maintainer.page.goto(`${gateway.url}/console/secrets?of=gateway`);
  await maintainer.page.getByRole("alert").filter({ hasText: "Not allowed." }).waitFor();

  const reporter = await open(browser, gateway.url);
  await signIn(reporter.page, gateway.url, await desk.keyOf("rita"), "/console/groups/sea");
  await reporter.page.getByRole("cell", { name: "olga" }).first().waitFor();
  for (const name of ["Add", "Rename", "Delete group", "Remove olga"])
    expect(await reporter.page.getByRole("button", { name, exact: true }).count()).toBe(0);
  expect([await linksOf(reporter.page), await barriers(reporter.page)]).toEqual([[], []]);
  await reporter.page.goto(`${gateway.url}/console/users`);
  await reporter.page.getByRole("alert").filter({ hasText: "Not allowed." }).waitFor();
  await reporter.page.goto(`${gateway.url}/console/groups/sea`);
  await reporter.page.getByRole("button", { name: "Leave" }).press("Enter");
  await reporter.page.getByRole("alertdialog").getByRole("button", { name: "Leave" }).press("Enter");
  await reporter.page.getByText("No groups yet").waitFor();
  await reporter.page.goto(`${gateway.url}/console/groups/sea`);
  await reporter.page.getByRole("alert").filter({ hasText: "Not found." }).waitFor();

  await page.getByRole("button", { name: "Remove mara" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Remove" }).click();
  await page.getByRole("button", { name: "Remove mara" }).waitFor({ state: "detached" });
  for (const { context, heard } of [maintainer, reporter]) {
    expect(heard()).toEqual([]);
    await context.close();
  }
});

it("counts what users have for an admin, and makes a file of the audit log that is no formula", async () => {
  await desk.keyOf("uwe", { name: '=HYPERLINK("https://evil.example")' });
  await desk.as(await desk.keyOf("=uma"), "PUT", "/conversations/one", { title: "Private" });
  const page = await desk.enter(desk.gateway.key, "/users");
  const row = page.getByRole("row").filter({ hasText: "=uma" });
  await row.waitFor();
  expect((await row.getByRole("cell").allInnerTexts()).slice(1)).toEqual(["1", "0", "0", "0", "1"]);
  expect([await page.locator("main").innerText(), await barriers(page)]).toEqual([
    expect.not.stringContaining("Private"),
    [],
  ]);
  await go(page, "System", "Audit log");
  await page.getByLabel("Action").fill("key.create");
  await page.getByLabel("From (UTC)").fill("2020-01-01");
  await page.getByRole("button", { name: "Filter" }).click();
  await page.getByRole("cell", { name: "key.create" }).first().waitFor();
  // The log stores a pseudonym, and the page shows the user.
  const cells = await page.getByRole("row").filter({ hasText: "key.create" }).first().getByRole("cell").allInnerTexts();
  expect(cells[1]).toBe("admin");
  expect(new URL(page.url()).search).toBe("?action=key.create&since=2020-01-01");
  await page.getByRole("button", { name: "Export CSV" }).click();
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: /Download \d+ records/ }).click(),
  ]);
  expect(file.suggestedFilename()).toBe("audit.csv");
  const text = await readFile(await file.path(), "utf8");
  expect(text.split("\r\n")[0]).toBe("at,actor,user_id,action,resource_type,resource_id,request_id,before,after");
  expect(text).toContain("key.create");
  expect(text).not.toMatch(/(^|,|")[=+@]/m);
  await page.getByLabel("Before (UTC)").fill("2020-01-02");
  await page.getByRole("button", { name: "Filter" }).click();
  await page.getByText("No matching records").waitFor();
});

it("says of a server that dies that it is down, within ten seconds of the first call that fails, and that it is back", async () => {
  const server = await startFaults();
  await desk.gateway.call("PUT", "/mcp-servers/lamp", { url: `${server.url}/healing/call`, timeout: 5 });
  const page = await desk.enter(desk.gateway.key, "/servers");
  const row = page.getByRole("row").filter({ hasText: "lamp" });
  await row.getByText("not tested").waitFor();
  await desk.gateway.call("POST", "/conversations/light/turns", { conversation: {} });
  const calls = (id: string) =>
    desk.gateway.call("POST", "/conversations/light/tool-calls", {
      calls: [{ id, name: "lamp__echo", arguments: {} }],
    });
  await calls("1");
  await row.getByText("down", { exact: true }).waitFor({ timeout: 10_000 });
  expect(await barriers(page)).toEqual([]);
  await fetch(`${server.url}/heal/all`);
  await calls("2");
  await row.getByText("not tested").waitFor({ timeout: 10_000 });

  await page.setViewportSize({ width: 375, height: 800 });
  await row.getByRole("button", { name: "Test lamp" }).click();
  await row.locator("summary").click();
  expect([await overflows(page), await barriers(page)]).toEqual([false, []]);
  await row.getByRole("link", { name: "Try echo" }).click();
  expect(new URL(page.url()).search).toBe("?tool=lamp__echo");
  await page.getByRole("combobox", { name: "Model" }).selectOption("demo");
  await page.getByRole("button", { name: "Send" }).click();
  await page.locator(".trace .step").filter({ hasText: "lamp__echo" }).waitFor();
  server.close();
});
