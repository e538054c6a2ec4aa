// The server instructions that a host's model receives before its first call, and skills that another chat has loaded.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DURATIONS } from "../../src/domain/durations";
import { call, keyFor } from "../support/call";
import { publishOwn } from "../support/chat-turns";
import { type Era, host } from "../support/mcp-client";
import { seedSkill } from "../support/registry";
import { gatewayServers } from "../support/servers";
import { faults } from "../support/upstream";

const textOf = (result: { content?: unknown }) =>
  (result.content as { text: string }[]).map(({ text }) => text).join("\n");
const load = (client: Awaited<ReturnType<typeof host>>, name: string) =>
  client.callTool({ name: "load_skill", arguments: { skill_name: name } });

/** The length to which the strictest host cuts a server's instructions. */
const SHOWN = 2_000;

beforeEach(() => gatewayServers({}));

describe("load_skill over MCP", () => {
  it.each<Era>(["legacy", "modern"])("answers every chat with the whole of a skill, %s era", async (era) => {
    const user = `chats-${era}`;
    const key = await keyFor(user);
    await publishOwn(key, { name: "base", body: "The base comes first." });
    await publishOwn(key, { name: "wiki", frontmatter: 'dependencies: ["base"]', body: "Then the wiki." });
    await publishOwn(key, { name: "blog", frontmatter: 'dependencies: ["base"]', body: "Or a blog." });
    const first = await host("/mcp/project", user, era);
    const told = textOf(await load(first, "wiki"));
    expect(told).toMatch(/The base comes first\.[\s\S]*Then the wiki\./);
    const second = await host("/mcp/project", user, era);
    expect(textOf(await load(second, "wiki"))).toBe(told);
    expect(textOf(await load(second, "base"))).toContain("The base comes first.");
    // It depends on a skill that another chat has loaded.
    expect(textOf(await load(second, "blog"))).toMatch(/The base comes first\.[\s\S]*Or a blog\./);
    expect(textOf(await load(first, "wiki"))).toBe(told);
    await Promise.all([first.close(), second.close()]);
  });

  it("answers with the whole of a skill in the style of one tool, too", async () => {
    const user = "one-tool";
    const key = await keyFor(user);
    await publishOwn(key, { name: "base", body: "The base comes first." });
    await publishOwn(key, { name: "wiki", frontmatter: 'dependencies: ["base"]', body: "Then the wiki." });
    await call("PUT", "/api/v1/conversations/styled", { key, json: { tool_style: "skill" } });
    const client = await host("/mcp/styled", user);
    for (const _ of ["first", "again"]) {
      const answer = textOf(await client.callTool({ name: "skill", arguments: { skill: "wiki" } }));
      expect(answer).toMatch(/The base comes first\.[\s\S]*Then the wiki\./);
    }
    await client.close();
  });

  it("mentions no turns, and declares that the list of tools can change", async () => {
    const user = "textual";
    await publishOwn(await keyFor(user), { name: "wiki" });
    const client = await host("/mcp/texts", user);
    const { tools } = await client.listTools();
    const own = new Map(tools.map((tool) => [tool.name, tool]));
    for (const name of ["load_skill", "unload_skill"]) {
      expect(own.get(name)?.description).not.toMatch(/turn|prompt/);
      expect(own.get(name)?.annotations).toMatchObject({ readOnlyHint: false, destructiveHint: false });
    }
    expect(own.get("read_skill")?.annotations).toMatchObject({ readOnlyHint: true });
    await client.close();
  });
});

describe("preloaded skills", () => {
  it.each(["/mcp/pre", "/mcp"])(
    "at %s are named first and load completely, and missing ones are reported",
    async (path) => {
      const user = `preloader-${path.length}`;
      await publishOwn(await keyFor(user), { name: "wiki", body: "How wikis work." });
      for (const _ of ["made", "there already"]) {
        const client = await host(`${path}?preload=wiki,nosuch,wiki`, user);
        const instructions = client.getInstructions() ?? "";
        expect(instructions).toContain("Begin with load_skill for: wiki.");
        expect(instructions).toMatch(/not available[^.]*: nosuch\./);
        expect(instructions.length).toBeLessThanOrEqual(SHOWN);
        expect(textOf(await load(client, "wiki"))).toContain("How wikis work.");
        await client.close();
      }
    },
  );

  it("by a ghost loads in the same way, and its words are passed on whole", async () => {
    const user = "ghostly";
    const key = await keyFor(user);
    for (let n = 10; n < 40; n++)
      await seedSkill({
        name: `skill-${n}`,
        scope: `user:${user}`,
        description: `${"Does this and that. ".repeat(6)}${n}`,
      });
    const systemPrompt = `Be brief. ${"Mind the gap. ".repeat(300)}`.trim();
    const spec = { systemPrompt, skills: ["*"], preload_skills: ["skill-17"] };
    const metadata = { name: "narrow", namespace: "default" };
    await call("POST", "/api/v1/kinds/ghosts", { key, json: { kind: "Ghost", metadata, spec } });
    for (const path of ["/mcp?ghost=narrow", "/mcp/with-ghost?ghost=narrow"]) {
      const client = await host(path, user);
      const instructions = client.getInstructions() ?? "";
      expect(instructions).toContain(systemPrompt);
      expect(instructions.slice(0, SHOWN)).toContain("Begin with load_skill for: skill-17.");
      for (let n = 10; n < 40; n++) expect(instructions.slice(0, SHOWN)).toContain(`skill-${n}`);
      await client.close();
    }
  });
});

