// A key is created, shown once, used and revoked. After that it is rejected.

import { expect } from "vitest";
import type { Visit } from "./visit";

export async function key(visit: Visit): Promise<void> {
  const { page, hands, gateway } = visit;
  const [user, name] = [visit.named("erin"), visit.named("for the journey")];
  const works = async (secret: string) =>
    (await gateway.call("GET", "/me", undefined, { authorization: `Bearer ${secret}` })).status;
  await visit.enter(gateway.key, "/console/keys");
  await visit.press("button", "Create key");
  const form = page.getByRole("dialog", { name: "Create key" });
  await hands.write(form.getByRole("textbox", { name: "User" }), user);
  await hands.write(form.getByRole("textbox", { name: "Name" }), name);
  await hands.choose(form.getByLabel("Expires after"), "30 days");
  await hands.press(form.locator("label").filter({ hasText: "use the chat endpoint" }));
  await visit.look("the form of a new key");
  await visit.press("button", "Create", form);
  const shown = page.getByRole("alertdialog", { name: "Copy the key" });
  const secret = await shown.locator(".secret").innerText();
  await visit.look("a new key");
  const me = await gateway.call<{ user_id: string; scopes: string[] }>("GET", "/me", undefined, {
    authorization: `Bearer ${secret}`,
  });
  expect(me.body).toMatchObject({ user_id: user, scopes: ["skills:read", "conversations", "chat"] });
  await visit.press("button", "Done", shown);
  await visit.row(name).waitFor();
  expect(await page.locator("body").innerText()).not.toContain(secret);
  await visit.press("button", `Revoke ${name}`);
  await visit.look("the question before a key is revoked");
  await visit.press("button", "Revoke", page.getByRole("alertdialog"));
  await visit.row(name).waitFor({ state: "detached" });
  expect(await works(secret)).toBe(401);
}
