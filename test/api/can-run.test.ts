// Which skills run code: setting × visibility × role × path. By default only the code of public skills runs, on every path.

import { env } from "cloudflare:workers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { StoredCode } from "../../src/domain/code/compiled";
import type { CodeScopes } from "../../src/domain/settings/settings";
import { call, keyFor } from "../support/call";
import { publishOwn, publishPublic, type Result, type Step, talk, textOf } from "../support/chat-turns";
import { forgetCallers } from "../support/isolate";
import { hostWith } from "../support/mcp-client";
import { providerSkill } from "../support/provider";
import { form, type SkillFixture, skillZip } from "../support/skill";
import { changeSettings } from "../support/world/main";

const RAN = "the code ran";

const VISIBILITIES = ["own", "group", "public"] as const;
const ROLES = ["user", "admin"] as const;

type Chat = Awaited<ReturnType<typeof talk>>;

/** The paths that could run a skill's code. Each returns everything that the caller can see. */
const PATHS: Record<string, (chat: Chat, skill: string, tool: string) => Promise<unknown>> = {
  "listing tools": async (chat, _skill, tool) => {
    await chat.turn();
    return (await chat.tools()).includes(tool) ? RAN : "not listed";
  },
  "loading, then listing tools": async (chat, skill, tool) => {
    await chat.load(skill);
    return (await chat.tools()).includes(tool) ? RAN : "not listed";
  },
  preloading: async (_chat, skill, tool) => {
    const chat = await talk(keys.get(_chat)!, { spec: { systemPrompt: "", skills: [skill], preload_skills: [skill] } });
    const { tools } = await chat.turn();
    return tools.some((offered) => offered.name === tool) ? RAN : "not listed";
  },
  "a direct call by the tool's name": async (chat, skill, tool) => {
    await chat.load(skill);
    return chat.calls({ id: "direct", name: tool, arguments: {} });
  },
  "a batch that loads and calls": (chat, skill, tool) =>
    chat.calls(
      { id: "call", name: tool, arguments: {} },
      { id: "load", name: "load_skill", arguments: { skill_name: skill } },
    ),
  call_skill_tool: async (_chat, skill, tool) => {
    const chat = await talk(keys.get(_chat)!, { tool_mode: "fixed" });
    await chat.load(skill);
    return chat.use("call_skill_tool", { name: tool, arguments: {} });
  },
  "a script, not loaded": (chat, skill) =>
    chat.use("execute_skill_script", { skill_name: skill, script_path: "scripts/run.js" }),
  "a script, loaded": async (chat, skill) => {
    await chat.load(skill);
    return chat.use("execute_skill_script", { skill_name: skill, script_path: "scripts/run.js" });
  },
  "the provider as a script": (chat, skill) =>
    chat.use("execute_skill_script", { skill_name: skill, script_path: "provider.js" }),
  "MCP, a script without a conversation": (chat, skill) =>
    byMcp(chat, "/mcp", ["execute_skill_script", { skill_name: skill, script_path: "scripts/run.js" }]),
  "MCP, a tool in a conversation": (chat, skill, tool) =>
    byMcp(chat, `/mcp/${skill}-dynamic?tool_mode=dynamic`, ["load_skill", { skill_name: skill }], [tool, {}]),
  "MCP, call_skill_tool in a conversation": (chat, skill, tool) =>
    byMcp(
      chat,
      `/mcp/${skill}-fixed`,
      ["load_skill", { skill_name: skill }],
      ["call_skill_tool", { name: tool, arguments: {} }],
    ),
  "MCP, a script in a conversation": (chat, skill) =>
    byMcp(chat, `/mcp/${skill}-script`, ["execute_skill_script", { skill_name: skill, script_path: "scripts/run.js" }]),
  "a script by another spelling": (chat, skill) =>
    chat.use("execute_skill_script", { skill_name: skill, script_path: "./scripts/run.js" }),
};

/** Paths that never run code, for any role. */
const NEVER = new Set(["listing tools"]);

const keys = new Map<Chat, { key: string }>();

/** Calls tools in sequence as an MCP host does. Returns the last answer or the error. */
async function byMcp(chat: Chat, path: string, ...calls: [name: string, args: Record<string, unknown>][]) {
  const client = await hostWith(path, chat.key);
  let answer: unknown;
  try {
    for (const [name, args] of calls) answer = await client.callTool({ name, arguments: args });
  } catch (error) {
    answer = String(error);
  }
  await client.close();
  return answer;
}

function codeSkill(name: string, tool: string): SkillFixture {
  return providerSkill(
    name,
    { [tool]: `return ${JSON.stringify(RAN)}` },
    {
      top: `console.log(${JSON.stringify(RAN)});`,
      files: { "scripts/run.js": `console.log(${JSON.stringify(RAN)})` },
    },
  );
}

