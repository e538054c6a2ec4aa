// Delivery `auto`: earlier messages never change, so the provider's prompt cache applies and no thinking block is rejected.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type AutoTurn, CachedChat, type ChatOptions } from "../../support/cached-chat";
import { call } from "../../support/call";
import { holdClock, pass, releaseClock } from "../../support/clock";
import { clearRegistry, moveSkill, type SeededSkill, seedVersion } from "../../support/registry";
import { activeIn, someone, textOf } from "../../support/users";

/** A catalog that is too large to be preloaded whole. */
async function chat(options: ChatOptions = {}) {
  const user = someone();
  const wiki = await user.seed({ name: "wiki", version: "1.0.0", body: "Write wiki pages.", tokens: 1_500 });
  const table = await user.seed({ name: "table", version: "1.0.0", body: "Draw tables.", tokens: 1_500 });
  return { user, wiki, table, chat: new CachedChat(user, "c", options) };
}

const removed = (name: string) =>
  `[skill-gateway: the instructions of '${name}' were removed here. Call load_skill to have them again.]`;

async function yank(as: string, { id, versionId }: SeededSkill): Promise<void> {
  expect((await call("POST", `/api/v1/kinds/skills/${id}/versions/${versionId}/yank`, { as })).status).toBe(200);
}

beforeEach(clearRegistry);
afterEach(releaseClock);

describe("what was sent", () => {
  it.each(["openai", "anthropic"] as const)(
    "does not change by loading, expiring and loading again: %s",
    async (format) => {
      const { chat: c } = await chat({ format, settings: { retention_turns: 1 } });
      const first = await c.turn();
      expect(first.tools?.length).toBe(6);
      const loaded = await c.load("wiki");
      expect(textOf(loaded)[0]).toContain("Write wiki pages.");
      expect([loaded.changed, loaded.etag]).toEqual([false, first.etag]);
      await c.turn();
      expect(activeIn(await c.turn())).toEqual([]);
      // The instructions are still in the history, so they are not sent and billed again.
      const again = await c.load("wiki");
      expect(textOf(again)).toEqual([
        "Skill 'wiki' is already active. Its instructions stand above; if you cannot see them, call again with reload: true.",
      ]);
      expect(activeIn(again)).toEqual(["wiki"]);
      expect(textOf(await c.load("wiki", { reload: true }))[0]).toContain("Write wiki pages.");
      expect(c.misses).toBe(0);
    },
  );

  it("is the default of Claude's format, and another choice is warned about", async () => {
    const { user } = await chat();
    const offer = (await user.turn("a", { format: "anthropic", conversation: {} })) as AutoTurn;
    expect(offer.cache_control).toEqual({
      tools: { type: "ephemeral" },
      system: { type: "ephemeral" },
      conversation: { type: "ephemeral" },
    });
    const old = await user.turn("b", { format: "anthropic", conversation: { delivery: "system" } });
    expect(old.warnings).toMatchObject([{ code: "BREAKS_THINKING" }]);
    const both = { format: "anthropic", conversation: { delivery: "auto", tool_mode: "dynamic" } };
    expect(await user.send("POST", "/d/turns", both)).toMatchObject({
      status: 400,
      body: { issues: [{ path: "conversation.delivery" }] },
    });
  });

  it("does not change the list; new skills wait until the cache is cold", async () => {
    const { user, chat: c } = await chat();
    const first = await c.turn();
    expect(first.prompt_cache_key).toMatch(/^skills-[0-9a-f]{32}$/);
    await user.seed({ name: "later", tokens: 1_500 });
    expect((await c.turn()).prompt).toEqual(first.prompt);
    expect(JSON.stringify((await c.turn({ cache: "cold" })).prompt)).toContain("**later**");
    expect(c.misses).toBe(1);
  });

  it("is left by instructions of expired skills only in a cold moment, by the clock of the model", async () => {
    holdClock();
    const { chat: c } = await chat({ format: "anthropic", settings: { retention_turns: 0 } });
    await c.turn();
    await c.load("wiki");
    const model = "claude-opus-5-5";
    pass(4 * 60_000);
    expect(await c.turn({ model })).not.toHaveProperty("context_edits");
    pass(6 * 60_000);
    expect(await c.turn({ model: "a-model-that-nobody-knows" })).not.toHaveProperty("context_edits");
    pass(6 * 60_000);
    const cold = await c.turn({ model });
    expect(cold.context_edits).toMatchObject([{ content: removed("wiki") }]);
    expect(c.text()).not.toContain("Write wiki pages.");
    // Removed instructions are sent again.
    expect(textOf(await c.load("wiki"))[0]).toContain("Write wiki pages.");
  });

  it("is not left again by what was taken out and wanted again: each time that costs a step", async () => {
    const { chat: c } = await chat({ have: true, settings: { retention_turns: 0 } });
    await c.turn();
    await c.load("wiki");
    await c.load("table");
    expect((await c.turn({ cache: "cold" })).context_edits).toHaveLength(2);
    expect(textOf(await c.load("wiki"))[0]).toContain("Write wiki pages.");
    expect(await c.turn({ cache: "cold" })).not.toHaveProperty("context_edits");
    expect(textOf(await c.load("wiki"))[0]).toContain("is already active");
  });

  it("repeats what it asked for to a caller that asks for the same turn again", async () => {
    const { chat: c, user } = await chat({ settings: { retention_turns: 0 } });
    await c.turn();
    await c.load("wiki");
    const body = { format: "openai", key: "k", cache: "cold", selected_skills: ["table"] };
    const first = (await user.turn("c", body)) as AutoTurn;
    const again = (await user.turn("c", body)) as AutoTurn;
    expect(first.context_edits).toHaveLength(1);
    expect(again).toEqual(first);
  });
});

