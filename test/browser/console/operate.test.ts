// The operator's pages of the console in Chromium, where no journey comes by: what leaves a window, and what ends a session.

import { expect, it } from "vitest";
import { Desk } from "./desk";
import { signIn } from "./page";

const desk = new Desk();

it("leaves a window by Escape, without doing anything", async () => {
  const { page } = desk.seen;
  await signIn(page, desk.gateway.url, desk.gateway.key, "/console/keys");
  await page.getByRole("button", { name: "Make a key" }).click();
  await page.getByRole("dialog").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
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
