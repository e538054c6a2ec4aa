// Repeated loads under delivery `auto`: instructions are sent again if the call requests it or if a newer version exists.

import { beforeEach, describe, expect, it } from "vitest";
import { CachedChat } from "../../support/cached-chat";
import { call } from "../../support/call";
import { publishPublic } from "../../support/chat-turns";
import { clearRegistry, seedVersion } from "../../support/registry";
import { activeIn, named, someone, textOf } from "../../support/users";

beforeEach(clearRegistry);

/** Skills that are too large to be preloaded together. */
async function chat(settings: object = {}) {
  const user = someone();
  for (const name of ["wiki", "table", "third"])
    await user.seed({ name, version: "1.0.0", body: `How to ${name}.`, tokens: 1_500 });
  const c = new CachedChat(user, "c", { settings });
  await c.turn();
  return c;
}

const removed = (name: string) => ({ content: expect.stringContaining(`the instructions of '${name}' were removed`) });

describe("the budget", () => {
  it("counts instructions each time they are sent again", async () => {
    const c = await chat({ max_skill_tokens: 4_000 });
    await c.load("wiki");
    expect(textOf(await c.load("wiki", { reload: true }))[0]).toContain("How to wiki.");
    const third = await c.load("wiki", { reload: true });
    expect(textOf(third)).toEqual([
      "Error: Skill 'wiki' does not fit into this conversation's budget for skills. Continue without it.",
    ]);
    expect(activeIn(third)).toEqual(["wiki"]);
  });

  it("evicts other skills for instructions that are sent again", async () => {
    const c = await chat({ max_skill_tokens: 4_000, retention_turns: 0 });
    await c.load("table");
    await c.turn();
    await c.load("wiki");
    expect(textOf(await c.load("wiki", { reload: true }))[0]).toContain("To make room, these were unloaded: table.");
    expect((await c.turn()).context_edits).toMatchObject([removed("table")]);
  });

  it("for the number of skills removes no text of inactive skills", async () => {
    const c = await chat({ max_active_skills: 1, retention_turns: 0 });
    await c.load("wiki");
    await c.turn();
    await c.load("table");
    expect(textOf(await c.load("third"))[0]).toContain("To make room, these were unloaded: table.");
    expect((await c.turn()).context_edits).toMatchObject([removed("table")]);
  });
});

it("sending the same version again replaces nothing", async () => {
  const c = await chat({ retention_turns: 0 });
  await c.load("wiki");
  await c.turn();
  expect(textOf(await c.load("wiki", { reload: true }))[0]).toMatch(/^Skill 'wiki' has been loaded/);
});

describe("a preloaded skill that has moved on", () => {
  async function moved() {
    const user = someone();
    const one = await user.seed({ name: "one", version: "1.0.0", body: "Do one.", tokens: 900 });
    const c = new CachedChat(user, "c");
    await c.turn();
    await seedVersion(one, { version: "2.0.0", body: "Do it better.", tokens: 900 });
    await c.turn();
    return c;
  }

  it("is sent in its new version when it is loaded, and stays there", async () => {
    const c = await moved();
    const loaded = textOf(await c.load("one"))[0];
    expect(loaded).toMatch(/^This replaces the instructions of 'one' above \(version 1\.0\.0 → 2\.0\.0\)\./);
    expect(loaded).toContain("Do it better.");
    const next = await c.turn();
    expect(next.active).toMatchObject([{ skill: "one", version: "2.0.0", reason: "preloaded" }]);
    expect(next).not.toHaveProperty("append");
    expect(textOf(await c.load("one"))[0]).toContain("already active");
    expect(c.misses).toBe(0);
  });

  it("is appended at that version where the history has lost it", async () => {
    const c = await moved();
    await c.load("one");
    const next = await c.turn({ have: [] });
    expect(next.active).toMatchObject([{ skill: "one", version: "2.0.0", reason: "preloaded" }]);
    expect(JSON.stringify(next.append)).toContain("Do it better.");
  });

  it("stands at its new version in the front that a cold moment makes", async () => {
    const c = await moved();
    expect(c.front()).toContain("Do one.");
    const cold = await c.turn({ cache: "cold" });
    expect(cold.active).toMatchObject([{ skill: "one", version: "2.0.0" }]);
    expect([c.front().includes("Do one."), c.front().includes("Do it better.")]).toEqual([false, true]);
    await c.turn({ cache: "cold" });
    expect(c.misses).toBe(1);
  });
});

it("a selected skill that only users can select is sent again, and stays no longer for that", async () => {
  const frontmatter = "disable-model-invocation: true";
  const { id } = await publishPublic({ name: "kept", frontmatter, body: "Deploy them." });
  const c = await chat();
  await c.turn({ selected_skills: ["kept"] });
  const again = named("load_skill", { skill_name: "kept", reload: true });
  expect(textOf(await c.step(again))[0]).toContain("Deploy them.");
  expect((await c.turn()).active).toEqual([]);
  expect((await call("DELETE", `/api/v1/kinds/skills/${id}`)).status).toBe(204);
  const edits = (await c.turn()).context_edits ?? [];
  expect(edits.map(({ call_id, required }) => [call_id, required])).toContainEqual([again.id, true]);
  expect(c.text()).not.toContain("Deploy them.");
});
