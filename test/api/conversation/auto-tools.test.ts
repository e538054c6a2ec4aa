import { describe, expect, it } from "vitest";
import { providerSkill } from "../../support/provider";
import { moveSkill } from "../../support/registry";
import { publishPublic, talk, textOf } from "../../support/talk";

const PADDING = "Read all of this before you start. ".repeat(400);

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
});
