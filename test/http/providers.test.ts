import { describe, expect, it } from "vitest";
import { providerSkill } from "../fixtures/provider";
import { publishPublic, talk, textOf } from "./talk";

describe("a provider", () => {
  it("brings its tools while its skill is active", async () => {
    await publishPublic(providerSkill("echoes", { echo: "return 'you said ' + args.text" }, { config: { a: 1 } }));
    const chat = await talk("alice");
    const first = await chat.turn();
    expect(first.tools.map((tool) => tool.name)).not.toContain("echo");
    const step = await chat.calls({ id: "1", name: "load_skill", arguments: { skill_name: "echoes" } });
    expect(step.tools.find((tool) => tool.name === "echo")).toEqual({
      name: "echo",
      description: "Does echo.",
      inputSchema: { type: "object", properties: {} },
    });
    expect(await chat.use("echo", { text: "hello" })).toEqual({
      id: expect.any(String),
      name: "echo",
      content: [{ type: "text", text: "you said hello" }],
    });
    await chat.use("unload_skill", { skill_name: "echoes" });
    expect(await chat.tools()).not.toContain("echo");
    const refused = await chat.use("echo", { text: "hello" });
    expect(refused.isError).toBe(true);
    expect(textOf(refused)).toBe("Load skill 'echoes' first.");
  });
});
