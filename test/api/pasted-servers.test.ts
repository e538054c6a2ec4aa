// MCP server entries in the formats of other applications: their variable names, their field names, a whole configuration file.

import { beforeEach, describe, expect, it } from "vitest";
import { call, keyFor } from "../support/call";
import { publishOwn, type Talk, talk, textOf } from "../support/chat-turns";
import { gatewayServers, serverSkill, serversOf, withServers } from "../support/servers";
import { form, skillZip } from "../support/skill";
import { faults, forget } from "../support/upstream";

const v = (name: string) => `\${{${name}}}`;
const ok = (more: object = {}) => ({ url: `${faults}/ok/none`, ...more });
/** Connecting can be slow on a busy machine. */
const connected = (chat: Talk, tool: string) => expect.poll(() => chat.tools(), { timeout: 20_000 }).toContain(tool);
const GHOSTS = "/api/v1/kinds/ghosts";

beforeEach(async () => {
  await forget();
  await gatewayServers({});
});

describe("Wegent's names of variables", () => {
  it("are filled with the values that we have", async () => {
    const headers = { "x-task": v("task_id"), "x-user": `${v("user_id")} ${v(" user_name ")}` };
    const key = await keyFor("pia");
    await publishOwn(key, serverSkill("theirs", { up: ok({ headers }) }));
    const chat = await talk({ key }, withServers({ two: { url: `${faults}/ok/${v("task_id")}`, headers } }));
    await chat.turn();
    await chat.load("theirs");
    for (const tool of ["up__headers", "two__headers"]) await connected(chat, tool);
    const sent = { "x-task": chat.route.split("/").at(-1), "x-user": "pia pia" };
    for (const tool of ["up__headers", "two__headers"])
      expect(JSON.parse(textOf(await chat.use(tool))), tool).toMatchObject(sent);
  });

  it.each([
    ["task_token", "secrets.NAME"],
    ["auth_token", "secrets.NAME"],
    ["user.git_token", "secrets.NAME"],
    ["skill_identity_token", "secrets.NAME"],
    ["team_id", "ghost.name"],
    ["bot.0.name", "ghost.name"],
    ["subtask_id", "task.id"],
    ["userName", "user.name"],
  ])("that we lack refuse their server and name what is nearest: %s", async (name, nearest) => {
    const headers = { "x-it": v(name) };
    const chat = await talk(`lacks-${name}`, withServers({ up: ok({ headers }), well: ok() }));
    const { warnings } = await chat.turn();
    const message = expect.stringContaining(`${v(name)} is not a variable; the nearest is ${nearest}`);
    expect(warnings.filter(({ path }) => path === "up")).toMatchObject([{ message }]);
    await connected(chat, "well__headers");
    expect(await chat.tools()).not.toContain("up__headers");
  });

  it.each(["user_id", "user_name", "task_id"])("stand in no origin either: %s", async (name) => {
    const spec = { mcpServers: { up: { url: `https://${v(name)}.example/` } } };
    const answer = await call("POST", GHOSTS, { as: "pia", json: { metadata: { name: "origin" }, spec } });
    expect([answer.status, await answer.json()]).toMatchObject([400, { issues: [{ code: "VARIABLE_IN_ORIGIN" }] }]);
  });
});

