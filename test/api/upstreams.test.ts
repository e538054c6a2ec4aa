// Remote MCP servers in a conversation: listing, names, calls, restarts, eviction, and isolation from each other.

import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { call, keyFor } from "../support/call";
import { connectedTurn, publishOwn, publishPublic, talk, textOf } from "../support/chat-turns";
import { gatewayServers, serverSkill, serversOf, withServers } from "../support/servers";
import { expectNoConnections, faults, forget, methods, realServer, restart } from "../support/upstream";

/** Long timeouts, so that on a busy machine only the tested deadline can expire. */
const PATIENT = { timeout: 60, connect_timeout: 60 };
const ok = (more: object = {}) => ({ url: `${faults}/ok/none`, ...more });
const faulty = (fault: string, at: string, more = {}) => ({ url: `${faults}/${fault}/${at}`, ...PATIENT, ...more });

beforeEach(async () => {
  await forget();
  await gatewayServers({});
});

function stubOf(user: string, route: string) {
  const id = route.slice(route.lastIndexOf("/") + 1);
  return env.CONVERSATIONS.getByName(JSON.stringify([user, id]));
}

/** Returns the shortest arguments that satisfy a schema and let the tool finish quickly. */
function sampleOf(schema: Record<string, unknown>): Record<string, unknown> {
  const { properties = {}, required = [] } = schema as {
    properties?: Record<string, { type?: string; enum?: unknown[]; minimum?: number }>;
    required?: string[];
  };
  const samples: Record<string, unknown> = { number: 1, integer: 1, boolean: true, array: [], object: {} };
  return Object.fromEntries(
    [...required, ...Object.keys(properties).filter((key) => key === "duration")].map((key) => {
      const { type = "string", enum: values, minimum } = properties[key] ?? {};
      return [key, values?.[0] ?? minimum ?? samples[type] ?? "text"];
    }),
  );
}