describe("selected skills", () => {
  it("stand in a message that the caller appends, once", async () => {
    const { chat: c } = await chat();
    await c.turn();
    const first = await c.turn({ selected_skills: ["wiki"] });
    expect(JSON.stringify(first.append)).toContain("Write wiki pages.");
    const again = await c.turn({ selected_skills: ["wiki"] });
    expect(JSON.stringify(again.append)).toContain("prefer them: wiki");
    expect(JSON.stringify(again.append)).not.toContain("Write wiki pages.");
    expect(c.misses).toBe(0);
  });

  it("are given again to a caller whose history has lost them", async () => {
    const { chat: c } = await chat();
    await c.turn({ selected_skills: ["wiki"] });
    const cut = await c.turn({ selected_skills: ["wiki"], have: [] });
    expect(JSON.stringify(cut.append)).toContain("Write wiki pages.");
  });
});

describe("a history that was lost", () => {
  it("is reported with `have`: an active skill has its instructions appended, an expired one is sent again", async () => {
    const { chat: c } = await chat();
    await c.turn();
    await c.load("wiki");
    const next = await c.turn({ have: [] });
    expect(activeIn(next)).toEqual(["wiki"]);
    expect(JSON.stringify(next.append)).toContain("Write wiki pages.");
    expect(await c.turn({ history_cut: true })).toMatchObject({ append: [{ role: "developer" }] });
  });

  it("counts as there again where a caller says that it did not edit it", async () => {
    const { chat: c } = await chat({ edits: false, have: true, settings: { retention_turns: 0 } });
    await c.turn();
    await c.load("wiki");
    expect((await c.turn({ cache: "cold" })).context_edits).toHaveLength(1);
    await c.turn();
    expect(textOf(await c.load("wiki"))[0]).toContain("is already active");
  });
});

it("a caller can report its whole history: unknown ids are not stored", async () => {
  const { chat: c, user } = await chat();
  await c.turn();
  await c.load("wiki");
  const known = c.said.flatMap(({ id }) => id ?? []);
  const unknown = Array.from({ length: 9_000 }, (_, index) => `${index}-`.padEnd(255, "x"));
  const said = await user.turn("c", { format: "openai", have: [...unknown, ...known, ...known] });
  expect(said).not.toHaveProperty("append");
  const { events } = await user.get("/c/events");
  expect(events.at(-1)).toMatchObject({ type: "turn", turn: 2, history: { have: known } });
});

describe("versions", () => {
  it("stay until the skill is loaded anew, which says what it replaces", async () => {
    const { chat: c, wiki } = await chat();
    await c.turn();
    await c.load("wiki");
    await seedVersion(wiki, { version: "2.0.0", body: "Write better pages.", tokens: 1_500 });
    expect((await c.turn()).active).toMatchObject([{ skill: "wiki", version: "1.0.0" }]);
    const moved = textOf(await c.load("wiki"))[0];
    expect(moved).toMatch(/^This replaces the instructions of 'wiki' above \(version 1\.0\.0 → 2\.0\.0\)\./);
    expect(moved).toContain("Write better pages.");
    expect((await c.turn()).active).toMatchObject([{ skill: "wiki", version: "2.0.0" }]);
    expect(c.misses).toBe(0);
  });
});