/** Stores code as if the skill were public. The check at run time must reject it, even though the code exists. */
async function smuggle(versionId: string, tool: string) {
  const source = `export class Provider { get providerName() { return "test" } get supportedTools() { return [${JSON.stringify(tool)}] }
    createTool() { return { description: "Smuggled.", inputSchema: { type: "object" }, call: () => ${JSON.stringify(RAN)} } } }`;
  const code: StoredCode = {
    format: 1,
    modules: {
      "provider.js": { name: "skill/provider.js", source, imports: [] },
    },
    functions: {
      "scripts/run.js": {
        source: `function () { console.log(${JSON.stringify(RAN)}) }`,
        kind: "commonjs",
        imports: [],
        isAsync: false,
      },
    },
    faults: {},
    problems: {},
  };
  await env.PACKAGES.put(`packages/${versionId}.modules.json`, JSON.stringify(code));
}

/** The rows of the matrix. An admin has no other rights to run code than a user, so the other settings have one role. */
const SETTINGS = [
  { setting: "public", roles: ROLES, running: ["public"] },
  { setting: "groups", roles: ["user"], running: ["public", "group"] },
  { setting: "users", roles: ["user"], running: VISIBILITIES },
] as const satisfies { setting: CodeScopes; roles: readonly string[]; running: readonly string[] }[];

describe.each(SETTINGS)("with CODE_SCOPES=$setting", ({ setting, roles, running }) => {
  beforeAll(() => changeSettings({ CODE_SCOPES: setting }));
  afterAll(() => changeSettings(null));

  describe.each(VISIBILITIES)("code of a skill that is %s", (visibility) => {
    const runs = (running as readonly string[]).includes(visibility);

    describe.each(roles)("asked for by a %s", (role) => {
      const name = `code-${setting}-${visibility}-${role}`;
      const tool = `act_${setting}_${visibility}_${role}`;
      let ready: Promise<string> | undefined;

      async function prepare(): Promise<string> {
        const key = await keyFor(`${setting}-${visibility}-${role}`, { role, groups: ["team"] });
        const skill = codeSkill(name, tool);
        if (visibility === "public") await publishPublic(skill);
        else {
          const { version_id, warnings } = await publishOwn(key, skill, visibility === "own" ? "default" : "team");
          const codes = warnings.map((warning) => warning.code);
          if (runs) expect(codes).not.toContain("CODE_NOT_RUN");
          else {
            expect(codes).toContain("CODE_NOT_RUN");
            expect(await env.PACKAGES.head(`packages/${version_id}.modules.json`)).toBeNull();
            await smuggle(version_id, tool);
          }
        }
        return key;
      }

      it.each(Object.entries(PATHS))("by %s", async (path, go) => {
        ready ??= prepare();
        const key = await ready;
        const chat = await talk({ key });
        keys.set(chat, { key });
        const seen = JSON.stringify(await go(chat, name, tool));
        if (runs && !NEVER.has(path)) expect(seen).toContain(RAN);
        else expect(seen).not.toContain(RAN);
      });
    });
  });
});

describe("with CODE_SCOPES=users", () => {
  beforeAll(() => changeSettings({ CODE_SCOPES: "users" }));
  afterAll(() => changeSettings(null));

  it("a draft runs for its author, not for the user it is shared with", async () => {
    const author = { key: await keyFor("drafting") };
    const reader = { key: await keyFor("reading") };
    const pushed = await call("PUT", "/api/v1/kinds/skills/drafts/sketch", {
      key: author.key,
      body: form(skillZip(codeSkill("sketch", "act_sketch")), { users: "reading" }),
    });
    expect(pushed.status).toBe(201);
    const script = async (key: { key: string }, reference: string) => {
      const chat = await talk(key, { spec: { systemPrompt: "", skills: [reference] } });
      return textOf(await chat.use("execute_skill_script", { skill_name: reference, script_path: "scripts/run.js" }));
    };
    expect(await script(author, "draft:sketch")).toContain(RAN);
    expect(await script(reader, "draft:drafting/sketch")).toContain(
      "the setting CODE_SCOPES does not allow its code to run",
    );
  });

  it("a group's skill runs for a user only as long as the user is a member", async () => {
    await call("POST", "/api/v1/groups", { json: { name: "crew" } });
    await call("PUT", "/api/v1/groups/crew/members/leaving", { json: { role: "Developer" } });
    const key = await keyFor("leaving");
    await publishOwn(key, codeSkill("crewed", "act_crewed"), "crew");
    const chat = await talk({ key });
    const run = async () =>
      textOf(await chat.use("execute_skill_script", { skill_name: "crewed", script_path: "scripts/run.js" }));
    expect(await run()).toContain(RAN);
    await call("DELETE", "/api/v1/groups/crew/members/leaving");
    forgetCallers();
    expect(await run()).toContain("Skill 'crewed' is not available");
  });

  it("code that was published before the setting allowed it runs without publishing again", async () => {
    changeSettings(null);
    const key = await keyFor("early");
    const { version_id, warnings } = await publishOwn(key, codeSkill("early", "act_early"));
    expect(warnings).toContainEqual(
      expect.objectContaining({ code: "CODE_NOT_RUN", message: expect.stringContaining("`CODE_SCOPES=users`") }),
    );
    expect(await env.PACKAGES.head(`packages/${version_id}.modules.json`)).toBeNull();
    changeSettings({ CODE_SCOPES: "users" });
    const chat = await talk({ key });
    await chat.load("early");
    expect(textOf(await chat.use("act_early"))).toBe(RAN);
  });
});

