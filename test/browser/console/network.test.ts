// The hosts and variables of a skill in the console in Chromium: an admin approves, a user sets and deletes a value.

import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { barriers } from "../axe";
import { overflows, skillText, zipOf } from "./page";
import { Desk } from "./setup";

const desk = new Desk();
const VALUE = "ghp_value-of-the-test";

/** Publishes a version of a skill that declares these hosts: a public one, or with a key that of its user. Returns the id of the skill. */
async function publish(name: string, version: string, hosts: string, key?: string): Promise<string> {
  const text = skillText(name, version, "Look.", `network: [${hosts}]\nenv: [TOKEN, OTHER]\n`);
  const form = new FormData();
  const { buffer } = zipOf(`${name}.zip`, { [`${name}/SKILL.md`]: text, [`${name}/scripts/a.js`]: "fetch;\n" });
  form.set("file", new Blob([new Uint8Array(buffer)]), `${name}.zip`);
  const answer = await fetch(`${desk.gateway.url}/api/v1/kinds/skills/${key === undefined ? "public" : "upload"}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key ?? desk.gateway.key}` },
    body: form,
  });
  expect(answer.ok).toBe(true);
  const { metadata } = (await answer.json()) as { metadata: { labels: { id: string } } };
  return metadata.labels.id;
}

/** The texts of a row's cells, without the buttons. */
async function row(page: Page, table: string, name: string): Promise<string[]> {
  const found = page.getByRole("region", { name: table }).getByRole("row").filter({ hasText: name });
  await found.waitFor();
  return found.getByRole("cell").evaluateAll((cells) => cells.map((cell) => cell.textContent ?? ""));
}

/** Checks the page in both themes and on a phone. */
async function look(page: Page): Promise<void> {
  for (const [colorScheme, width] of [
    ["light", 1280],
    ["dark", 1280],
    ["dark", 375],
    ["light", 375],
  ] as const) {
    // Without transitions, in the middle of which colors have less contrast.
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.setViewportSize({ width, height: 800 });
    expect([await barriers(page), await overflows(page)]).toEqual([[], false]);
  }
  await page.setViewportSize({ width: 1280, height: 800 });
}

const HOSTS = "Hosts called by code";

