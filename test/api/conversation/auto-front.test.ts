// The beginning of the prompt under delivery `auto`: it stays unchanged, except that skills the user can no longer use are removed.

import { beforeEach, describe, expect, it } from "vitest";
import { CachedChat } from "../../support/cached-chat";
import { call } from "../../support/call";
import { publishPublic } from "../../support/chat-turns";
import { configure } from "../../support/clock";
import { clearRegistry, type SeededSkill, seedVersion } from "../../support/registry";
import { activeIn, someone, textOf } from "../../support/users";

/** Two skills that are so small that they are preloaded together. */
async function preloaded() {
  const user = someone();
  const one = await user.seed({ name: "one", version: "1.0.0", body: "Do one.", tokens: 500, scope: "public" });
  await user.seed({ name: "two", body: "Do two.", tokens: 500 });
  const chat = new CachedChat(user, "c", { format: "anthropic", settings: onlyThese("one", "two") });
  await chat.turn();
  expect(chat.front()).toContain("Do one.");
  return { user, one, chat };
}

/** A list of two skills. */
async function listed() {
  const user = someone();
  const one = await user.seed({ name: "one", description: "Makes one.", tokens: 1_500, scope: "public" });
  await user.seed({ name: "two", description: "Makes two.", tokens: 1_500 });
  const chat = new CachedChat(user, "c", { settings: onlyThese("one", "two") });
  await chat.turn();
  expect(chat.front()).toContain("- **one**: Makes one.");
  return { user, one, chat };
}

const KEPT = "disable-model-invocation: true";
const onlyThese = (...skills: string[]) => ({ spec: { systemPrompt: "You help.", skills } });

async function yank({ id, versionId }: SeededSkill): Promise<void> {
  expect((await call("POST", `/api/v1/kinds/skills/${id}/versions/${versionId}/yank`)).status).toBe(200);
}

beforeEach(clearRegistry);

describe("preloaded instructions", () => {
  it("leave with their version, and those of the next one take their place", async () => {
    const { one, chat } = await preloaded();
    await seedVersion(one, { version: "2.0.0", body: "Do it better.", tokens: 500 });
    await chat.turn();
    expect(chat.front()).toContain("Do one.");
    await yank(one);
    const next = await chat.turn();
    expect([chat.front().includes("Do one."), chat.front().includes("Do it better.")]).toEqual([false, true]);
    expect(next).toMatchObject({ active: [{ skill: "one", version: "2.0.0", reason: "preloaded" }, { skill: "two" }] });
    expect(next.drop_thinking_before).toBe("new_user_message");
    await chat.turn();
    expect(chat.misses).toBe(1);
  });

  it("leave with nothing in their place where no version is left", async () => {
    const { one, chat } = await preloaded();
    await yank(one);
    expect(activeIn(await chat.turn())).toEqual(["two"]);
    expect([chat.front().includes("Do one."), chat.front().includes("Do two.")]).toEqual([false, true]);
    expect(textOf(await chat.load("one"))[0]).toContain("is not available");
  });

  it("leave if another skill takes the name, whose instructions replace them", async () => {
    const { user, chat } = await preloaded();
    await user.seed({ name: "one", body: "Mine does one.", tokens: 500 });
    await chat.turn();
    expect([chat.front().includes("Do one."), chat.front().includes("Mine does one.")]).toEqual([false, true]);
  });

  it("leave if the author disables model invocation", async () => {
    const user = someone();
    await publishPublic({ name: "kept", version: "1.0.0", body: "Deploy it." });
    const chat = new CachedChat(user, "c", { settings: onlyThese("kept") });
    await chat.turn();
    expect(chat.front()).toContain("Deploy it.");
    await publishPublic({ name: "kept", version: "2.0.0", frontmatter: KEPT, body: "Deploy it well." });
    expect(activeIn(await chat.turn())).toEqual([]);
    expect(chat.front()).not.toContain("Deploy it");
  });
});

describe("lines of the list", () => {
  it("leave if another skill takes the name, whose line replaces theirs", async () => {
    const { user, chat } = await listed();
    await user.seed({ name: "one", description: "Makes mine.", tokens: 1_500 });
    await chat.turn();
    expect([chat.front().includes("Makes one."), chat.front().includes("**one**: Makes mine.")]).toEqual([false, true]);
    await chat.turn();
    expect(chat.misses).toBe(1);
  });

  it("leave if the author disables model invocation", async () => {
    const user = someone();
    const skill = { name: "zebras", description: "Deploys zebras.", body: "Deploy them. ".repeat(1_500) };
    await publishPublic({ ...skill, version: "1.0.0" });
    const chat = new CachedChat(user, "c", { settings: onlyThese("zebras") });
    await chat.turn();
    expect(chat.front()).toContain("Deploys zebras.");
    await publishPublic({ ...skill, version: "2.0.0", frontmatter: KEPT });
    await chat.turn();
    expect(chat.front()).not.toContain("Deploys zebras.");
  });

  it("leave all, and with them the number of those that are not shown, when the gateway switches skills off", {
    tags: ["slow"],
  }, async () => {
    const user = someone();
    const description = "Does one of the many things that can be done with words in a row. ".repeat(3);
    const names = Array.from({ length: 300 }, (_, index) => `many-${index}`);
    await Promise.all(names.map((name) => user.seed({ name, description, tokens: 100 })));
    const chat = new CachedChat(user, "c");
    await chat.turn();
    expect(chat.front()).toMatch(/… and \d+ more: call find_skill/);
    await configure(user.stub("c"), { SKILLS_ENABLED: "false" });
    const off = await chat.turn();
    expect([chat.front().includes("many-"), chat.front().includes("find_skill"), off.tools]).toEqual([
      false,
      false,
      [],
    ]);
    await configure(user.stub("c"), { SKILLS_ENABLED: "true" });
    await chat.turn();
    expect(chat.front()).toContain("many-");
  });
});