describe("servers", () => {
  it("of the gateway, the ghost and a skill bring their tools in time", { tags: ["slow"] }, async () => {
    // Few enough tools that they are listed and need no search.
    const allow = ["echo", "get-sum", "get-env", "get-tiny-image"];
    await gatewayServers({ everything: { url: await realServer("everything"), allow } });
    await publishOwn(
      await keyFor("alice"),
      serverSkill("remembering", { memory: { url: await realServer("memory"), type: "http" } }),
    );
    const chat = await talk("alice", withServers({ live: { url: await realServer("everything-sse"), type: "sse" } }));
    const first = await connectedTurn(chat);
    // One of its tools requires tasks, which conversations do not support.
    expect(first.warnings.filter(({ message }) => !message.includes("tasks are not supported"))).toEqual([]);
    const names = first.tools.map((tool) => tool.name);
    expect(names).toEqual(expect.arrayContaining(["everything__echo", "everything__get-sum", "live__echo"]));
    expect(names).not.toContain("memory__read_graph");
    await chat.calls({ id: "load", name: "load_skill", arguments: { skill_name: "remembering" } });
    const loaded = await connectedTurn(chat);
    expect(loaded.tools.find((tool) => tool.name === "memory__create_entities")).toMatchObject({
      description: expect.stringContaining("Create multiple new entities"),
      inputSchema: { type: "object", required: ["entities"] },
      annotations: { title: "Create Entities" },
    });
    const step = await chat.calls(
      { id: "a", name: "everything__echo", arguments: { message: "one" } },
      { id: "b", name: "live__echo", arguments: { message: "two" } },
      { id: "c", name: "memory__read_graph", arguments: {} },
    );
    expect(step.results.map((result) => textOf(result).slice(0, 9))).toEqual(["Echo: one", "Echo: two", '{\n  "enti']);
    const status = await serversOf(chat);
    expect(status.map(({ server, source, state }) => [server, source, state])).toEqual([
      ["everything", "gateway", "connected"],
      ["live", "ghost", "connected"],
      ["memory", "remembering", "connected"],
    ]);
    expect(status[0]?.tools).toContain("everything__echo");
    await chat.use("unload_skill", { skill_name: "remembering" });
    expect(await chat.tools()).not.toContain("memory__read_graph");
    expect(textOf(await chat.use("memory__read_graph"))).toBe("Load skill 'remembering' first.");
    expect((await serversOf(chat)).map(({ server }) => server)).toEqual(["everything", "live"]);
  });

  it.each([
    ["everything", "streamable-http", 15, 2],
    // Parallel calls share one stream, so a question cannot be assigned to its call. Both tools that ask questions are rejected.
    ["everything-sse", "sse", 15, 4],
    ["memory", "streamable-http", 9, 2],
    ["memory-sse", "sse", 9, 2],
  ])("of third parties: every tool of %s can be called", { tags: ["slow"] }, async (name, type, most, refused) => {
    const user = `every-${name}`;
    const chat = await talk(user, withServers({ real: { url: await realServer(name), type, timeout: 20 } }));
    const { tools } = await connectedTurn(chat);
    const mine = tools.filter((tool) => tool.name.startsWith("real__"));
    expect(mine.length).toBeGreaterThanOrEqual(most - 1);
    const { results } = await chat.calls(
      ...mine.map((tool) => ({ id: tool.name, name: tool.name, arguments: sampleOf(tool.inputSchema) })),
    );
    const failed = results.filter((result) => result.isError).map((result) => `${result.name}: ${textOf(result)}`);
    // Errors from a tool are valid answers. A missing answer would be a gateway error.
    expect(failed.filter((one) => /MCP tool '[^']*' (timed out|failed)/.test(one))).toEqual([]);
    expect(failed.length).toBeLessThanOrEqual(refused);
  });

  it("are not connected before their skill is active", async () => {
    await publishOwn(await keyFor("lazy"), serverSkill("quiet", { one: ok() }));
    const chat = await talk("lazy");
    await connectedTurn(chat);
    expect(await methods("/ok/none")).toEqual([]);
    await chat.load("quiet");
    expect(await methods("/ok/none")).toContain("tools/list");
  });

  it("of the more specific take the place of others by name, as whole entries", async () => {
    await gatewayServers({ one: { url: `${faults}/gateway/none`, headers: { "x-gateway": "1" } }, two: ok() });
    await publishOwn(await keyFor("bob"), serverSkill("third", { one: { url: `${faults}/skill/none` } }));
    const chat = await talk("bob", withServers({ one: { url: `${faults}/ghost/none`, deny: ["slow"] } }));
    await connectedTurn(chat);
    expect(textOf(await chat.use("one__echo"))).toBe("ghost: {}");
    expect(JSON.parse(textOf(await chat.use("one__headers")))).not.toHaveProperty("x-gateway");
    expect(await chat.tools()).not.toContain("one__slow");
    await chat.load("third");
    expect(textOf(await chat.use("one__echo"))).toBe("skill: {}");
    expect((await serversOf(chat)).map(({ server, source }) => [server, source])).toEqual([
      ["two", "gateway"],
      ["one", "third"],
    ]);
    await chat.use("unload_skill", { skill_name: "third" });
    expect(textOf(await chat.use("one__echo"))).toBe("ghost: {}");
  });

  it("let through what their entry says", async () => {
    const chat = await talk("carol", withServers({ some: ok({ allow: ["echo", "slow"], deny: ["slow"] }) }));
    const { tools } = await connectedTurn(chat);
    expect(tools.map((tool) => tool.name).filter((name) => name.startsWith("some__"))).toEqual(["some__echo"]);
  });

  it("that start a process are named in one sentence", async () => {
    const chat = await talk("dora", withServers({ local: { type: "stdio", command: "npx" }, odd: { url: 5 } }));
    const { warnings } = await connectedTurn(chat);
    expect(warnings.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^MCP server 'local' of the ghost is not available: /),
      expect.stringMatching(/^MCP server 'odd' of the ghost is not available: /),
    ]);
    expect((await serversOf(chat)).map(({ state }) => state)).toEqual(["unsupported", "unsupported"]);
  });

  it("under a refused address are a warning that names no address", async () => {
    const chat = await talk("erin", withServers({ inner: { url: "https://10.0.0.1/mcp?key=hunter2" } }));
    const { warnings } = await connectedTurn(chat);
    expect(warnings[0]?.message).toBe(
      "MCP server 'inner' of the ghost is not available: its URL is not allowed: an IP address is not allowed, use a host name. Check its entry and the server.",
    );
    expect(JSON.stringify(await serversOf(chat))).not.toContain("hunter2");
  });
});

