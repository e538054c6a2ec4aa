// The gateway as an MCP server, for hosts of both eras.

import { describe, expect, it } from "vitest";
import { call, keyFor } from "../support/call";
import { publishOwn, publishPublic } from "../support/chat-turns";
import { type Era, host, post, postOpenly } from "../support/mcp-client";
import { providerSkill } from "../support/provider";

const textOf = (result: { content?: unknown }) =>
  (result.content as { text: string }[]).map(({ text }) => text).join("\n");
const use = async (client: Awaited<ReturnType<typeof host>>, name: string, args: Record<string, unknown> = {}) =>
  client.callTool({ name, arguments: args });

let users = 0;
const someone = () => `mcp-user-${++users}`;

async function withSkills(...skills: Parameters<typeof publishOwn>[1][]): Promise<string> {
  const user = someone();
  const key = await keyFor(user);
  for (const skill of skills) await publishOwn(key, skill);
  return user;
}

describe.each<Era>(["legacy", "modern"])("/mcp for a host of the %s era", (era) => {
  it("has level 1 twice: in its instructions and in load_skill's description", async () => {
    const user = await withSkills({ name: "wiki", description: "Writes wiki pages." });
    const client = await host("/mcp", user, era);
    expect(client.getNegotiatedProtocolVersion()).toBe(era === "modern" ? "2026-07-28" : "2025-11-25");
    expect(client.getInstructions()).toContain("- **wiki**: Writes wiki pages.");
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["load_skill", "read_skill", "execute_skill_script"]);
    expect(tools[0]?.description).toContain("- **wiki**: Writes wiki pages.");
    expect(tools[0]?.inputSchema.properties).toMatchObject({ skill_name: { enum: expect.arrayContaining(["wiki"]) } });
    expect(tools[0]?.annotations).toEqual({ title: "Load a skill", readOnlyHint: true, openWorldHint: false });
    await client.close();
  });

  it("returns instructions with those of dependencies, and stores nothing", async () => {
    const user = await withSkills(
      { name: "base", body: "The base comes first." },
      { name: "wiki", frontmatter: 'dependencies: ["base"]', body: "Then the wiki." },
    );
    const client = await host("/mcp", user, era);
    const twice = [
      await use(client, "load_skill", { skill_name: "wiki" }),
      await use(client, "load_skill", { skill_name: "wiki" }),
    ];
    for (const result of twice) expect(textOf(result)).toMatch(/The base comes first\.[\s\S]*Then the wiki\./);
    expect(textOf(await use(client, "read_skill", { skill_name: "base" }))).toContain("The base comes first.");
    const unknown = await use(client, "load_skill", { skill_name: "wikis" });
    const meant = "Did you mean 'wiki'? Call load_skill with the right name";
    expect([unknown.isError, textOf(unknown)]).toEqual([true, expect.stringContaining(meant)]);
    const wrong = await use(client, "load_skill", { name: "wiki" });
    expect([wrong.isError, textOf(wrong)]).toEqual([true, expect.stringContaining("skill_name")]);
    await expect(use(client, "unload_skill", { skill_name: "wiki" })).rejects.toMatchObject({ code: -32602 });
    await client.close();
  });

  it("can be restricted by a ghost, and rejects a missing one", async () => {
    const user = await withSkills({ name: "one" }, { name: "two" });
    const ghost = {
      kind: "Ghost",
      metadata: { name: "narrow", namespace: "default" },
      spec: { systemPrompt: "Be brief.", skills: ["two"] },
    };
    expect((await call("POST", "/api/v1/kinds/ghosts", { as: user, json: ghost })).status).toBe(201);
    const client = await host("/mcp?ghost=narrow", user, era);
    expect(client.getInstructions()).toMatch(/Be brief\.[\s\S]*\*\*two\*\*/);
    expect(client.getInstructions()).not.toContain("**one**");
    await client.close();
    await expect(host("/mcp?ghost=absent", user, era)).rejects.toThrow(/absent|HTTP 400/);
  });

  it("has the state of a conversation: loaded, loaded again, unloaded", async () => {
    const user = await withSkills({ name: "wiki", body: "How wikis work." });
    const client = await host("/mcp/talk", user, era);
    for (const _ of ["first", "again"]) {
      expect(textOf(await use(client, "load_skill", { skill_name: "wiki" }))).toContain("How wikis work.");
    }
    const state = await (await call("GET", "/api/v1/conversations/talk", { as: user })).json<{
      turn: number;
      active: { skill: string }[];
    }>();
    expect([state.turn, state.active.map(({ skill }) => skill)]).toEqual([1, ["wiki"]]);
    expect((await use(client, "unload_skill", { skill_name: "wiki" })).isError).toBeFalsy();
    await client.close();
  });

  it("has the tools that a loaded skill brought", async () => {
    const skill = providerSkill(`greeter-${era}`, { greet: "return 'Hello ' + args.name" });
    await publishPublic(skill);
    const user = someone();
    const fixed = await host("/mcp/fixed", user, era);
    const names = (await fixed.listTools()).tools.map(({ name }) => name);
    expect(names).toContain("call_skill_tool");
    const loaded = await use(fixed, "load_skill", { skill_name: `greeter-${era}` });
    expect(textOf(loaded)).toContain('"name":"greet"');
    const answer = await use(fixed, "call_skill_tool", { name: "greet", arguments: { name: "Ada" } });
    expect(textOf(answer)).toBe("Hello Ada");
    await fixed.close();

    const dynamic = await host("/mcp/dynamic?tool_mode=dynamic", user, era);
    expect((await dynamic.listTools()).tools.map(({ name }) => name)).not.toContain("greet");
    await use(dynamic, "load_skill", { skill_name: `greeter-${era}` });
    const after = await dynamic.listTools({}, { cacheMode: "refresh" });
    expect(after.tools.map(({ name }) => name)).toContain("greet");
    expect(textOf(await use(dynamic, "greet", { name: "Eve" }))).toBe("Hello Eve");
    await dynamic.close();
  });
});

