// The operator's pages of the console in Chromium: keys, servers, audit, and who may see them.

import { expect, it } from "vitest";
import { Desk } from "./desk";
import { signIn } from "./page";

const desk = new Desk();

const works = async (key: string) =>
  (await fetch(`${desk.gateway.url}/api/v1/me`, { headers: { authorization: `Bearer ${key}` } })).status;

it("makes a key by the keyboard alone, shows it once, and revokes it", async () => {
  const { page } = desk.seen;
  await signIn(page, desk.gateway.url, desk.gateway.key, "/console/keys");
  await page.getByRole("button", { name: "Make a key" }).focus();
  await page.keyboard.press("Enter");
  const form = page.getByRole("dialog", { name: "Make a key" });
  await form.waitFor();
  // The focus begins in the first field that is empty.
  await page.keyboard.type("erin");
  await page.keyboard.press("Tab");
  await page.keyboard.type("for the test");
  await page.keyboard.press("Enter");
  const shown = page.getByRole("alertdialog", { name: "This is the key" });
  await shown.waitFor();
  const key = await shown.locator(".secret").innerText();
  expect(await works(key)).toBe(200);
  await shown.getByRole("button", { name: "I have it" }).click();
  await page.getByRole("cell", { name: "for the test", exact: true }).waitFor();
  expect(await page.locator("body").innerText()).not.toContain(key);
  await page.getByRole("button", { name: "Revoke for the test" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Revoke it" }).click();
  await page.getByRole("cell", { name: "for the test", exact: true }).waitFor({ state: "detached" });
  expect(await works(key)).toBe(401);
  await page.getByRole("link", { name: "Audit" }).click();
  await page.getByRole("cell", { name: "key.revoke" }).first().waitFor();
});

it("leaves a window by Escape, without doing anything", async () => {
  const { page } = desk.seen;
  await signIn(page, desk.gateway.url, desk.gateway.key, "/console/keys");
  await page.getByRole("button", { name: "Make a key" }).click();
  await page.getByRole("dialog").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
});

it("says of a server that does not answer that it is down, and why", async () => {
  const { page } = desk.seen;
  await desk.gateway.call("PUT", "/servers/dead", { url: "http://127.0.0.1:9/mcp" });
  await signIn(page, desk.gateway.url, desk.gateway.key, "/console/servers");
  await page.getByRole("button", { name: "Test dead" }).click();
  await page
    .getByRole("row")
    .filter({ hasText: "dead" })
    .getByText("down", { exact: true })
    .waitFor({ timeout: 10_000 });
});

it("shows a user without an admin's rights neither the audit nor the making of keys, whatever the address", async () => {
  const { page } = desk.seen;
  const { key } = (await desk.gateway.call<{ key: string }>("POST", "/keys", { user_id: "carol" })).body;
  await signIn(page, desk.gateway.url, key, "/console/keys");
  await page.getByRole("heading", { name: "Keys" }).waitFor();
  expect(await page.getByRole("button", { name: "Make a key" }).count()).toBe(0);
  expect(await page.getByRole("link", { name: "Audit" }).count()).toBe(0);
  await page.goto(`${desk.gateway.url}/console/audit`);
  await page.getByRole("alert").filter({ hasText: "You may not do this." }).waitFor();
});

it("comes back to the sign-in when the key behind the session is revoked", async () => {
  const { page } = desk.seen;
  const made = (await desk.gateway.call<{ id: string; key: string }>("POST", "/keys", { user_id: "dave" })).body;
  await signIn(page, desk.gateway.url, made.key, "/console/limits");
  expect((await desk.gateway.call("DELETE", `/keys/${made.id}`)).status).toBe(204);
  await page.getByRole("link", { name: "Keys" }).click();
  await page.getByLabel("Your key").waitFor();
  expect(await page.locator("body").innerText()).not.toContain("dave");
});
