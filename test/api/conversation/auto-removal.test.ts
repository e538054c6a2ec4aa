// Every way to lose access to a skill under delivery `auto`. At the next step, the skill cannot be loaded or read. The next turn removes
// its instructions and its line from the list, whether or not the cache is warm, and even for callers that skip optional removals.

import { beforeEach, describe, expect, it } from "vitest";
import { CachedChat } from "../../support/cached-chat";
import { call } from "../../support/call";
import { configure } from "../../support/clock";
import {
  clearRegistry,
  deleteSkill,
  moveSkill,
  type SeededSkill,
  seedGhost,
  seedVersion,
} from "../../support/registry";
import { activeIn, read, someone, textOf } from "../../support/users";

interface World {
  user: ReturnType<typeof someone>;
  skill: SeededSkill;
  group: string;
}

async function ok(method: string, path: string, json?: unknown): Promise<void> {
  const answer = await call(method, `/api/v1${path}`, json === undefined ? {} : { json });
  expect(answer.status, await answer.text()).toBeLessThan(300);
}

const WAYS: [string, (world: World) => Promise<unknown>][] = [
  ["its version is yanked", ({ skill }) => ok("POST", `/kinds/skills/${skill.id}/versions/${skill.versionId}/yank`)],
  ["it is moved out of sight", ({ skill }) => moveSkill(skill, "user:nobody")],
  ["it is deleted", ({ skill }) => deleteSkill(skill)],
  ["the user leaves the group", ({ user, group }) => ok("DELETE", `/groups/${group}/members/${user.name}`)],
  ["its version is for other shells", ({ skill }) => seedVersion(skill, { bindShells: ["Elsewhere"] })],
  ["the ghost has it no more", ({ user }) => seedGhost(user.name, "helper", { skills: ["other"] })],
  ["the gateway allows it no more", ({ user }) => configure(user.stub("c"), { SKILLS_ALLOWED: "other" })],
  ["the gateway switches skills off", ({ user }) => configure(user.stub("c"), { SKILLS_ENABLED: "false" })],
];

let groups = 0;

/** @param tokens of each of the two skills: small ones are preloaded */
async function world(tokens: number) {
  const user = someone();
  const group = `leaving-${groups++}`;
  await ok("POST", "/groups", { name: group });
  await ok("PUT", `/groups/${group}/members/${user.name}`, { role: "Reporter" });
  const scope = `group:${group}`;
  const skill = await user.seed({ name: "gone", scope, description: "Goes away.", body: "Gone text.", tokens });
  await user.seed({ name: "other", description: "Stays.", body: "Other text.", tokens });
  await seedGhost(user.name, "helper", { skills: ["gone", "other"] });
  const chat = new CachedChat(user, "c", { format: "anthropic", edits: false, settings: { ghost: "helper" } });
  await chat.turn();
  return { user, group, skill, chat };
}

beforeEach(clearRegistry);

describe("a skill that may not be used any more because", () => {
  it.each(WAYS)("%s", async (_, leave) => {
    const { chat, ...rest } = await world(1_500);
    expect(chat.front()).toContain("Goes away.");
    await chat.load("gone");
    await chat.load("other");
    expect(chat.text()).toContain("Gone text.");
    await leave({ ...rest });
    const step = await chat.step(read("gone"));
    expect(activeIn(step)).not.toContain("gone");
    const tries = [...step.results, ...(await chat.load("gone", { reload: true })).results];
    expect(tries.map(({ isError }) => isError)).toEqual([true, true]);
    const next = await chat.turn();
    expect(next.context_edits?.filter(({ required }) => required)).not.toEqual([]);
    expect(next.drop_thinking_before).toBe("new_user_message");
    expect(activeIn(next)).not.toContain("gone");
    expect([chat.text().includes("Gone text."), chat.front().includes("Goes away.")]).toEqual([false, false]);
    // No further edit is necessary.
    expect(await chat.turn()).not.toHaveProperty("context_edits");
    expect(chat.misses).toBe(1);
  });

  it.each(WAYS)("%s, and that was preloaded", async (_, leave) => {
    const { chat, ...rest } = await world(500);
    expect(chat.front()).toContain("Gone text.");
    await leave({ ...rest });
    expect(textOf(await chat.step(read("gone")))[0]).toMatch(/^Error: /);
    expect(activeIn(await chat.turn())).not.toContain("gone");
    expect(chat.text()).not.toContain("Gone text.");
    await chat.turn();
    expect(chat.misses).toBe(1);
  });

  it.each(WAYS)("%s, without a request of the caller", async (_, leave) => {
    const { chat, ...rest } = await world(1_500);
    await chat.load("gone");
    await chat.turn();
    await leave({ ...rest });
    const next = await chat.turn({ selected_skills: ["gone"], have: chat.ids() });
    expect(activeIn(next)).not.toContain("gone");
    expect([chat.text().includes("Gone text."), chat.front().includes("Goes away.")]).toEqual([false, false]);
  });
});
