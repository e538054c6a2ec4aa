// An admin, a Maintainer and a Reporter see only the pages and actions of their role, whatever address they type.

import { expect } from "vitest";
import { skillText, zipOf } from "../page";
import type { Visit } from "./visit";

const ADMINS = [["/console/audit", "You may not do this."]] as const;

export async function roles(visit: Visit): Promise<void> {
  const { page, gateway } = visit;
  const group = visit.named("team");
  const keys = { Maintainer: await visit.keyFor("maintainer"), Reporter: await visit.keyFor("reporter") };
  expect((await gateway.call("POST", "/groups", { name: group })).status).toBe(201);
  for (const [role, user] of [
    ["Maintainer", "maintainer"],
    ["Reporter", "reporter"],
  ] as const)
    await gateway.call("PUT", `/groups/${group}/members/${visit.named(user)}`, { role });
  for (const version of ["1.0.0", "2.0.0"]) await publish(visit, keys.Maintainer, group, version);
  const name = visit.named("shared");

  await visit.enter(gateway.key);
  expect(await shows(visit)).toEqual({ audit: true, publish: true });
  await visit.press("link", "Keys");
  await page.getByRole("button", { name: "Make a key" }).waitFor();
  await visit.press("link", "Audit");
  await page.getByRole("cell", { name: "skill.publish" }).first().waitFor();
  await visit.leave();

  for (const [role, key] of Object.entries(keys)) {
    const isMaintainer = role === "Maintainer";
    await visit.enter(key);
    expect([role, await shows(visit)]).toEqual([role, { audit: false, publish: true }]);
    await visit.press("link", "Keys");
    await visit.heading("Keys").waitFor();
    expect(await page.getByRole("button", { name: "Make a key" }).count()).toBe(0);
    await visit.press("link", "Library");
    await visit.press("link", name);
    await visit.press("link", "Versions");
    await visit.row("2.0.0 (current)").waitFor();
    expect([role, await page.getByRole("button", { name: "Make current" }).count()]).toEqual([
      role,
      isMaintainer ? 1 : 0,
    ]);
    expect([role, await page.getByRole("button", { name: "Yank" }).count()]).toEqual([role, isMaintainer ? 2 : 0]);
    for (const [place, says] of ADMINS) {
      await page.goto(gateway.url + place);
      await page.getByRole("alert").filter({ hasText: says }).waitFor();
      await visit.look(`${place} for a ${role}`);
    }
    await visit.leave();
  }
}

async function shows({ page }: Visit): Promise<{ audit: boolean; publish: boolean }> {
  const link = (name: string) =>
    page.getByRole("navigation", { name: "Console" }).getByRole("link", { name, exact: true });
  await link("Library").waitFor();
  return { audit: (await link("Audit").count()) > 0, publish: (await link("Publish").count()) > 0 };
}

async function publish(visit: Visit, key: string, group: string, version: string): Promise<void> {
  const name = visit.named("shared");
  const { buffer } = zipOf(`${name}.zip`, { [`${name}/SKILL.md`]: skillText(name, version, `Shared, ${version}.`) });
  const form = new FormData();
  form.set("file", new Blob([new Uint8Array(buffer)]), `${name}.zip`);
  form.set("namespace", group);
  const answer = await fetch(`${visit.gateway.url}/api/v1/kinds/skills/upload`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}` },
    body: form,
  });
  expect(answer.status, await answer.text()).toBe(201);
}
