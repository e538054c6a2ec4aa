// An admin, a Maintainer and a Reporter see only the pages and actions of their role, whatever address they type.

import { expect } from "vitest";
import { skillText } from "../page";
import type { Visit } from "./visit";

const ADMINS = [["/console/audit", "Not allowed."]] as const;

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
  for (const version of ["1.0.0", "2.0.0"]) {
    const text = skillText(visit.named("shared"), version, `Shared, ${version}.`);
    await visit.publish(keys.Maintainer, visit.named("shared"), text, group);
  }
  const name = visit.named("shared");

  await visit.enter(gateway.key);
  expect(await shows(visit)).toEqual({ audit: true, publish: true });
  await visit.go("API keys");
  await page.getByRole("button", { name: "Create key" }).waitFor();
  await visit.go("System", "Audit log");
  await page.getByRole("cell", { name: "skill.publish" }).first().waitFor();
  await visit.leave();

  for (const [role, key] of Object.entries(keys)) {
    const isMaintainer = role === "Maintainer";
    await visit.enter(key);
    expect([role, await shows(visit)]).toEqual([role, { audit: false, publish: true }]);
    await visit.go("API keys");
    await visit.heading("API keys").waitFor();
    expect(await page.getByRole("button", { name: "Create key" }).count()).toBe(0);
    await visit.go("Skills");
    await visit.press("link", name);
    await visit.press("link", "Versions");
    await visit.entry("2.0.0", "current").waitFor();
    expect([role, await page.getByRole("button", { name: "Roll back" }).count()]).toEqual([role, isMaintainer ? 1 : 0]);
    expect([role, await page.getByRole("button", { name: "Yank" }).count()]).toEqual([role, isMaintainer ? 2 : 0]);
    for (const [place, says] of ADMINS) {
      await page.goto(gateway.url + place);
      await page.getByRole("alert").filter({ hasText: says }).waitFor();
      await visit.look(`${place} for a ${role}`);
    }
    await visit.leave();
  }
}

/** The pages that a role sees: the tab of the audit log, and the button that publishes. */
async function shows(visit: Visit): Promise<{ audit: boolean; publish: boolean }> {
  const { page } = visit;
  const link = (name: string) => page.locator("main").getByRole("link", { name, exact: true });
  await visit.go("System", "Limits");
  const audit = (await link("Audit log").count()) > 0;
  await visit.go("Skills");
  await page.getByRole("searchbox").waitFor();
  return { audit, publish: (await link("Publish a skill").count()) > 0 };
}