describe("a skill that stops being public", () => {
  it("runs nothing from the next call on, whatever was offered before", async () => {
    const { id } = await publishPublic(codeSkill("demoted", "act_demoted"));
    const chat = await talk("dan");
    await chat.load("demoted");
    expect(textOf(await chat.use("act_demoted"))).toBe(RAN);

    await rescope(id, "user:dan");
    const refused = await chat.use("act_demoted");
    expect(refused).toMatchObject({ isError: true });
    expect(textOf(refused)).toBe(
      "Tool 'act_demoted' is not available: the setting CODE_SCOPES does not allow its code to run. Continue without it.",
    );
    expect(await chat.tools()).not.toContain("act_demoted");
    const script = await chat.use("execute_skill_script", { skill_name: "demoted", script_path: "scripts/run.js" });
    expect(textOf(script)).toBe(
      "Error: Scripts of skill 'demoted' do not run: the setting CODE_SCOPES does not allow its code to run. Read them with read_skill.",
    );

    await rescope(id, "public");
    expect(textOf(await chat.use("act_demoted"))).toBe(RAN);
  });

  it("runs nothing for a host without a conversation either", async () => {
    const { id } = await publishPublic(codeSkill("demoted-too", "act_demoted_too"));
    const chat = await talk("dan");
    const run = async () =>
      JSON.stringify(
        await byMcp(chat, "/mcp", [
          "execute_skill_script",
          { skill_name: "demoted-too", script_path: "scripts/run.js" },
        ]),
      );
    expect(await run()).toContain(RAN);
    await rescope(id, "user:dan");
    expect(await run()).toContain("the setting CODE_SCOPES does not allow its code to run");
    await rescope(id, "user:somebody-else");
    expect(await run()).toContain("Skill 'demoted-too' is not available");
  });

  it("runs when it becomes public, though its code was never made ready", async () => {
    const key = await keyFor("petra");
    const { id, version_id } = await publishOwn(key, codeSkill("promoted", "act_promoted"));
    await rescope(id, "public");
    const chat = await talk("paul");
    await chat.load("promoted");
    expect(textOf(await chat.use("act_promoted"))).toBe(RAN);
    expect(await env.PACKAGES.head(`packages/${version_id}.modules.json`)).not.toBeNull();
  });

  it("is not available when its skill is no longer visible", async () => {
    const { id } = await publishPublic(codeSkill("vanished", "act_vanished"));
    const chat = await talk("dora");
    await chat.load("vanished");
    await rescope(id, "user:somebody-else");
    const refused: Result = await chat.use("act_vanished");
    expect(refused.isError).toBe(true);
    expect(textOf(refused)).toMatch(/^Error: Skill 'vanished' is not available/);
  });

  it("runs behind another of the same name only as itself", async () => {
    await publishPublic(codeSkill("shadowed", "act_shadowed"));
    const key = await keyFor("dina");
    const chat = await talk({ key });
    await chat.load("shadowed");
    await publishOwn(key, { ...codeSkill("shadowed", "act_shadowed"), version: "9.0.0" });
    // The public skill stays active for the rest of the turn. In the next turn, the user's own skill replaces it.
    expect(textOf(await chat.use("act_shadowed"))).toBe(RAN);
    const next: Step = await chat.turn();
    expect(next.tools.map((offered) => offered.name)).not.toContain("act_shadowed");
    expect((await chat.use("act_shadowed")).isError).toBe(true);
  });
});

async function rescope(skillId: string, scope: string): Promise<void> {
  await env.DB.batch([
    env.DB.prepare("UPDATE skills SET scope = ? WHERE id = ?").bind(scope, skillId),
    ...["public", scope].map((changed) =>
      env.DB.prepare("INSERT INTO counters VALUES (?, 1) ON CONFLICT (scope) DO UPDATE SET value = value + 1").bind(
        changed,
      ),
    ),
  ]);
  forgetCallers();
}