it("tokens are counted as they are sent: the list as it was, and every text as often as it stands there", async () => {
  const { chat: c, user } = await chat({ settings: { retention_turns: 0 } });
  const sent = async () => (await user.get("/c")).tokens.actual;
  await c.turn();
  const list = await sent();
  expect(list).toBeGreaterThan(0);
  await c.load("wiki");
  expect(await sent()).toBe(list + 1_500);
  await user.seed({ name: "later", tokens: 1_500 });
  await c.turn();
  expect(await sent()).toBe(2 * list + 3_000);
  await c.load("wiki");
  expect(await sent()).toBe(2 * list + 3_000);
  await c.load("wiki", { reload: true });
  expect(await sent()).toBe(2 * list + 4_500);
  await c.turn();
  expect(await sent()).toBe(3 * list + 7_500);
  await c.turn({ cache: "cold" });
  const longer = (await sent()) - 3 * list - 7_500;
  expect([longer > list, longer < list + 1_500]).toEqual([true, true]);
});

describe("what may not be used any more", () => {
  it("cannot be called or read at the next step, and is taken out with the next turn, warm or not", async () => {
    const { chat: c, wiki } = await chat({ format: "anthropic", edits: false });
    await c.turn();
    await c.load("wiki");
    await moveSkill(wiki, "user:somebody-else");
    expect(textOf(await c.load("wiki"))[0]).toContain("is not available");
    const next = await c.turn();
    expect(next.context_edits).toMatchObject([{ content: removed("wiki"), required: true }]);
    expect(JSON.stringify(next.prompt)).not.toContain("**wiki**");
    expect(c.text()).not.toContain("Write wiki pages.");
  });
});

it("what a loaded skill needed does not stay with it when it may not be used any more", async () => {
  const { chat: c, user } = await chat();
  const needed = await user.seed({ name: "needed", body: "Needed text.", tokens: 1_500 });
  await user.seed({ name: "needy", body: "Needy text.", tokens: 1_500, dependencies: ["needed"] });
  await c.turn();
  expect(textOf(await c.load("needy"))[0]).toContain("Needed text.");
  await moveSkill(needed, "user:somebody-else");
  const next = await c.turn();
  expect(activeIn(next)).toEqual(["needy"]);
  expect(next.context_edits).toMatchObject([{ required: true }]);
  expect(JSON.stringify(next.append)).toContain("Needy text.");
  expect(c.text()).not.toContain("Needed text.");
});

it("what a caller was free to keep is to be replaced once it may not be used any more", async () => {
  const { chat: c, wiki } = await chat({ edits: false, settings: { retention_turns: 0 } });
  await c.turn();
  await c.load("wiki");
  expect((await c.turn({ cache: "cold" })).context_edits).toHaveLength(1);
  expect(c.text()).toContain("Write wiki pages.");
  await moveSkill(wiki, "user:somebody-else");
  expect((await c.turn()).context_edits).toMatchObject([{ content: removed("wiki"), required: true }]);
  expect(c.text()).not.toContain("Write wiki pages.");
  expect(await c.turn()).not.toHaveProperty("context_edits");
});

it("a yanked version is removed too, and the skill continues with another one", async () => {
  const { chat: c, user, wiki } = await chat({ edits: false });
  await c.turn();
  await c.load("wiki");
  await seedVersion(wiki, { version: "2.0.0", body: "Write better pages.", tokens: 1_500 });
  await yank(user.name, wiki);
  const next = await c.turn();
  expect(next.context_edits).toMatchObject([{ content: removed("wiki"), required: true }]);
  expect(next.active).toMatchObject([{ skill: "wiki", version: "2.0.0" }]);
  expect(JSON.stringify(next.append)).toContain("Write better pages.");
});

describe("a small catalog", () => {
  it("is preloaded whole, in the prompt that does not change", async () => {
    const user = someone();
    await user.seed({ name: "one", body: "Do one.", tokens: 900 });
    await user.seed({ name: "two", body: "Do two.", tokens: 900 });
    const c = new CachedChat(user, "c");
    const first = await c.turn();
    expect(JSON.stringify(first.prompt)).toContain("Do one.");
    expect(JSON.stringify(first.prompt)).not.toContain("## Available Skills");
    expect(textOf(await c.load("two"))[0]).toContain("already active");
    await c.turn();
    expect(c.misses).toBe(0);
  });
});

describe("the budget", () => {
  it("counts what the history holds: the oldest text goes with the next turn, warm or not", async () => {
    const { chat: c, user } = await chat({ settings: { max_skill_tokens: 3_200, retention_turns: 0 } });
    await user.seed({ name: "third", body: "Third.", tokens: 1_500 });
    await c.turn();
    await c.load("wiki");
    await c.turn();
    await c.load("table");
    await c.turn();
    await c.load("third");
    const next = await c.turn();
    expect(next.context_edits).toMatchObject([{ content: removed("wiki") }]);
  });
});
