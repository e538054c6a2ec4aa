// Restoring an earlier turn under delivery `auto`: skills in the shorter history are active, skills that were cut off are not.

import { beforeEach, describe, expect, it } from "vitest";
import { CachedChat } from "../../support/cached-chat";
import { clearRegistry, moveSkill, seedVersion } from "../../support/registry";
import { activeIn, someone, textOf } from "../../support/users";

beforeEach(clearRegistry);

async function chat(settings: object = {}) {
  const user = someone();
  const wiki = await user.seed({ name: "wiki", version: "1.0.0", body: "Write wiki pages.", tokens: 1_500 });
  const table = await user.seed({ name: "table", body: "Draw tables.", tokens: 1_500, dependencies: ["wiki"] });
  const c = new CachedChat(user, "c", { settings });
  await c.turn();
  return { user, wiki, table, c };
}

describe("a history that goes back to an earlier turn", () => {
  it("still holds the instructions of skills that have expired", async () => {
    const { c, wiki } = await chat({ retention_turns: 0 });
    await c.load("wiki");
    await c.turn();
    await c.turn();
    await c.back(2);
    expect(activeIn(await c.turn())).toEqual([]);
    expect(textOf(await c.load("wiki"))[0]).toContain("is already active");
    await moveSkill(wiki, "user:somebody-else");
    expect((await c.turn()).context_edits).toMatchObject([{ required: true }]);
    expect(c.text()).not.toContain("Write wiki pages.");
  });

  it("still holds those of skills that others needed, at their version", async () => {
    const { c, wiki } = await chat();
    await c.load("table");
    await c.turn();
    await seedVersion(wiki, { version: "2.0.0", body: "Write better pages.", tokens: 1_500 });
    await c.back(1);
    const next = await c.turn();
    expect(next.active).toMatchObject([{ skill: "wiki", version: "1.0.0" }, { skill: "table" }]);
    expect(next).not.toHaveProperty("append");
  });

  it("still holds what was appended", async () => {
    const { c, wiki } = await chat();
    await c.turn({ selected_skills: ["wiki"] });
    await c.turn();
    await c.back(2);
    expect(JSON.stringify((await c.turn({ selected_skills: ["wiki"] })).append)).not.toContain("Write wiki pages.");
    await moveSkill(wiki, "user:somebody-else");
    await c.turn();
    expect(c.text()).not.toContain("Write wiki pages.");
  });

  it("does not hold what came later, nor what was taken out", async () => {
    const { c } = await chat();
    await c.turn();
    await c.load("wiki");
    await c.back(1);
    await c.turn();
    expect(textOf(await c.load("wiki"))[0]).toContain("Write wiki pages.");
    await c.turn();
    await c.load("wiki");
    const unloaded = { id: "unload", name: "unload_skill", arguments: { skill_name: "wiki" } };
    await c.step(unloaded);
    expect((await c.turn({ cache: "cold" })).context_edits).toHaveLength(1);
    await c.back(3);
    await c.turn();
    expect(textOf(await c.load("wiki"))[0]).toContain("Write wiki pages.");
  });
});

it("what a caller may have lost is to be taken out all the same, if it is still there", async () => {
  const { c, wiki } = await chat();
  await c.load("wiki");
  expect(JSON.stringify((await c.turn({ history_cut: true })).append)).toContain("Write wiki pages.");
  await moveSkill(wiki, "user:somebody-else");
  expect((await c.turn()).context_edits).toMatchObject([{ required: true }, { required: true }]);
  expect(c.text()).not.toContain("Write wiki pages.");
});