describe("tools of servers", () => {
  it("keep their names, and stay distinct", async () => {
    const key = await keyFor("fred");
    await publishOwn(key, serverSkill("alpha", { x: ok() }));
    await publishOwn(key, serverSkill("beta", { x: { url: `${faults}/second/none` }, [`y${"o".repeat(80)}`]: ok() }));
    const chat = await talk({ key });
    await connectedTurn(chat);
    await chat.load("alpha");
    const loaded = await chat.load("beta");
    expect(textOf(loaded)).toContain("Its tool 'x__echo' is called 'beta__x__echo' here.");
    expect(textOf(await chat.use("x__echo"))).toBe("ok: {}");
    expect(textOf(await chat.use("beta__x__echo"))).toBe("second: {}");
    const names = await chat.tools();
    expect(names.every((name) => /^[a-zA-Z0-9_-]{1,64}$/.test(name))).toBe(true);
    expect(new Set(names).size).toBe(names.length);
    await chat.use("unload_skill", { skill_name: "alpha" });
    expect(textOf(await chat.use("beta__x__echo"))).toBe("second: {}");
    const { warnings } = await connectedTurn(chat);
    expect(warnings.map(({ code }) => code)).toContain("TOOL_RENAMED");
  });

  it("with odd and long names get ones that models take", async () => {
    const chat = await talk("gina", withServers({ n: { url: `${faults}/names/none` } }));
    const { tools, warnings } = await connectedTurn(chat);
    const mine = tools.map((tool) => tool.name).filter((name) => name.startsWith("n__"));
    expect(mine).toEqual([
      expect.stringMatching(/^n__a_b_[0-9a-f]{6}$/),
      "n__a_b",
      expect.stringMatching(/^n__x+_[0-9a-f]{6}$/),
    ]);
    for (const name of mine) expect((await chat.use(name)).isError).toBeUndefined();
    expect(warnings.filter(({ code }) => code === "MCP_TOOLS_LEFT_OUT")).toHaveLength(3);
  });

  it("are called through call_skill_tool where the list is fixed, and load_skill describes them", async () => {
    const key = await keyFor("hans");
    await publishOwn(key, serverSkill("fixed", { x: ok() }));
    const chat = await talk({ key }, { tool_mode: "fixed", ...withServers({ shared: ok() }) });
    const before = (await chat.turn()).tools.map((tool) => tool.name);
    expect(before).toContain("shared__echo");
    expect(before).not.toContain("x__echo");
    expect(textOf(await chat.load("fixed"))).toContain('{"name":"x__echo","description":"Tool echo."');
    expect(await chat.tools()).toEqual(before);
    expect(textOf(await chat.use("call_skill_tool", { name: "x__echo", arguments: { a: 1 } }))).toBe('ok: {"a":1}');
  });

  it("repeat a stored result for the same call, and run again for another", async () => {
    const chat = await talk("ines", withServers({ x: ok() }));
    await connectedTurn(chat);
    await chat.use("x__echo", { a: 1 }, "same");
    await chat.use("x__echo", { a: 1 }, "same");
    expect((await methods("/ok/none")).filter((method) => method === "tools/call")).toHaveLength(1);
    await chat.use("x__echo", { a: 2 }, "same");
    expect((await methods("/ok/none")).filter((method) => method === "tools/call")).toHaveLength(2);
  });

  it("report progress on a stream, and end when it is closed", async () => {
    const chat = await talk("jack", withServers({ x: ok({ timeout: 60 }) }));
    await connectedTurn(chat);
    const headers = { accept: "text/event-stream" };
    const ask = (args: object) =>
      call("POST", `${chat.route}/tool-calls`, {
        key: chat.key,
        headers,
        json: { calls: [{ id: JSON.stringify(args), name: "x__slow", arguments: args }] },
      });
    const whole = await (await ask({ end: true })).text();
    expect(whole.match(/event: \w+/g)).toEqual([
      ...["event: progress", "event: progress", "event: progress", "event: result", "event: done"],
    ]);
    expect(whole).toContain('{"id":"{\\"end\\":true}","name":"x__slow","progress":1,"total":3,"message":"step 1"}');
    const reader = (await ask({})).body?.getReader();
    await reader?.read();
    await reader?.cancel();
    await expect.poll(() => methods("/ok/none")).toContain("notifications/cancelled");
    await expectNoConnections();
  });

  it("are cancelled by their call's id", async () => {
    const chat = await talk("kate", withServers({ x: ok({ timeout: 60 }) }));
    await connectedTurn(chat);
    const running = chat.use("x__slow", {}, "slow-1");
    await expect
      .poll(async () => (await call("DELETE", `${chat.route}/tool-calls/slow-1`, { key: chat.key })).status)
      .toBe(204);
    expect(textOf(await running)).toBe("Error: The call was cancelled. Repeat it only if the user asks for it.");
    await expect.poll(() => methods("/ok/none")).toContain("notifications/cancelled");
  });

  it("are touched when called, so that others leave first", async () => {
    const key = await keyFor("liam");
    await publishOwn(key, serverSkill("used", { u: ok() }));
    await publishOwn(key, { name: "unused" });
    await publishOwn(key, { name: "third" });
    const chat = await talk({ key }, { max_active_skills: 2 });
    await connectedTurn(chat);
    await chat.load("used");
    await chat.load("unused");
    await chat.use("u__echo");
    await chat.load("third");
    expect((await chat.turn()).active.map(({ skill }) => skill).sort()).toEqual(["third", "used"]);
  });

  it("of a skill that is not visible any more are gone at the next call", async () => {
    const { id } = await publishPublic(serverSkill("leaving", { x: ok() }));
    const chat = await talk("mona");
    await connectedTurn(chat);
    await chat.load("leaving");
    expect((await chat.use("x__echo")).isError).toBeUndefined();
    expect((await call("DELETE", `/api/v1/kinds/skills/${id}?force=true`)).status).toBe(204);
    const gone = await chat.use("x__echo");
    expect(textOf(gone)).toMatch(/^Error: Skill 'leaving' is not available\./);
    expect(await serversOf(chat)).toEqual([]);
  });
});

