// The client against third-party servers, and what it caches of them.

import { beforeEach, describe, expect, it } from "vitest";
import { DURATIONS } from "../../src/domain/durations";
import { NO_MEMORY, upstreamMemorySchema } from "../../src/domain/servers/memory";
import { textOf } from "../../src/domain/tool";
import type { Progress } from "../../src/upstream/tool-call";
import {
  upstream as clientOf,
  expectNoConnections,
  faults,
  forget,
  methods,
  realServer,
  restart,
  seen,
} from "../support/upstream";

/** Only the tests that say so depend on time, because a busy machine is slower. */
const upstream: typeof clientOf = (url, change, ...more) =>
  clientOf(url, { connectMs: 30_000, callMs: 30_000, ...change }, ...more);

beforeEach(forget);

/** Through JSON, as it is stored. */
function stored(memory: unknown) {
  return upstreamMemorySchema.parse(JSON.parse(JSON.stringify(memory)));
}

describe("real servers", () => {
  it.each([
    ["everything", "streamable-http" as const],
    ["everything-sse", "sse" as const],
  ])("lists and calls the tools of %s", async (name, type) => {
    const one = upstream(await realServer(name), { type });
    const { tools, problems } = await one.list();
    expect(problems).toEqual([expect.stringContaining("tasks are not supported")]);
    expect(tools.map((tool) => tool.name)).toEqual(expect.arrayContaining(["echo", "get-sum", "get-tiny-image"]));
    expect(textOf(await one.call("echo", { message: "hi" }))).toBe("Echo: hi");
    expect(textOf(await one.call("get-sum", { a: 2, b: 40 }))).toContain("42");
    const image = await one.call("get-tiny-image", {});
    expect(image.content.map((block) => block.type)).toContain("image");
    const both = await Promise.all([one.call("echo", { message: "a" }), one.call("echo", { message: "b" })]);
    expect(both.map(textOf)).toEqual(["Echo: a", "Echo: b"]);
    const weather = await one.call("get-structured-content", { location: "Chicago" });
    expect(weather.structuredContent).toMatchObject({ temperature: 36, humidity: 82 });
    const wrong = await one.call("no-such-tool", {});
    expect(wrong.isError).toBe(true);
  });

  it.each([
    ["memory", "streamable-http" as const],
    ["memory-sse", "sse" as const],
  ])("lists and calls the tools of %s behind mcp-proxy", async (name, type) => {
    const one = upstream(await realServer(name), { type });
    expect((await one.list()).tools.map((tool) => tool.name)).toContain("create_entities");
    const entities = [{ name: "Ada", entityType: "person", observations: ["writes programs"] }];
    expect((await one.call("create_entities", { entities })).isError).toBeUndefined();
    expect(textOf(await one.call("read_graph", {}))).toContain("writes programs");
  });

  it("supports both eras, and uses a pinned one", async () => {
    const url = await realServer("memory");
    const kind = async (era: "auto" | "legacy" | "modern") => {
      const one = upstream(url, { era });
      expect((await one.list()).tools.length).toBeGreaterThan(5);
      expect((await one.call("read_graph", {})).isError).toBeUndefined();
      return one.memory.era?.kind;
    };
    expect(await kind("modern")).toBe("modern");
    expect(await kind("legacy")).toBe("legacy");
    expect(await kind("auto")).toBe("modern");
    const never = upstream(await realServer("everything"), { era: "modern" });
    await expect(never.list()).rejects.toThrow(/2026-07-28/);
  });

  it("finds a server again that was restarted between two calls", { tags: ["slow"] }, async () => {
    const one = upstream(await realServer("everything:client"));
    expect(textOf(await one.call("echo", { message: "one" }))).toBe("Echo: one");
    const { session } = one.memory;
    await restart("everything:client");
    const answers = await Promise.all(["two", "three"].map((message) => one.call("echo", { message })));
    expect(answers.map(textOf)).toEqual(["Echo: two", "Echo: three"]);
    expect(one.memory.session?.id).not.toBe(session?.id);
  });

  it("separates parallel calls in one session", { tags: ["slow"] }, async () => {
    const one = upstream(await realServer("everything"));
    const slow = one.call("trigger-long-running-operation", { duration: 1, steps: 2 });
    const quick = await Promise.all(["a", "b", "c", "d"].map((message) => one.call("echo", { message })));
    expect(quick.map(textOf)).toEqual(["Echo: a", "Echo: b", "Echo: c", "Echo: d"]);
    expect(textOf(await slow)).toContain("completed");
  });

  it.each([
    ["everything", "streamable-http" as const],
    ["everything-sse", "sse" as const],
  ])(
    "reports progress of %s once, and extends the time of a call that continues",
    { tags: ["slow"] },
    async (name, type) => {
      const one = upstream(await realServer(name), { type, callMs: 1_500 });
      await one.list();
      const progress: Progress[] = [];
      const result = await one.call(
        "trigger-long-running-operation",
        { duration: 4, steps: 16 },
        { onProgress: (step) => progress.push(step) },
      );
      expect(result.isError).toBeUndefined();
      expect(progress.map((step) => step.progress)).toEqual(Array.from({ length: 16 }, (_, step) => step + 1));
    },
  );

  it("ends a call at the maximum time, even with progress", { tags: ["slow"] }, async () => {
    const usual = DURATIONS.callMost;
    Object.assign(DURATIONS, { callMost: 1_500 });
    try {
      const one = upstream(await realServer("everything"), { callMs: 1_500 });
      const result = await one.call("trigger-long-running-operation", { duration: 600, steps: 2_400 });
      expect([result.isError, textOf(result)]).toEqual([true, expect.stringContaining("timed out")]);
    } finally {
      Object.assign(DURATIONS, { callMost: usual });
    }
  });
});

