import { describe, expect, it } from "vitest";
import { call } from "../../support/call";
import { publishPublic, type Talk, talk, textOf } from "../../support/chat-turns";
import { providerSkill } from "../../support/provider";
import { moveSkill } from "../../support/registry";

const PADDING = "Read all of this before you start. ".repeat(400);

/** Returns a chat in which a skill with the tool `act` has expired while its instructions are still in the history. */
async function expired(user: string, name: string, settings: object = {}) {
  const skill = (version: string, frontmatter?: string) =>
    providerSkill(name, { act: "return 'acted'" }, { version, body: PADDING, ...(frontmatter ? { frontmatter } : {}) });
  const first = await publishPublic(skill("1.0.0"));
  const chat = await talk(user, { delivery: "auto", retention_turns: 0, ...settings });
  await chat.load(name);
  expect((await chat.turn()).active).toEqual([]);
  return { chat, first, skill };
}

/** Whether a tool ran, and what is active after it was called. */
async function acts(chat: Talk): Promise<{ ran: boolean; active: string[] }> {
  const { results, active } = await chat.calls({ id: "act", name: "call_skill_tool", arguments: { name: "act" } });
  return { ran: results.some((result) => textOf(result) === "acted"), active: active.map(({ skill }) => skill) };
}

describe("a tool of a skill that is not active any more, under delivery `auto`", () => {
  it("runs while its description stands in the history, and makes the skill active again", async () => {
    await publishPublic(providerSkill("lasting", { echo: "return 'you said ' + args.text" }, { body: PADDING }));
    const chat = await talk("alice", { delivery: "auto", retention_turns: 0 });
    expect(textOf(await chat.load("lasting"))).toContain("call_skill_tool");
    expect((await chat.turn()).active).toEqual([]);
    const used = await chat.use("call_skill_tool", { name: "echo", arguments: { text: "hello" } });
    expect(textOf(used)).toBe("you said hello");
    const step = await chat.calls({ id: "r", name: "read_skill", arguments: { skill_name: "lasting" } });
    expect(step.active).toMatchObject([{ skill: "lasting" }]);
  });

  it("does not run where the skill may not be used any more, or its instructions are gone", async () => {
    const { id, version_id: versionId } = await publishPublic(
      providerSkill("leaving", { act: "return 1" }, { body: PADDING }),
    );
    const chat = await talk("bob", { delivery: "auto", retention_turns: 0 });
    await chat.load("leaving");
    await chat.turn({ have: [] });
    expect(textOf(await chat.use("call_skill_tool", { name: "act" }))).toBe("Load skill 'leaving' first.");
    await chat.load("leaving");
    await chat.turn();
    await moveSkill({ id, name: "leaving", scope: "public", versionId }, "user:carol");
    const refused = await chat.use("call_skill_tool", { name: "act" });
    expect([refused.isError, textOf(refused)]).toEqual([true, expect.stringContaining("is not available")]);
  });

  it("does not run at a version that was yanked", async () => {
    const { chat, first, skill } = await expired("dora", "pulled");
    await publishPublic(skill("2.0.0"));
    await yank(first.id, first.version_id);
    expect(await acts(chat)).toEqual({ ran: false, active: [] });
    expect(textOf(await chat.load("pulled"))).toContain("version 1.0.0 → 2.0.0");
    expect((await acts(chat)).active).toEqual(["pulled"]);
  });

  it("does not run after the author disabled model invocation", async () => {
    const { chat, skill } = await expired("emil", "kept");
    await publishPublic(skill("2.0.0", "disable-model-invocation: true"));
    expect(await acts(chat)).toEqual({ ran: false, active: [] });
    await chat.turn({ selected_skills: ["kept"] });
    expect(await acts(chat)).toEqual({ ran: true, active: ["kept"] });
  });

  it("does not run beyond the conversation's budget", async () => {
    await publishPublic({ name: "other", body: PADDING });
    const { chat } = await expired("fred", "second", { max_active_skills: 1 });
    await chat.load("other");
    expect(await acts(chat)).toEqual({ ran: false, active: ["other"] });
    // With the next turn there is room again.
    await chat.turn();
    expect(await acts(chat)).toEqual({ ran: true, active: ["second"] });
  });

  it("does not bring along a skill that it needed and that may not be used any more", async () => {
    const { id, version_id: versionId } = await publishPublic({ name: "needed", body: PADDING });
    const { chat } = await expired("gina", "needy");
    await publishPublic(
      providerSkill(
        "needy",
        { act: "return 'acted'" },
        { version: "2.0.0", body: PADDING, frontmatter: "dependencies: [needed]" },
      ),
    );
    await chat.load("needy");
    await chat.turn();
    await moveSkill({ id, name: "needed", scope: "public", versionId }, "user:carol");
    expect(await acts(chat)).toEqual({ ran: true, active: ["needy"] });
  });
});

describe("the tools of a skill, under delivery `auto`", () => {
  const described = /call_skill_tool\(name, arguments\)[\s\S]*"name\\*":\\*"act/;
  const append = (turn: object) => JSON.stringify((turn as { append?: object[] }).append ?? null);

  it("are described where a user selects it", async () => {
    await publishPublic(providerSkill("chosen", { act: "return 'acted'" }, { body: PADDING }));
    const chat = await talk("hugo", { delivery: "auto" });
    expect(append(await chat.turn({ selected_skills: ["chosen"] }))).toMatch(described);
    expect(await acts(chat)).toEqual({ ran: true, active: ["chosen"] });
  });

  it("are described where a history is restored that has lost its instructions", async () => {
    await publishPublic(providerSkill("restored", { act: "return 'acted'" }, { body: PADDING }));
    const chat = await talk("ines", { delivery: "auto" });
    const history = [
      { role: "user", content: "Do it" },
      { role: "assistant", content: "Done.", loaded_skills: ["restored"] },
    ];
    expect(append(await chat.turn({ history }))).toMatch(described);
    expect(await acts(chat)).toEqual({ ran: true, active: ["restored"] });
  });

  it("are described where it has no instructions, once", async () => {
    await publishPublic({ name: "filler", body: PADDING });
    await publishPublic(providerSkill("bare", { act: "return 'acted'" }, { body: "" }));
    const chat = await talk("jana", { delivery: "auto" });
    await chat.turn();
    const first = textOf(await chat.load("bare"));
    expect(first).toMatch(/^Skill 'bare' has been loaded/);
    expect(first).toMatch(described);
    const other = await talk("jana", { delivery: "auto" });
    expect(append(await other.turn({ selected_skills: ["bare"] }))).toMatch(described);
    expect(append(await other.turn({ selected_skills: ["bare"] }))).not.toMatch(described);
  });
});

async function yank(id: string, version: string): Promise<void> {
  expect((await call("POST", `/api/v1/kinds/skills/${id}/versions/${version}/yank`)).status).toBe(200);
}
