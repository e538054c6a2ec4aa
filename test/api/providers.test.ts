import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { call, keyFor } from "../support/call";
import { published, publishPublic, talk, textOf } from "../support/chat-turns";
import { providerSkill } from "../support/provider";
import { form, skillZip } from "../support/skill";

describe("a provider's tools", () => {
  it("are there while their skill is active", async () => {
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

  it("leave with their skill's retention", async () => {
    await publishPublic(providerSkill("brief", { stay: "return 1" }));
    const chat = await talk("alice", { retention_turns: 1 });
    await chat.load("brief");
    expect((await chat.turn()).tools.map((tool) => tool.name)).toContain("stay");
    expect((await chat.turn()).tools.map((tool) => tool.name)).not.toContain("stay");
  });

  it("run the new code at the turn after an update, and the old one until then", async () => {
    const skill = (version: string) => ({ ...providerSkill("moving", { which: `return '${version}'` }), version });
    const { id } = await publishPublic(skill("1.0.0"));
    const chat = await talk("alice");
    await chat.load("moving");
    expect(textOf(await chat.use("which"))).toBe("1.0.0");
    await published(await call("PUT", `/api/v1/kinds/skills/${id}`, { body: form(skillZip(skill("2.0.0"))) }));
    expect(textOf(await chat.use("which"))).toBe("1.0.0");
    await chat.turn();
    expect(textOf(await chat.use("which"))).toBe("2.0.0");
  });

  it("and scripts are those of the version that the conversation has, also within a turn", async () => {
    const skill = (version: string) => ({
      ...providerSkill("scripted", { which: "return 1" }, { files: { "scripts/v.js": `console.log("${version}")` } }),
      version,
    });
    const { id } = await publishPublic(skill("1.0.0"));
    const chat = await talk("alice");
    await chat.load("scripted");
    const run = async () =>
      (await chat.use("execute_skill_script", { skill_name: "scripted", script_path: "scripts/v.js" }))
        .structuredContent?.stdout;
    expect(await run()).toBe("1.0.0\n");
    await published(await call("PUT", `/api/v1/kinds/skills/${id}`, { body: form(skillZip(skill("2.0.0"))) }));
    expect(await run()).toBe("1.0.0\n");
    await chat.turn();
    expect(await run()).toBe("2.0.0\n");
  });

  it("are known by a version that has them: the next one's are the next turn's", async () => {
    const { id } = await publishPublic(providerSkill("growing", { old: "return 'old'", both: "return 'old both'" }));
    const chat = await talk("alice");
    await chat.load("growing");
    const next = providerSkill("growing", { both: "return 'new both'", fresh: "return 'fresh'" });
    await published(await call("PUT", `/api/v1/kinds/skills/${id}`, { body: form(skillZip(next)) }));
    const { tools } = await chat.turn();
    expect(tools.map((tool) => tool.name).filter((name) => ["old", "both", "fresh"].includes(name))).toEqual([
      "both",
      "fresh",
    ]);
    expect(textOf(await chat.use("old"))).toBe(
      "Tool 'old' is not available: the current version of skill 'growing' no longer has it. Continue without it.",
    );
  });

  it("with the same name stay distinct, and keep their names while they are active", async () => {
    await publishPublic(providerSkill("first", { same: "return context.skillName" }));
    await publishPublic(providerSkill("second", { same: "return context.skillName" }));
    const chat = await talk("alice");
    await chat.load("first");
    const loaded = await chat.load("second");
    expect(textOf(loaded)).toMatch(/ Its tool 'same' is called 'second__same' here\.$/);
    expect(textOf(await chat.use("same"))).toBe("first");
    expect(textOf(await chat.use("second__same"))).toBe("second");
    await chat.use("unload_skill", { skill_name: "first" });
    expect(textOf(await chat.use("second__same"))).toBe("second");
    expect(textOf(await chat.use("same"))).toBe("Load skill 'first' first.");
    await chat.load("first");
    expect(textOf(await chat.use("same"))).toBe("first");
  });

  it("get names that models' interfaces take, and never one of the gateway's own", async () => {
    const long = "x".repeat(80);
    await publishPublic(
      providerSkill("named", { "do.it/now": "return 1", load_skill: "return 2", [long]: "return 3" }),
    );
    const chat = await talk("alice");
    await chat.load("named");
    const names = (await chat.tools()).slice(3).filter((name) => name !== "execute_skill_script");
    expect(names).toEqual(["do_it_now", "named__load_skill", expect.stringMatching(/^x{57}_[0-9a-f]{6}$/)]);
    for (const [index, name] of names.entries()) expect(textOf(await chat.use(name))).toBe(`${index + 1}`);
  });

  it("can be called in the step that loads their skill", async () => {
    await publishPublic(providerSkill("eager", { rush: "return 'rushed'" }));
    const chat = await talk("alice");
    const step = await chat.calls(
      { id: "a", name: "rush", arguments: {} },
      { id: "b", name: "not_ours", arguments: {} },
      { id: "c", name: "load_skill", arguments: { skill_name: "eager" } },
    );
    expect(step.results.map(({ id }) => id)).toEqual(["a", "c"]);
    expect(textOf(step.results[0]!)).toBe("rushed");
    expect(step.unhandled).toEqual([{ id: "b", name: "not_ours", arguments: {} }]);
  });

  it("read the files of their own package, and of no other", async () => {
    await publishPublic({ name: "neighbour", files: { "secret.txt": "hidden" } });
    await publishPublic(
      providerSkill(
        "reading",
        { read: "return context.readFile(args.path)" },
        { files: { "notes/a.md": "mine", "notes/b.md": "mine too" } },
      ),
    );
    const chat = await talk("alice");
    await chat.load("reading");
    const read = async (path: string) => textOf(await chat.use("read", { path }));
    expect(await read("notes/a.md")).toBe("mine");
    expect(await read("notes/../notes/b.md")).toBe("mine too");
    for (const path of [
      "../neighbour/secret.txt",
      "/neighbour/secret.txt",
      "secret.txt",
      "notes",
      "notes/../../neighbour/secret.txt",
    ])
      expect(await read(path)).toBe(`Tool 'read' failed: The skill has no file '${path}'.`);
  });

  it("that fail are results, and the conversation continues", async () => {
    await publishPublic(
      providerSkill("broken", {
        fails: "throw new Error('out of ink')",
        hangs: { call: "await new Promise((r) => setTimeout(r, 60_000))", config: { timeout: 0.2 } },
        lies: { call: "return 1", provider: "somebody-else" },
      }),
    );
    const chat = await talk("alice");
    const loaded = await chat.load("broken");
    expect(textOf(loaded)).toMatch(/Its tool 'lies' is not available: .*wants the provider 'somebody-else'/);
    const logged = vi.spyOn(console, "log").mockImplementation(() => {});
    const step = await chat.calls(...["fails", "hangs", "lies"].map((name) => ({ id: name, name, arguments: {} })), {
      id: "bad",
      name: "fails",
      arguments: "{not json",
    });
    const told = logged.mock.calls.map(([line]) => JSON.parse(String(line))).filter(({ skill }) => skill === "broken");
    logged.mockRestore();
    expect(told.sort((a, b) => (a.call < b.call ? -1 : 1))).toMatchObject([
      { event: "skill_code_ended", call: "fails", outcome: "failed", turn: 1, ms: expect.any(Number) },
      { event: "skill_code_ended", call: "hangs", outcome: "timeout" },
    ]);
    expect(JSON.stringify(told)).not.toMatch(/ink|talk-/);
    const logId = (await call("GET", chat.route, { key: chat.key })).headers.get("x-log-id");
    expect(told.map(({ conversation }) => conversation)).toEqual([logId, logId]);
    expect(step.results.map((result) => [result.isError, textOf(result)])).toEqual([
      [true, "Tool 'fails' failed: out of ink"],
      [true, "Tool 'hangs' timed out after 0.2s"],
      [true, expect.stringMatching(/^Tool 'lies' is not available: /)],
      [true, "Error: The arguments of 'fails' cannot be read: they are not valid JSON. Send valid JSON."],
    ]);
    const { warnings } = await chat.turn();
    expect(warnings).toContainEqual({
      code: "TOOL_UNAVAILABLE",
      message: expect.stringMatching(/'lies'/),
      path: "broken",
    });
  });

  it("need no isolate to be listed again, not even after the object was evicted", async () => {
    await publishPublic(providerSkill("kept", { known: "return 1" }));
    const key = await keyFor("keeper");
    const chat = await talk({ key });
    await chat.load("kept");
    const { items } = await (await call("GET", "/api/v1/conversations", { key })).json<{ items: { id: string }[] }>();
    const stub = env.CONVERSATIONS.getByName(JSON.stringify(["keeper", items[0]!.id]));
    await evictDurableObject(stub);
    let entered = 0;
    const get = () => {
      entered++;
      throw new Error("no isolate was needed");
    };
    await runInDurableObject(stub, (instance) => {
      Object.defineProperty(instance, "env", { value: { ...env, LOADER: { get } } });
    });
    expect(await chat.tools()).toContain("known");
    expect((await chat.turn()).tools.map((tool) => tool.name)).toContain("known");
    expect(entered).toBe(0);
  });
});

describe("where the list of tools is fixed", () => {
  it("load_skill describes the tools, and call_skill_tool calls them", async () => {
    await publishPublic(providerSkill("fixed", { act: "return args.n + 1" }));
    const chat = await talk("alice", { tool_mode: "fixed" });
    const before = (await chat.turn()).tools;
    const loaded = textOf(await chat.load("fixed"));
    expect(loaded).toContain(
      '\n\n### Tools\n\nCall these with call_skill_tool(name, arguments):\n\n{"name":"act","description":"Does act.",',
    );
    expect(await chat.tools()).toEqual(before.map((tool) => tool.name));
    expect(textOf(await chat.use("call_skill_tool", { name: "act", arguments: { n: 1 } }))).toBe("2");
    expect(textOf(await chat.use("call_skill_tool", { name: "none" }))).toBe(
      "Error: Tool 'none' not found in the loaded skills. Load the skill that has it first.",
    );
    await chat.use("unload_skill", { skill_name: "fixed" });
    expect(textOf(await chat.use("call_skill_tool", { name: "act" }))).toBe("Load skill 'fixed' first.");
  });

  it("the prompt describes the tools of preloaded skills", async () => {
    await publishPublic(providerSkill("ready", { go: "return 'gone'" }));
    const chat = await talk("alice", {
      tool_mode: "fixed",
      spec: { systemPrompt: "", skills: ["ready"], preload_skills: ["ready"] },
    });
    const { prompt, tools } = await chat.turn();
    expect(prompt.system).toContain('{"name":"go","description":"Does go.",');
    expect(tools.map((tool) => tool.name)).not.toContain("go");
    expect(textOf(await chat.use("call_skill_tool", { name: "go" }))).toBe("gone");
  });
});

describe("without a Worker Loader", () => {
  it("skills load as prompts, and tools and scripts say why they do not run", async () => {
    await publishPublic(
      providerSkill(
        "lonely",
        { act: "return 1" },
        { files: { "scripts/run.js": "console.log(1)" }, body: "Be brave." },
      ),
    );
    const key = await keyFor("lone");
    const chat = await talk({ key }, { format: "mcp" });
    const { items } = await (await call("GET", "/api/v1/conversations", { key })).json<{ items: { id: string }[] }>();
    const stub = env.CONVERSATIONS.getByName(JSON.stringify(["lone", items[0]!.id]));
    await runInDurableObject(stub, (instance) => {
      Object.defineProperty(instance, "env", { value: { ...env, LOADER: undefined } });
    });
    const loaded = textOf(await chat.load("lonely"));
    const why = "the gateway has no Worker Loader, so skills cannot run code";
    expect(loaded).toBe(
      `Skill 'lonely' has been loaded. The instructions have been added to the system prompt. Its tool 'act' is not available: ${why}.`,
    );
    const { prompt, tools, warnings } = await chat.turn();
    expect(prompt.system).toContain("Be brave.");
    expect(tools.map((tool) => tool.name)).not.toContain("act");
    expect(warnings.map((warning) => warning.code)).toContain("TOOL_UNAVAILABLE");
    expect(textOf(await chat.use("act"))).toBe(`Tool 'act' is not available: ${why}. Continue without it.`);
    const script = await chat.use("execute_skill_script", { skill_name: "lonely", script_path: "scripts/run.js" });
    expect(textOf(script)).toBe(`Error: Scripts of skill 'lonely' do not run: ${why}. Read them with read_skill.`);
  });
});