describe("a server that is not well", () => {
  it.each([
    ["hang", "connect", /did not (connect|return its list of tools) within 1s/, { connect_timeout: 1 }],
    ["s500", "connect", /returned HTTP 500/, {}],
    ["drip", "list", /did not (connect|return its list of tools) within 1s/, { connect_timeout: 1 }],
    ["json", "list", /not valid JSON/, {}],
  ])("contributes no tools and one warning: %s at %s", { tags: ["slow"] }, async (fault, where, told, deadlines) => {
    const servers = withServers({ sick: faulty(fault, where, deadlines), well: ok() });
    const chat = await talk(`sick-${fault}-${where}`, servers);
    const { tools, warnings } = await connectedTurn(chat);
    expect(tools.map((tool) => tool.name)).toContain("well__echo");
    expect(tools.map((tool) => tool.name).filter((name) => name.startsWith("sick"))).toEqual([]);
    expect(warnings).toEqual([{ code: "MCP_SERVER_UNAVAILABLE", message: expect.stringMatching(told), path: "sick" }]);
    expect(await serversOf(chat)).toMatchObject([
      { server: "sick", state: "failed", tools: [], error: expect.stringMatching(told) },
      { server: "well", state: "connected", latency_ms: expect.any(Number) },
    ]);
    expect(textOf(await chat.use("well__echo"))).toBe("ok: {}");
  });

  it("that is slow is not waited for, and its tools are available in a later step", { tags: ["slow"] }, async () => {
    const late = { url: `${faults}/late/connect`, connect_timeout: 60 };
    const chat = await talk("nora", withServers({ late, well: ok() }));
    const { tools, warnings } = await chat.turn();
    expect(tools.map((tool) => tool.name)).toContain("well__echo");
    expect(warnings.map(({ code }) => code)).toEqual(["MCP_SERVER_CONNECTING"]);
    await expect.poll(() => chat.tools(), { timeout: 20_000 }).toContain("late__echo");
  });

  it("and failed before delays no later turn, and comes back when it is well", async () => {
    const one = faulty("healing", "connect");
    const chat = await talk("otto", withServers({ one }));
    expect((await connectedTurn(chat)).warnings).toHaveLength(1);
    expect((await chat.turn()).warnings).toHaveLength(1);
    await fetch(`${faults}/heal`);
    await chat.turn();
    // At once, unless the machine is slow.
    await expect.poll(() => chat.tools(), { timeout: 20_000 }).toContain("one__echo");
    expect((await chat.turn()).warnings).toEqual([]);
  });

  it("answers a call with what went wrong, beside one that is well", { tags: ["slow"] }, async () => {
    const late = faulty("hang", "call", { timeout: 1 });
    const chat = await talk("paul", withServers({ sick: late, broken: faulty("break", "call"), well: ok() }));
    await connectedTurn(chat);
    const { results } = await chat.calls(
      { id: "1", name: "sick__echo", arguments: {} },
      { id: "2", name: "broken__echo", arguments: {} },
      { id: "3", name: "well__echo", arguments: {} },
    );
    expect(results.map((result) => [result.isError ?? false, textOf(result)])).toEqual([
      [true, "MCP tool 'sick__echo' timed out after 1s"],
      [true, "MCP tool 'broken__echo' failed: the server closed the connection"],
      [false, "ok: {}"],
    ]);
  });

  it("is left alone after failures in a row, and says so", async () => {
    const chat = await talk("quinn", withServers({ sick: faulty("s500", "call") }));
    await connectedTurn(chat);
    for (let time = 0; time < 5; time++) await chat.use("sick__echo");
    expect(textOf(await chat.use("sick__echo"))).toMatch(/failed 5 times in a row and is not retried for another \d+s/);
    expect(await serversOf(chat)).toMatchObject([{ state: "open", error: "the server returned HTTP 500" }]);
  });

  it("and was restarted between two calls is found again", { tags: ["slow"] }, async () => {
    const chat = await talk("rosa", withServers({ e: { url: await realServer("everything:conversation") } }));
    await connectedTurn(chat);
    expect(textOf(await chat.use("e__echo", { message: "one" }))).toBe("Echo: one");
    await restart("everything:conversation");
    expect(textOf(await chat.use("e__echo", { message: "two" }))).toBe("Echo: two");
  });

  it("leaves no connection open", expectNoConnections);
});