describe("/mcp", () => {
  it("wants a key, its own origin and a message", async () => {
    expect((await postOpenly("/mcp")).status).toBe(401);
    expect((await postOpenly("/mcp", { origin: "https://evil.example" })).status).toBe(403);
    const user = someone();
    expect((await post("/mcp", user, "{")).status).toBe(400);
    expect((await post("/mcp?ghots=x", user, {})).status).toBe(400);
    expect((await post("/mcp/a%20b", user, {})).status).toBe(400);
    expect((await post("/mcp", user, `"${"x".repeat(6_000_000)}"`)).status).toBe(413);
  });

  it("notifies the caller of a load that the list of tools changed, in that call's own stream", async () => {
    await publishPublic(providerSkill("pinger", { ping: "return 'pong'" }));
    const load = {
      jsonrpc: "2.0",
      id: 7,
      method: "tools/call",
      params: { name: "load_skill", arguments: { skill_name: "pinger" } },
    };
    const stream = await (await post("/mcp/told?tool_mode=dynamic", someone(), load)).text();
    const messages = [...stream.matchAll(/^data: (.+)$/gm)].map(([, data]) => JSON.parse(data ?? ""));
    expect(messages).toMatchObject([
      { method: "notifications/tools/list_changed" },
      { id: 7, result: { content: [{}] } },
    ]);
  });

  it("preloads the skills that the URL names, in a conversation that the URL creates", async () => {
    const user = await withSkills({ name: "wiki", body: "How wikis work." });
    const client = await host("/mcp/pre?preload=wiki", user);
    await client.close();
    const { active } = await (await call("GET", "/api/v1/conversations/pre", { as: user })).json<{
      active: { reason: string }[];
    }>();
    expect(active).toMatchObject([{ skill: "wiki", reason: "selected" }]);
  });

  it("separates users and conversations", async () => {
    const ada = await withSkills({ name: "secret-skill", body: "Ada's own." });
    const [mine, theirs] = [await host("/mcp/same", ada), await host("/mcp/same", someone())];
    await use(mine, "load_skill", { skill_name: "secret-skill" });
    expect((await use(theirs, "load_skill", { skill_name: "secret-skill" })).isError).toBe(true);
    await expect(theirs.readResource({ uri: "skill://secret-skill/SKILL.md" })).rejects.toMatchObject({ code: -32602 });
    await Promise.all([mine.close(), theirs.close()]);
  });
});