it("approves the hosts that wait, one or all, and revokes one", async () => {
  const id = await publish("caller", "1.0.0", "api.example.org, files.example.org, logs.example.org");
  const page = await desk.enter(desk.gateway.key, `/skills/${id}?view=permissions`);
  await page.getByRole("button", { name: "Approve files.example.org" }).click();
  await page.getByRole("alertdialog", { name: "Approve files.example.org?" }).waitFor();
  await look(page);
  await page.getByRole("alertdialog").getByRole("button", { name: "Approve" }).click();
  await page.getByRole("button", { name: "Revoke files.example.org" }).waitFor();
  expect((await row(page, HOSTS, "api.example.org"))[1]).toBe("waiting");
  await page.getByRole("button", { name: "Approve all" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Approve" }).click();
  await page.getByRole("button", { name: "Revoke api.example.org" }).waitFor();
  await page.getByRole("button", { name: "Revoke logs.example.org" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Revoke" }).click();
  await page.getByRole("button", { name: "Approve logs.example.org" }).waitFor();
  await look(page);
  const { body } = await desk.as(desk.gateway.key, "GET", `/kinds/skills/${id}/network`);
  expect(body).toMatchObject({ approved: ["api.example.org", "files.example.org"], waiting: ["logs.example.org"] });
});

it("sets, replaces and deletes the value of a user, who cannot approve", async () => {
  const id = await publish("setter", "1.0.0", "api.example.org");
  const key = await desk.keyOf("alice");
  const page = await desk.enter(key, `/skills/${id}?view=permissions`);
  expect(await row(page, HOSTS, "api.example.org")).toEqual(["api.example.org", "waiting"]);
  expect((await row(page, "Variables", "TOKEN")).slice(0, 4)).toEqual(["TOKEN", "not set", "–", "–"]);
  // By the keyboard alone.
  await page.getByRole("button", { name: "Set TOKEN" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("dialog", { name: "Value of TOKEN" }).waitFor();
  await look(page);
  await page.keyboard.type("short");
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").getByRole("alert").waitFor();
  await page.getByLabel("Value", { exact: true }).fill(VALUE);
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Replace TOKEN" }).waitFor();
  expect((await row(page, "Variables", "TOKEN")).slice(0, 3)).toEqual(["TOKEN", "set", "api.example.org"]);
  expect(await page.content()).not.toContain(VALUE);

  await publish("setter", "1.1.0", "api.example.org, new.example.org");
  await page.reload();
  await page.getByText("Not sent to new.example.org. Set it again to include these hosts.").waitFor();
  await look(page);
  await page.getByRole("button", { name: "Replace TOKEN" }).click();
  await page.getByLabel("Value", { exact: true }).fill(`${VALUE}-2`);
  await page.getByRole("button", { name: "Store" }).click();
  await page.getByText("Not sent to").waitFor({ state: "detached" });

  await page.getByRole("button", { name: "Delete TOKEN" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click();
  await page.getByRole("button", { name: "Set TOKEN" }).waitFor();
  expect((await desk.as(key, "GET", `/me/skill-env/${id}`)).body).toMatchObject({ values: [] });
});

it("marks shared values, and hides variables from a key that cannot store secrets", async () => {
  const id = await publish("sharer", "1.0.0", "api.example.org");
  await desk.as(desk.gateway.key, "PUT", `/kinds/skills/${id}/env`, { values: { TOKEN: VALUE } });
  const page = await desk.enter(await desk.keyOf("bob"), `/skills/${id}?view=permissions`);
  expect((await row(page, "Variables", "TOKEN")).slice(0, 3)).toEqual(["TOKEN", "shared", "api.example.org"]);
  expect(await page.getByRole("button", { name: "Delete TOKEN" }).count()).toBe(0);
  await desk.seen.context.clearCookies();
  const reader = await desk.keyOf("carol", { scopes: ["skills:read"] });
  await desk.enter(reader, `/skills/${id}?view=permissions`);
  await row(page, HOSTS, "api.example.org");
  expect(await page.getByRole("region", { name: "Variables" }).count()).toBe(0);
});

it("shares the value of an admin with all users, beside the admin's own, and deletes it again", async () => {
  const id = await publish("sharing", "1.0.0", "api.example.org");
  const page = await desk.enter(desk.gateway.key, `/skills/${id}?view=permissions`);
  await page.getByRole("button", { name: "Set TOKEN" }).click();
  await page.getByLabel("Value", { exact: true }).fill(VALUE);
  await page.getByRole("checkbox", { name: /Share with all users/ }).focus();
  await page.keyboard.press("Space");
  await look(page);
  await page.getByRole("button", { name: "Store" }).click();
  await page.getByRole("button", { name: "Replace the shared value of TOKEN" }).waitFor();
  const key = await desk.keyOf("dora");
  const shared = async () => {
    const { body } = await desk.as(key, "GET", `/me/skill-env/${id}`);
    return (body as { values: { name: string; shared: boolean }[] }).values;
  };
  expect(await shared()).toMatchObject([{ name: "TOKEN", shared: true }]);
  await page.getByRole("button", { name: "Set OTHER" }).click();
  await page.getByLabel("Value", { exact: true }).fill(VALUE);
  await page.getByRole("button", { name: "Store" }).click();
  await page.getByRole("button", { name: "Replace OTHER" }).waitFor();
  expect(await shared()).toHaveLength(1);
  await desk.as(desk.gateway.key, "PUT", `/me/skill-env/${id}`, { values: { TOKEN: VALUE } });
  await page.reload();
  await page.getByRole("button", { name: "Delete TOKEN", exact: true }).waitFor();
  await look(page);
  await page.getByRole("button", { name: "Delete the shared value of TOKEN" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click();
  await page.getByRole("button", { name: "Delete the shared value of TOKEN" }).waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Replace TOKEN", exact: true }).waitFor();
  expect(await shared()).toEqual([]);
});

it("approves no host of a version that was published while the dialog was open", async () => {
  const id = await publish("raced", "1.0.0", "api.example.org");
  const page = await desk.enter(desk.gateway.key, `/skills/${id}?view=permissions`);
  await page.getByRole("button", { name: "Approve api.example.org" }).click();
  await publish("raced", "1.1.0", "api.example.org, new.example.org");
  await page.getByRole("alertdialog").getByRole("button", { name: "Approve" }).click();
  await page.getByRole("alertdialog").getByText("The hosts of the skill were changed after you read them.").waitFor();
  const { body } = await desk.as(desk.gateway.key, "GET", `/kinds/skills/${id}/network`);
  expect(body).toMatchObject({ approved: [] });
  // Behind the dialog are the hosts to review.
  await page.getByRole("alertdialog").getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "Approve all" }).waitFor();
});

it("says that the code of a user's own skill does not run here, and which setting would allow it", async () => {
  const key = await desk.keyOf("frank");
  const id = await publish("private-code", "1.0.0", "api.example.org", key);
  const page = await desk.enter(key, `/skills/${id}`);
  await page
    .getByText(/the operator can set `?CODE_SCOPES=users/)
    .first()
    .waitFor({ state: "attached" });
  await page.goto(`${desk.gateway.url}/console/skills/${id}?view=permissions`);
  expect(await row(page, "Permissions", "Runs code")).toEqual(["no"]);
});