describe("cached state", () => {
  it("makes a warm call one request, also for another client after an eviction", async () => {
    const path = "/ok/none";
    const one = upstream(`${faults}${path}`);
    await one.list();
    expect(await methods(path)).toEqual(["server/discover", "initialize", "notifications/initialized", "tools/list"]);
    const other = upstream(`${faults}${path}`, {}, stored(one.memory));
    await other.list();
    const result = await other.call("echo", { a: 1 });
    expect(result.structuredContent).toMatchObject({ args: { a: 1 }, session: one.memory.session?.id });
    expect((await methods(path)).slice(4)).toEqual(["tools/call"]);
  });

  it("uses no session id twice", async () => {
    const one = upstream(`${faults}/ok/strict`);
    await one.list();
    const others = [1, 2, 3].map(() => upstream(`${faults}/ok/strict`, {}, stored(one.memory)));
    const answers = await Promise.all([one, one, ...others, ...others].map((each) => each.call("echo", {})));
    expect(answers.map((answer) => answer.isError)).toEqual(answers.map(() => undefined));
    expect(new Set(answers.map((answer) => answer.structuredContent?.session)).size).toBe(1);
  });

  it("needs one request for a warm call to a server without sessions", async () => {
    const path = "/stateless/none";
    const one = upstream(`${faults}${path}`);
    await one.list();
    await forget();
    expect((await upstream(`${faults}${path}`, {}, stored(one.memory)).call("echo", {})).isError).toBeUndefined();
    expect(await methods(path)).toEqual(["tools/call"]);
  });

  it.each(["lost404", "lost400"])("shakes hands once for all calls that lost a session: %s", async (fault) => {
    const path = `/${fault}/none`;
    const one = upstream(`${faults}${path}`);
    await one.call("echo", {});
    await forget();
    const answers = await Promise.all([1, 2, 3].map((n) => one.call("echo", { n })));
    expect(answers.map((answer) => answer.isError)).toEqual([undefined, undefined, undefined]);
    const asked = await methods(path);
    expect(asked.filter((method) => method === "initialize")).toHaveLength(1);
    expect(asked.filter((method) => method === "tools/call")).toHaveLength(6);
    expect(asked).not.toContain("server/discover");
  });

  it("gives a lost session one more try only", async () => {
    const one = upstream(`${faults}/s404/call`);
    expect((await one.call("echo", {})).isError).toBeUndefined();
  });

  it("detects the era again after a day", async () => {
    let now = 1_000_000;
    const path = "/ok/none";
    const one = upstream(`${faults}${path}`, {}, NO_MEMORY, () => now);
    await one.call("echo", {});
    now += 23 * 3_600_000;
    await one.call("echo", {});
    expect((await methods(path)).filter((method) => method === "server/discover")).toHaveLength(1);
    now += 3_600_000;
    await one.call("echo", {});
    expect((await methods(path)).filter((method) => method === "server/discover")).toHaveLength(2);
  });

  it.each(["s401", "s500"])("learns nothing of the era from %s", async (fault) => {
    const one = upstream(`${faults}/${fault}/connect`);
    await expect(one.list()).rejects.toThrow("HTTP");
    expect(one.memory.era).toBeNull();
  });

  it("reads the list again after a minute, or when a call's stream reports a change", async () => {
    let now = 1_000_000;
    const path = "/ok/none";
    const one = upstream(`${faults}${path}`, {}, NO_MEMORY, () => now);
    const lists = async () => (await methods(path)).filter((method) => method === "tools/list").length;
    await one.list();
    now += 59_000;
    await one.list();
    expect(await lists()).toBe(1);
    now += 1_000;
    await one.list();
    expect(await lists()).toBe(2);
    expect(textOf(await one.call("changed", {}))).toBe("changed");
    await one.list();
    expect(await lists()).toBe(3);
  });
});