describe("stored data of servers", () => {
  it("survives an eviction: the session is taken up again with one request", async () => {
    const key = await keyFor("sara");
    await publishOwn(key, serverSkill("keeping", { x: ok({ headers: { authorization: "Bearer hunter2" } }) }));
    const chat = await talk({ key });
    await connectedTurn(chat);
    await chat.load("keeping");
    const before = await chat.use("x__echo", { a: 1 });
    const names = await chat.tools();
    await evictDurableObject(stubOf("sara", chat.route));
    const asked = (await methods("/ok/none")).length;
    const after = await chat.use("x__echo", { a: 1 }, "another");
    expect(after.structuredContent).toEqual(before.structuredContent);
    expect((await methods("/ok/none")).slice(asked)).toEqual(["tools/call"]);
    expect(await chat.tools()).toEqual(names);
    await runInDurableObject(stubOf("sara", chat.route), (_, state) => {
      const rows = [...state.storage.sql.exec("SELECT * FROM upstreams")];
      expect(rows).toHaveLength(1);
      expect(JSON.stringify(rows)).not.toContain("hunter2");
      expect(JSON.stringify(rows)).not.toContain("127.0.0.1");
    });
  });

  it("is another session where the headers are others", async () => {
    const chat = await talk("toni", withServers({ x: ok({ headers: { "x-key": "one" } }) }));
    await connectedTurn(chat);
    const first = await chat.use("x__echo");
    await call("PUT", chat.route, { key: chat.key, json: withServers({ x: ok({ headers: { "x-key": "two" } }) }) });
    await connectedTurn(chat);
    const second = await chat.use("x__echo");
    expect(second.structuredContent?.session).not.toEqual(first.structuredContent?.session);
    expect(JSON.parse(textOf(await chat.use("x__headers")))).toMatchObject({ "x-key": "two" });
  });

  it("is separate in each conversation", async () => {
    const [one, two] = [await talk("uma", withServers({ x: ok() })), await talk("uma", withServers({ x: ok() }))];
    await one.turn();
    await two.turn();
    const [a, b] = [await one.use("x__echo"), await two.use("x__echo")];
    expect(a.structuredContent?.session).not.toEqual(b.structuredContent?.session);
  });

  it("goes with the conversation, even while a server is connecting", { tags: ["slow"] }, async () => {
    const chat = await talk("vera", withServers({ sick: faulty("hang", "connect", { connect_timeout: 3 }) }));
    await chat.turn();
    expect((await call("DELETE", chat.route, { key: chat.key })).status).toBe(204);
    await expectNoConnections();
    await runInDurableObject(stubOf("vera", chat.route), (_, state) => {
      expect([...state.storage.sql.exec("SELECT name FROM sqlite_master WHERE type = 'table'")]).toEqual([]);
    });
  });
});
