// Secrets on their way to servers that repeat them: nothing that the gateway emits or stores has the value.

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { expectNoConnections, faults, forget, seen } from "../upstream/upstream";
import { call, keyFor } from "./call";
import { gatewayServers, serverSkill, serversOf, withServers } from "./servers";
import { stored } from "./stored";
import { publishOwn, talk, textOf } from "./talk";

/** A variable as an entry writes it. */
const variable = (name: string) => `\${{${name}}}`;
const VALUE = "planted/value+7f3a91=&u";
const NAME = "PLANTED";
const logged: string[] = [];

beforeEach(async () => {
  await forget();
  await gatewayServers({});
  logged.length = 0;
  for (const level of ["log", "info", "warn", "error", "debug"] as const)
    vi.spyOn(console, level).mockImplementation((...what) => void logged.push(what.map(String).join(" ")));
});
afterEach(() => vi.restoreAllMocks());

async function plant(key: string, value = VALUE, hosts = ["localhost"]): Promise<void> {
  const made = await call("PUT", `/api/v1/secrets/${NAME}`, { key, json: { value, hosts } });
  if (!made.ok) throw new Error(await made.text());
}

/** A server of ours under a name that a secret can be bound to. */
function leaky(fault = "leak", more: object = {}): object {
  const url = `${faults.replace("127.0.0.1", "localhost")}/${fault}/call`;
  return { url, headers: { "x-api-key": `Key ${variable(`secrets.${NAME}`)}` }, ...more };
}

/** The value in the spellings in which it could hide. */
const SPELLINGS = [
  VALUE,
  JSON.stringify(VALUE).slice(1, -1),
  encodeURIComponent(VALUE),
  "planted/value",
  "planted%2Fvalue",
];

describe("a secret", () => {
  it("reaches its server, and nothing else", async () => {
    const key = await keyFor("holder");
    await plant(key, VALUE);
    const spelt = [...SPELLINGS, btoa(VALUE).slice(0, 20)];
    await publishOwn(key, serverSkill("telling", { skilled: leaky() }));
    const chat = await talk({ key }, withServers({ shared: leaky("leak", { timeout: 60 }) }));
    const emitted: unknown[] = [await chat.turn(), await chat.load("telling")];
    const tools = await call("GET", `${chat.route}/tools`, { key });
    emitted.push(await tools.json());
    const result = await chat.use("shared__headers");
    expect(textOf(result)).toContain(`Key [secret ${NAME}]`);
    emitted.push(result, await chat.use("skilled__headers"));
    const failure = await chat.use("shared__fails");
    expect(textOf(failure)).toBe(`MCP tool 'shared__fails' failed: Cannot do it with [secret ${NAME}]`);
    const streamed = await call("POST", `${chat.route}/tool-calls`, {
      key,
      headers: { accept: "text/event-stream" },
      json: { calls: [{ id: "slow", name: "shared__slow", arguments: { end: true } }] },
    });
    const text = await streamed.text();
    expect(text).toContain(`step 1 with [secret ${NAME}]`);
    emitted.push(
      failure,
      text,
      await serversOf(chat),
      await (await call("GET", `${chat.route}/events`, { key })).json(),
    );
    const everything = [JSON.stringify(emitted), await stored("holder", chat.route), logged.join("\n")].join("\n");
    for (const one of spelt) expect(everything).not.toContain(one);
    const sent = await seen("/leak/call");
    expect(sent.every(({ headers }) => headers["x-api-key"] === `Key ${VALUE}`)).toBe(true);
  });

  it("does not go to a host that it is not bound to, which refuses that server and no other", async () => {
    const key = await keyFor("bound");
    await plant(key, VALUE, ["mcp.example.com"]);
    const chat = await talk({ key }, withServers({ astray: leaky(), well: { url: `${faults}/ok/none` } }));
    const { tools, warnings } = await chat.turn();
    expect(warnings.map(({ message }) => message)).toEqual([
      `MCP server 'astray' of the ghost is not available: the secret '${NAME}' is not bound to the host localhost.`,
    ]);
    expect(tools.map((tool) => tool.name)).toContain("well__echo");
    expect(await seen("/leak/call")).toEqual([]);
  });

  it("goes to the port that its host names, and to no other of this machine", async () => {
    const key = await keyFor("ported");
    const { port } = new URL(faults);
    await plant(key, VALUE, ["localhost:9"]);
    const chat = await talk({ key }, withServers({ x: leaky("ok") }));
    const { warnings } = await chat.turn();
    expect(warnings.map(({ message }) => message)).toEqual([
      `MCP server 'x' of the ghost is not available: the secret '${NAME}' is not bound to localhost:${port}.`,
    ]);
    expect(await seen("/ok/call")).toEqual([]);
    await plant(key, VALUE, ["localhost:9", `localhost:${port}`]);
    expect((await chat.turn()).warnings).toEqual([]);
    expect((await seen("/ok/call")).map(({ headers }) => headers["x-api-key"])).toContain(`Key ${VALUE}`);
  });

  it("that changed is another session at the next call, and one that is gone refuses the server", async () => {
    const key = await keyFor("rotating");
    await plant(key, "first-planted-value");
    const chat = await talk({ key }, withServers({ x: leaky("ok") }));
    await chat.turn();
    const before = await chat.use("x__echo");
    await plant(key, "other-planted-value");
    const after = await chat.use("x__echo");
    expect(after.isError).toBeUndefined();
    expect(after.structuredContent?.session).not.toEqual(before.structuredContent?.session);
    await call("DELETE", `/api/v1/secrets/${NAME}`, { key });
    const gone = await chat.use("x__echo");
    expect(gone.isError).toBe(true);
    expect(textOf(gone)).toBe(
      `Tool 'x__echo' is not available: MCP server 'x' is not connected: there is no secret '${NAME}' for it.`,
    );
    expect((await chat.turn()).warnings.map(({ message }) => message)).toEqual([
      `MCP server 'x' of the ghost is not available: there is no secret '${NAME}' for it.`,
    ]);
  });

  it("is told apart from a variable that nobody knows, which is named", async () => {
    const chat = await talk(
      "typo",
      withServers({ x: { url: `${faults}/ok/none`, headers: { "x-who": variable("user.nmae") } } }),
    );
    expect((await chat.turn()).warnings[0]?.message).toContain(`${variable("user.nmae")} is no variable`);
  });

  it("variables are filled at the last moment, and one that varies costs no session", async () => {
    const headers = {
      "x-who": `${variable("user.id")} in ${variable("conversation.id")}`,
      "x-request": variable("request.id"),
    };
    const chat = await talk("filled", withServers({ x: { url: `${faults}/ok/none`, headers } }));
    await chat.turn();
    const one = JSON.parse(textOf(await chat.use("x__headers")));
    const two = JSON.parse(textOf(await chat.use("x__headers")));
    expect(one["x-who"]).toBe(`filled in ${chat.route.slice(chat.route.lastIndexOf("/") + 1)}`);
    expect(one["mcp-session-id"]).toBe(two["mcp-session-id"]);
    expect(one["x-request"]).not.toBe(two["x-request"]);
  });

  it("leaves no connection open", expectNoConnections);
});