describe("a server without sessions", () => {
  it("is asked for its era once, and then called with one request", async () => {
    const path = "/modern/none";
    const one = upstream(`${faults}${path}`);
    const { tools, ttl } = await one.list();
    expect(ttl).toBe(120_000);
    expect(tools.map((tool) => tool.name)).toEqual(["echo", "slow", "routed"]);
    const other = upstream(`${faults}${path}`, {}, stored(one.memory));
    const headers = JSON.parse(textOf(await other.call("routed", { region: "eu" })));
    expect(headers).toMatchObject({ "mcp-method": "tools/call", "mcp-name": "routed", "mcp-param-region": "eu" });
    expect(headers).not.toHaveProperty("mcp-session-id");
    expect(await methods(path)).toEqual(["server/discover", "tools/list", "tools/call"]);
  });

  it("leaves out a tool that wants headers where none may be", async () => {
    const { problems } = await upstream(`${faults}/modern/none`).list();
    expect(problems).toEqual([expect.stringContaining("tool 'bad' is ignored: its x-mcp-header")]);
  });

  it("receives a cancellation as the end of its stream", async () => {
    const path = "/modern/none";
    const cancel = new AbortController();
    const one = upstream(`${faults}${path}`, { callMs: 60_000 });
    const result = await one.call("slow", {}, { signal: cancel.signal, onProgress: () => cancel.abort() });
    expect(textOf(result)).toBe("MCP tool 'slow' failed: it was cancelled");
    await expectNoConnections();
    expect(await methods(path)).not.toContain("notifications/cancelled");
  });

  it.each([
    ["modern-notype", /resultType/],
    ["modern-input", /^MCP tool 'echo' failed: /],
  ])("that does not keep to the protocol is a failed call: %s", async (fault, told) => {
    const result = await upstream(`${faults}/${fault}/none`).call("echo", {});
    expect(result.isError).toBe(true);
    expect(textOf(result)).toMatch(told);
  });

  it("that suddenly uses sessions is detected again", async () => {
    const one = upstream(`${faults}/modern-downgraded/none`);
    await one.call("echo", {});
    expect(one.memory.era?.kind).toBe("modern");
    await fetch(`${faults}/heal`);
    expect((await one.call("echo", {})).isError).toBeUndefined();
    expect(one.memory.era?.kind).toBe("legacy");
  });
});

describe("calling off", () => {
  it("sends a cancellation to a server with sessions", async () => {
    const path = "/ok/none";
    const one = upstream(`${faults}${path}`, { callMs: 60_000 });
    const cancel = new AbortController();
    const result = await one.call("slow", {}, { signal: cancel.signal, onProgress: () => cancel.abort() });
    expect(textOf(result)).toBe("MCP tool 'slow' failed: it was cancelled");
    await expect.poll(async () => await methods(path)).toContain("notifications/cancelled");
    await expectNoConnections();
  });

  it("sends it at a timeout too, and still reports progress", { tags: ["slow"] }, async () => {
    const path = "/ok/none";
    const steps: number[] = [];
    const one = upstream(`${faults}${path}`, { callMs: 1_000 });
    const result = await one.call("slow", {}, { onProgress: ({ progress }) => steps.push(progress) });
    expect(textOf(result)).toBe("MCP tool 'slow' timed out after 1s");
    expect(steps).toEqual([1, 2, 3]);
    await expect.poll(async () => await methods(path)).toContain("notifications/cancelled");
    expect((await seen(path)).every(({ http }) => http === "POST")).toBe(true);
  });
});

it("leaves no connection open", expectNoConnections);
