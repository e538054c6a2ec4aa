import { exports } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { keyFor } from "../../support/call";
import { publishPublic, talk, textOf } from "../../support/chat-turns";
import { providerSkill } from "../../support/provider";
import { clearRegistry } from "../../support/registry";

beforeEach(clearRegistry);

const KEPT = { name: "deploy", description: "Deploys zebras.", frontmatter: "disable-model-invocation: true" };

async function world(settings: object = {}) {
  await publishPublic({ ...KEPT, body: "Deploy them.", files: { "notes.md": "A note." } });
  await publishPublic({ name: "shown", description: "Shows zebras." });
  return talk("person", settings);
}

describe("a skill with disabled model invocation", () => {
  it("is in no list, no search, and not among the names of an answer", async () => {
    const chat = await world();
    const { prompt, tools } = await chat.turn();
    expect(prompt.system).toContain("shown");
    expect(prompt.system + JSON.stringify(tools)).not.toContain("deploy");
    const found = await chat.use("find_skill", { query: "zebras" });
    expect([textOf(found).includes("shown"), JSON.stringify(found).includes("deploy")]).toEqual([true, false]);
    expect(textOf(await chat.load("showns"))).toContain("Did you mean 'shown'?");
    expect(textOf(await chat.load("deploys"))).not.toContain("Did you mean");
    const oneTool = await talk("person", { tool_style: "skill" });
    expect(JSON.stringify((await oneTool.turn()).tools)).not.toContain("deploy");
  });

  it("is not found by models", async () => {
    const chat = await world();
    await chat.turn();
    for (const [name, args] of [
      ["load_skill", {}],
      ["read_skill", {}],
      ["read_skill", { file_path: "notes.md" }],
      ["execute_skill_script", { script_path: "run.js" }],
    ] as const) {
      const answer = await chat.use(name, { skill_name: "deploy", ...args });
      expect([answer.isError, textOf(answer)], name).toEqual([
        true,
        `Error: Skill 'deploy' is not available. Call ${name} with a name from the list of available skills.`,
      ]);
    }
  });

  it("comes with a skill whose author says that it needs it, and leaves with that", async () => {
    const chat = await world({ retention_turns: 1 });
    await publishPublic({ name: "needy", frontmatter: "dependencies: [deploy]" });
    await chat.turn();
    expect((await chat.load("needy")).isError).toBeUndefined();
    const { active, prompt } = await chat.calls();
    expect([active.map(({ skill }) => skill), prompt.system.includes("Deploy them.")]).toEqual([
      ["deploy", "needy"],
      true,
    ]);
    expect(textOf(await chat.use("read_skill", { skill_name: "deploy", file_path: "notes.md" }))).toBe("A note.");
    await chat.turn();
    expect((await chat.turn()).active).toEqual([]);
    expect((await chat.use("read_skill", { skill_name: "deploy" })).isError).toBe(true);
  });

  it("is not made active again by a call of its tool, where the history still has its instructions", async () => {
    const tools = { ship: "return 'shipped'" };
    const frontmatter = "disable-model-invocation: true";
    const long = { body: "Long words. ".repeat(2_000) };
    await publishPublic(providerSkill("shipper", tools, { ...long, frontmatter }));
    await publishPublic({ name: "shown", description: "Shows zebras.", ...long });
    const chat = await talk("person", { delivery: "auto" });
    const ship = () => chat.use("call_skill_tool", { name: "ship", arguments: {} });
    await chat.turn({ selected_skills: ["shipper"] });
    expect(textOf(await ship())).toBe("shipped");
    await chat.turn();
    const answer = await ship();
    expect([answer.isError, textOf(answer)]).toEqual([
      true,
      "Error: Skill 'shipper' is not available. Call load_skill with a name from the list of available skills.",
    ]);
  });

  it("is not found under delivery auto either", async () => {
    const chat = await world({ delivery: "auto" });
    const begun = await chat.turn();
    expect(JSON.stringify([begun.prompt, begun.tools])).not.toContain("deploy");
    for (const name of ["load_skill", "read_skill"])
      expect((await chat.use(name, { skill_name: "deploy" })).isError, name).toBe(true);
    const restored = await talk("person", { delivery: "auto" });
    const history = [{ role: "assistant", content: "Done.", loaded_skills: ["deploy"] }];
    expect((await restored.turn({ history })).active.map(({ skill }) => skill)).not.toContain("deploy");
  });

  it("is a user's to select, and then the model may read it as long as that holds", async () => {
    const chat = await world();
    const { prompt, active } = await chat.turn({ selected_skills: ["deploy"] });
    expect([active.map(({ skill }) => skill), prompt.system.includes("Deploy them.")]).toEqual([["deploy"], true]);
    expect(textOf(await chat.use("read_skill", { skill_name: "deploy", file_path: "notes.md" }))).toBe("A note.");
    expect(textOf(await chat.load("deploy"))).toContain("already active");
    expect((await chat.turn()).active).toEqual([]);
  });

  it("may be preloaded", async () => {
    const chat = await world({ spec: { preload_skills: ["deploy"] } });
    expect((await chat.turn()).active.map(({ skill }) => skill)).toEqual(["deploy"]);
  });

  it("is not loaded by a history", async () => {
    const chat = await world();
    const history = [{ role: "assistant", content: "Done.", loaded_skills: ["deploy", "shown"] }];
    const { active } = await chat.turn({ history });
    expect(active.map(({ skill }) => skill)).toEqual(["shown"]);
  });

  it("is the only one: then there is no list and nothing to call", async () => {
    await publishPublic(KEPT);
    const chat = await talk("person", { spec: { systemPrompt: "Hi.", skills: ["*"] } });
    expect(await chat.turn()).toMatchObject({ prompt: { system: "Hi." }, tools: [] });
  });

  it("is in no list of an MCP client", async () => {
    await world();
    const key = await keyFor("person");
    const ask = async (method: string) => {
      const json = { jsonrpc: "2.0", id: 1, method, params: {} };
      const headers = {
        authorization: `Bearer ${key}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2025-11-25",
      };
      const body = JSON.stringify(json);
      return (await exports.default.fetch("https://gateway.test/mcp", { method: "POST", headers, body })).text();
    };
    for (const method of ["skills/list", "resources/list", "tools/list"]) {
      const answer = await ask(method);
      expect([answer.includes("shown"), answer.includes("deploy")], `${method}: ${answer}`).toEqual([true, false]);
    }
  });
});