describe("keys of an entry", () => {
  it("`timeoutSeconds` is the `timeout`", { tags: ["slow"] }, async () => {
    const up = { url: `${faults}/hang/call`, timeoutSeconds: 1, connect_timeout: 20 };
    const key = await keyFor("quin");
    await publishOwn(key, serverSkill("timed", { up }));
    const chat = await talk({ key });
    await chat.turn();
    await chat.load("timed");
    await connected(chat, "up__echo");
    expect(textOf(await chat.use("up__echo"))).toBe("MCP tool 'up__echo' timed out after 1s");
  });

  it("that are unknown cause a warning when a skill is published, and known ones do not", async () => {
    const servers = {
      up: ok({ timeoutSeconds: 5, connectTimeout: 5, timeoutMs: 5, disabled: true }),
      both: ok({ timeout: 5, timeoutSeconds: 6 }),
      local: { command: "npx", args: [], cwd: "/" },
    };
    const answer = await call("POST", "/api/v1/kinds/skills/upload", {
      as: "quin",
      body: form(skillZip(serverSkill("unread", servers))),
    });
    const { status } = await answer.json<{
      status: { warnings: { code: string; message: string; line?: number }[] };
    }>();
    const unread = status.warnings.filter(({ code }) => code === "MCP_KEY_UNKNOWN");
    expect(unread.map(({ message }) => message.split(". Allowed keys")[0])).toEqual([
      "Unknown key 'timeoutMs' in the MCP server 'up'",
      "Unknown key 'disabled' in the MCP server 'up'",
      "Unknown key 'timeoutSeconds' in the MCP server 'both'",
    ]);
    expect(unread.every(({ line }) => line !== undefined)).toBe(true);
  });

  it("that are unknown cause a warning for a stored ghost and for a conversation's own spec", async () => {
    const mcpServers = { up: ok({ timeoutMs: 5 }) };
    const warning = { code: "MCP_KEY_UNKNOWN", path: "spec.mcpServers.up.timeoutMs" };
    const made = await call("POST", GHOSTS, {
      as: "quin",
      json: { metadata: { name: "unread" }, spec: { mcpServers } },
    });
    const ghost = await made.json<{
      metadata: { labels: { id: string } };
      spec: object;
      status: { warnings: object[] };
    }>();
    expect(ghost).toMatchObject({ spec: { mcpServers }, status: { warnings: [warning] } });
    const path = `${GHOSTS}/${ghost.metadata.labels.id}`;
    expect(await (await call("GET", path, { as: "quin" })).json()).toEqual(ghost);
    const put = await call("PUT", path, { as: "quin", json: ghost });
    expect([put.status, await put.json()]).toMatchObject([200, { status: { warnings: [warning] } }]);
    const chat = await talk("quin", withServers(mcpServers));
    const { warnings } = await chat.turn();
    expect(warnings.filter(({ code }) => code === warning.code)).toMatchObject([warning]);
  });
});

describe("servers in a second `mcpServers`", () => {
  const wrapped = { mcpServers: { mcp_servers: { up: ok() } } };

  it("are a skill's servers", async () => {
    const key = await keyFor("rosa");
    await publishOwn(key, serverSkill("pasted", wrapped));
    const chat = await talk({ key });
    await chat.turn();
    await chat.load("pasted");
    await connected(chat, "up__echo");
    expect(await serversOf(chat)).toMatchObject([{ server: "up", source: "pasted", state: "connected" }]);
  });

  it.each(["ghost", "spec"])("are those of a %s", async (place) => {
    const spec = { mcpServers: wrapped };
    if (place === "ghost") await call("POST", GHOSTS, { as: "rosa", json: { metadata: { name: "pasted" }, spec } });
    const chat = await talk("rosa", place === "ghost" ? { ghost: "pasted" } : { spec });
    await chat.turn();
    await connected(chat, "up__echo");
    expect(await serversOf(chat)).toMatchObject([{ server: "up", source: "ghost", state: "connected" }]);
  });

  it("are judged as any others", async () => {
    const spec = { mcpServers: { mcpServers: { up: { url: `https://${v("secrets.HOST")}/` } } } };
    const answer = await call("POST", GHOSTS, { as: "rosa", json: { metadata: { name: "evil" }, spec } });
    expect([answer.status, await answer.json()]).toMatchObject([
      400,
      { issues: [{ code: "VARIABLE_IN_ORIGIN", path: "spec.mcpServers.mcpServers.up.url" }] },
    ]);
    const uploaded = await call("POST", "/api/v1/kinds/skills/upload", {
      as: "rosa",
      body: form(skillZip(serverSkill("evil", spec.mcpServers))),
    });
    expect([uploaded.status, await uploaded.json()]).toMatchObject([422, { issues: [{ code: "VARIABLE_IN_ORIGIN" }] }]);
  });

  it("may be called so", async () => {
    const chat = await talk("rosa", withServers({ mcpServers: ok() }));
    await chat.turn();
    await connected(chat, "mcpServers__echo");
    expect(await serversOf(chat)).toMatchObject([{ server: "mcpServers", state: "connected" }]);
  });
});
