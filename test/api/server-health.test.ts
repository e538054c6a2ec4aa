// Server health as calls detect it and as the lists of servers show it.

import { env } from "cloudflare:workers";
import { beforeEach, expect, it } from "vitest";
import { call, keyFor } from "../support/call";
import { connectedTurn, type Talk, talk } from "../support/chat-turns";
import { gatewayServers } from "../support/servers";
import { forget, scripted } from "../support/upstream";

const PATIENT = { timeout: 60, connect_timeout: 60 };
const BROKEN = { "tools/call": { status: 503, headers: { "content-type": "text/plain" }, body: "no" } };

beforeEach(async () => {
  await forget();
  await gatewayServers({});
});

/** The time since when a server of the gateway is down, from the list. */
async function downSince(name: string): Promise<string | undefined> {
  const answer = await call("GET", "/api/v1/mcp-servers");
  const { items } = await answer.json<{ items: { name: string; down_since?: string }[] }>();
  return items.find((server) => server.name === name)?.down_since;
}

async function fails(chat: Talk, tool: string): Promise<void> {
  expect((await chat.use(tool)).isError).toBe(true);
}

it("one that fails is down for the list with the first call, and not any more when it answers", async () => {
  const url = await scripted("sick", BROKEN);
  await gatewayServers({ sick: { url, ...PATIENT } });
  const chat = await talk("unlucky");
  await connectedTurn(chat);
  expect(await downSince("sick")).toBeUndefined();
  await fails(chat, "sick__echo");
  await expect.poll(() => downSince("sick")).toMatch(/^\d{4}-\d\d-\d\dT/);
  const since = await downSince("sick");
  for (let n = 0; n < 5; n++) await fails(chat, "sick__echo");
  // A failure in another conversation does not change the recorded health.
  const other = await talk("unlucky-too");
  await connectedTurn(other);
  await fails(other, "sick__echo");
  expect(await downSince("sick")).toBe(since);
  await scripted("sick", {});
  const third = await talk("lucky");
  await connectedTurn(third);
  await third.use("sick__echo");
  await expect.poll(() => downSince("sick")).toBeUndefined();
});

it("a user's own is down in the user's list, and the gateway's of the same name is not", async () => {
  const url = await scripted("own-sick", BROKEN);
  await gatewayServers({ twin: { url: await scripted("own-well", {}), ...PATIENT } });
  const key = await keyFor("owner");
  expect((await call("PUT", "/api/v1/servers/twin", { key, json: { url, ...PATIENT } })).status).toBe(201);
  const chat = await talk({ key });
  await connectedTurn(chat);
  await fails(chat, "twin__echo");
  const own = async () => (await call("GET", "/api/v1/servers/twin", { key })).json<{ down_since?: string }>();
  await expect.poll(async () => (await own()).down_since).toMatch(/^\d{4}-/);
  expect(await downSince("twin")).toBeUndefined();
  // A new entry counts as another server.
  await call("PUT", "/api/v1/servers/twin", { key, json: { url, ...PATIENT } });
  expect((await own()).down_since).toBeUndefined();
});

it("a server that answers writes nothing", async () => {
  await gatewayServers({ well: { url: await scripted("quiet", {}), ...PATIENT } });
  const chat = await talk("quiet");
  await connectedTurn(chat);
  const before = await env.DB.prepare("SELECT * FROM mcp_servers").all();
  for (let n = 0; n < 3; n++) await chat.use("well__echo");
  expect((await env.DB.prepare("SELECT * FROM mcp_servers").all()).results).toEqual(before.results);
});
