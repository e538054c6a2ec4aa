// Scheduled checks of skills that were approved from MCP servers: changed content, and skills and servers that disappear.

import { createScheduledController } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, expect, it } from "vitest";
import { scheduled } from "../../src/cron";
import { call, keyFor } from "../support/call";
import { expectLog, logged } from "../support/logs";
import { approve, BODY, only, serve, URI } from "../support/offered-skills";
import { gatewayServers } from "../support/servers";
import { scripted } from "../support/upstream";

const HOUR_MS = 60 * 60_000;

beforeEach(() => gatewayServers({}));

/** Runs the checks, this number of hours after the last run. */
async function run(hours: number): Promise<void> {
  const ms = hours * HOUR_MS;
  await env.DB.batch([
    env.DB.prepare("UPDATE server_checks SET at = at - ?").bind(ms),
    env.DB.prepare("UPDATE server_skills SET checked_at = checked_at - ?").bind(ms),
    env.DB.prepare("UPDATE mcp_servers SET down_since = down_since - ?").bind(ms),
  ]);
  await scheduled(createScheduledController({ cron: "*/5 * * * *" }), env);
}

const states = async (server: string) => {
  const answer = await call("GET", `/api/v1/mcp-servers/${server}`);
  const { skills } = await answer.json<{ skills: { name: string; state: string }[] }>();
  return skills.map(({ name, state }) => `${name} ${state}`);
};
const approved = async (server: string) => {
  await serve(server);
  const answer = await approve(server, await only(server));
  expect(answer.status).toBe(200);
  return answer.json<{ skill_id: string }>();
};
const isListed = async (name: string) => {
  const answer = await call("GET", `/api/v1/kinds/skills?name=${name}`);
  return (await answer.text()).includes(name);
};

/** A conversation with the skill loaded. Returns the warnings of its next turn. */
async function loadedIn(conversation: string, skill: string): Promise<() => Promise<unknown[]>> {
  const key = await keyFor(`${conversation}-user`);
  const route = `/api/v1/conversations/${conversation}`;
  const turn = async () => {
    const answer = await call("POST", `${route}/turns`, { key, json: { conversation: {} } });
    return (await answer.json<{ warnings: unknown[] }>()).warnings;
  };
  await turn();
  const loading = { id: "c1", name: "load_skill", arguments: { skill_name: skill } };
  const loaded = await call("POST", `${route}/tool-calls`, { key, json: { calls: [loading] } });
  expect(await loaded.text()).toContain("Ask for the port first.");
  return turn;
}

it("a changed skill waits for an approval, and the approved content stays current", async () => {
  expectLog("server_skill_changed");
  const { skill_id: id } = await approved("chs-change");
  expect(await states("chs-change")).toEqual(["chs-change-tides approved"]);
  await serve("chs-change", { body: BODY.replace("first", "and the day first") });
  await run(1);
  expect(await states("chs-change")).toEqual(["chs-change-tides approved"]);
  await run(6);
  expect(await states("chs-change")).toEqual(["chs-change-tides changed"]);
  expect(await (await call("GET", `/api/v1/kinds/skills/${id}/files/SKILL.md`)).text()).toBe(BODY);
  await run(6);
  expect(logged("server_skill_changed")).toHaveLength(1);
  expect((await approve("chs-change", await only("chs-change"))).status).toBe(200);
  expect(await states("chs-change")).toEqual(["chs-change-tides approved"]);
});

it("a skill that is missing in two checks leaves the catalog with a warning, and an approval returns it", async () => {
  expectLog("server_skill_withdrawn");
  await approved("chs-gone");
  // An earlier approval must not become current in its place.
  await serve("chs-gone", { body: BODY.replace("Ask", "Always ask") });
  expect((await approve("chs-gone", await only("chs-gone"))).status).toBe(200);
  await serve("chs-gone");
  expect((await approve("chs-gone", await only("chs-gone"))).status).toBe(200);
  const turn = await loadedIn("chs-chat", "chs-gone-tides");
  await serve("chs-gone", { skills: [] });
  await run(6);
  expect(await states("chs-gone")).toEqual(["chs-gone-tides missing"]);
  expect(await isListed("chs-gone-tides")).toBe(true);
  await run(1);
  expect(await states("chs-gone")).toEqual(["chs-gone-tides withdrawn"]);
  expect(await isListed("chs-gone-tides")).toBe(false);
  expect(await turn()).toContainEqual(expect.objectContaining({ code: "SKILL_UNLOADED", path: "chs-gone-tides" }));
  expect(await only("chs-gone")).toMatchObject({ state: "withdrawn", name: "chs-gone-tides", uri: URI });

  await serve("chs-gone");
  await run(6);
  expect(await isListed("chs-gone-tides")).toBe(false);
  const again = await only("chs-gone");
  expect(again).toMatchObject({ state: "new" });
  expect((await approve("chs-gone", again)).status).toBe(200);
  expect(await isListed("chs-gone-tides")).toBe(true);
  expect(await states("chs-gone")).toEqual(["chs-gone-tides approved"]);
});

it("a skill that is missing once and returns stays", async () => {
  await approved("chs-blink");
  await serve("chs-blink", { skills: [] });
  await run(6);
  await serve("chs-blink");
  await run(1);
  expect(await states("chs-blink")).toEqual(["chs-blink-tides approved"]);
  await serve("chs-blink", { skills: [] });
  await run(6);
  expect(await states("chs-blink")).toEqual(["chs-blink-tides missing"]);
});

it("a list that is longer than what is read withdraws nothing", async () => {
  await approved("chs-long");
  const page = {
    headers: { "content-type": "application/json" },
    body: '{"jsonrpc":"2.0","id":@id,"result":{"skills":[],"nextCursor":"more"}}',
  };
  await scripted("chs-long", { "skills/list": page });
  await run(6);
  await run(6);
  expect(await states("chs-long")).toEqual(["chs-long-tides approved"]);
  expect(await isListed("chs-long-tides")).toBe(true);
});

it("the skills of a server that fails for seven days leave the catalog, and are deleted with it", async () => {
  expectLog("server_skill_withdrawn");
  const { skill_id: id } = await approved("chs-dead");
  const down = { status: 503 };
  await scripted("chs-dead", { "server/discover": down, initialize: down });
  await run(1);
  await run(6 * 24);
  expect(await isListed("chs-dead-tides")).toBe(true);
  await run(24);
  expect(await isListed("chs-dead-tides")).toBe(false);
  expect(await states("chs-dead")).toEqual(["chs-dead-tides withdrawn"]);
  expect((await call("DELETE", "/api/v1/mcp-servers/chs-dead")).status).toBe(204);
  expect((await call("GET", `/api/v1/kinds/skills/${id}`)).status).toBe(404);
});