describe.each(["/mcp", "/mcp/many"])("the instructions at %s", (path) => {
  it("fit what hosts show, with every name, and begin with instructions", async () => {
    const user = `collector-${path.length}`;
    for (let n = 10; n < 50; n++) {
      const description = `Helps the team with ${"all kinds of papers and figures of department ".repeat(3)}${n}.`;
      await seedSkill({ name: `team-skill-${n}`, scope: `user:${user}`, description });
    }
    const client = await host(path, user);
    const instructions = client.getInstructions() ?? "";
    expect(instructions.length).toBeLessThanOrEqual(SHOWN);
    expect(instructions).toMatch(/^[^\n]*call load_skill/);
    for (let n = 10; n < 50; n++) expect(instructions).toContain(`team-skill-${n}`);
    expect(instructions).toContain("- **team-skill-10**: Helps the team");
    expect(instructions).toContain("call find_skill(query)");
    const { tools } = await client.listTools();
    const names = tools.map(({ name }) => name);
    expect(names).toContain("find_skill");
    // A host that shows tools but no instructions receives all descriptions.
    expect(tools.find(({ name }) => name === "load_skill")?.description).toContain("- **team-skill-49**");
    const found = await client.callTool({ name: "find_skill", arguments: { query: "papers department" } });
    expect(textOf(found)).toContain("team-skill-");
    await client.close();
  });

  it("cut names too where there are too many, the user's own last", async () => {
    const user = `hoarder-${path.length}`;
    for (let n = 100; n < 260; n++)
      await seedSkill({ name: `quite-a-long-name-of-a-skill-${n}`, scope: `user:${user}` });
    const client = await host(path, user);
    const instructions = client.getInstructions() ?? "";
    expect(instructions.length).toBeLessThanOrEqual(SHOWN);
    expect(instructions).toMatch(/quite-a-long-name-of-a-skill-100, [^\n]* and \d+ more: call find_skill\(query\)\./);
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain("find_skill");
    await client.close();
  });
});

describe("a server that does not answer", () => {
  const usual = { ...DURATIONS };
  afterEach(() => void Object.assign(DURATIONS, usual));

  it.each<Era>(["legacy", "modern"])("holds up no opening, %s era", async (era) => {
    // Long wait times, to check that `initialize` does not wait for servers.
    Object.assign(DURATIONS, { patience: 600_000, patienceList: 600_000, patienceFailed: 600_000 });
    await gatewayServers({ hangs: { url: `${faults}/hang/connect`, connect_timeout: 300 } });
    const client = await host(`/mcp/opened-${era}`, "opener", era);
    expect(client.getServerVersion()?.name).toBe("skill-gateway");
    await client.close();
  });

  it("is waited for once, however many lists a host reads", { tags: ["slow"] }, async () => {
    const patience = 4_000;
    Object.assign(DURATIONS, { patienceList: patience });
    await gatewayServers({ hangs: { url: `${faults}/hang/connect`, connect_timeout: 300 } });
    const client = await host("/mcp/reader", "opener", "legacy");
    await client.listTools();
    const start = Date.now();
    for (let n = 0; n < 3; n++) {
      await client.listTools({}, { cacheMode: "refresh" });
      await client.listPrompts({}, { cacheMode: "refresh" });
      await client.listResources({}, { cacheMode: "refresh" });
    }
    expect(Date.now() - start).toBeLessThan(4 * patience);
    await client.close();
  });

  it.each<Era>(["legacy", "modern"])("costs none of the tools of others, %s era", async (era) => {
    await gatewayServers({
      hangs: { url: `${faults}/hang/connect`, connect_timeout: 300 },
      well: { url: `${faults}/ok/none` },
    });
    const client = await host(`/mcp/listed-${era}`, "opener", era);
    const names = async () => (await client.listTools({}, { cacheMode: "refresh" })).tools.map(({ name }) => name);
    await expect.poll(names, { timeout: 20_000 }).toContain("well__echo");
    await client.close();
  });
});
