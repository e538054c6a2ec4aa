// Every way a server can misbehave: what is told, in which time, and that nothing is left open.

import { beforeEach, describe, expect, it } from "vitest";
import { UPSTREAM_LIMITS } from "../../src/domain/limits";
import { textOf } from "../../src/domain/tool";
import { expectNoConnections, faults, forget, fullServer, seen, upstream } from "../support/upstream";

/** Where a deadline is tested it is one second; the machine may be slow, but never as slow as the defaults. */
const SOON = 25_000;
/** For what ends by itself, so that a busy machine does not end it before. */
const PATIENT = { connectMs: 20_000, callMs: 20_000 };

beforeEach(forget);

async function timed<T>(run: () => Promise<T>): Promise<T> {
  const start = Date.now();
  const value = await run();
  expect(Date.now() - start).toBeLessThan(SOON);
  return value;
}

/** Calls a tool that misbehaves while a healthy server is called beside it. */
async function call(fault: string, callMs = PATIENT.callMs): Promise<string> {
  const healthy = upstream(`${faults}/ok/none`, PATIENT);
  const faulty = upstream(`${faults}/${fault}/call`, { ...PATIENT, callMs });
  const [answer, beside] = await timed(() => Promise.all([faulty.call("echo", {}), healthy.call("echo", { a: 1 })]));
  expect(textOf(beside)).toBe('ok: {"a":1}');
  expect(answer.isError).toBe(true);
  return textOf(answer);
}

async function listing(fault: string, where: "list" | "connect", deadlines: object = PATIENT): Promise<string> {
  const one = upstream(`${faults}/${fault}/${where}`, deadlines);
  return timed(() =>
    one.list().then(
      () => "listed",
      (error: Error) => error.message,
    ),
  );
}

const SILENT = ["hang", "headers", "drip", "dripjson"];

/** What is told of each fault, wherever it happens. */
const TOLD: [string, string][] = [
  ["break", "the server closed the connection"],
  ["breakjson", "the server closed the connection"],
  ["end", "the server ended the connection without an answer"],
  ["s500", "the server returned HTTP 500"],
  ["s401", "the server returned HTTP 401, its credentials are missing or wrong"],
  ["s429", "the server returned HTTP 429, retry after 7s"],
  ["json", "the server's answer is not valid JSON"],
  ["html", "the server's answer is neither JSON nor an event stream"],
  ["empty", "the server ended the connection without an answer"],
  ["big", "the server's answer is too large (limit 8 MiB)"],
  ["bigstream", "the server's answer is too large (limit 8 MiB)"],
  ["ids", "the server ended the connection without an answer"],
  ["idstream", "the server ended the connection without an answer"],
  ["norpc", "the server's answer is not a JSON-RPC message"],
  ["private", "the server redirects to another address, and redirects are not followed"],
  ["other", "the server redirects to another address, and redirects are not followed"],
  ["error", "the tool's own words"],
];

describe("a call", () => {
  it.each(SILENT)("ends at its deadline: %s", async (fault) => {
    expect(await call(fault, 1_000)).toBe("MCP tool 'echo' timed out after 1s");
  });

  it.each(TOLD)("says what went wrong: %s", async (fault, told) => {
    expect(await call(fault)).toBe(`MCP tool 'echo' failed: ${told}`);
  });

  it("accepts an invalid response as a fault", async () => {
    expect(await call("nonsense")).toMatch(/^MCP tool 'echo' failed: /);
  });

  it("cuts a large result with a note, and omits blocks that cannot be cut", async () => {
    const result = await upstream(`${faults}/ok/none`, PATIENT).call("large", {});
    expect(result.isError).toBeUndefined();
    expect(JSON.stringify(result).length).toBeLessThan(UPSTREAM_LIMITS.resultBytes);
    expect(textOf(result)).toContain("(cut: 100000 of 300000 characters are not shown)");
    expect(textOf(result)).toMatch(/left out: a block of type 'image' with 20\d{5} characters/);
    expect(textOf(result)).toMatch(/left out: structured content of 30\d{4} characters/);
  });

  it("returns a result that violates its output schema", async () => {
    const one = upstream(`${faults}/draft07/none`, PATIENT);
    expect((await one.list()).tools[0]?.inputSchema.$schema).toBe("http://json-schema.org/draft-07/schema#");
    expect((await one.call("echo", { message: "hi" })).structuredContent?.args).toEqual({ message: "hi" });
  });
});

describe("connecting and listing", () => {
  it("gives up on a port that never accepts", async () => {
    const one = upstream(await fullServer());
    await expect(timed(() => one.list())).rejects.toThrow(/did not (connect|return its list of tools) within 1s$/);
    expect(textOf(await timed(() => one.call("echo", {})))).toMatch(
      /^MCP tool 'echo' (failed: the server did not connect within|timed out after) 1s$/,
    );
  });

  it("fails at a port where nothing listens", async () => {
    await expect(timed(() => upstream("http://127.0.0.1:9/mcp").list())).rejects.toThrow(
      "the server cannot be reached",
    );
  });

  it.each(SILENT)("gives up at its deadline: %s", async (fault) => {
    expect(await listing(fault, "connect", {})).toMatch(/within 1s$/);
    expect(await listing(fault, "list", {})).toMatch(
      /^(it did not return its list of tools|the server did not connect) within 1s$/,
    );
  });

  it.each(TOLD)("says what went wrong: %s", async (fault, told) => {
    expect(await listing(fault, "connect")).toBe(told);
    expect(await listing(fault, "list")).toBe(told);
  });

  it.each(["nonsense", "circle"])("bears %s", async (fault) => {
    expect(await listing(fault, "connect")).not.toBe("listed");
    expect(await listing(fault, fault === "circle" ? "connect" : "list")).not.toBe("listed");
  });

  it("refuses an endpoint of another origin", async () => {
    const one = upstream(`${faults}/endpoint/none`, { ...PATIENT, type: "sse" });
    await expect(timed(() => one.list())).rejects.toThrow("the server names an endpoint of another origin");
  });

  it("bounds an endless list, and a long one", async () => {
    const endless = await timed(() => upstream(`${faults}/pages/none`, PATIENT).list());
    expect(endless.tools).toHaveLength(UPSTREAM_LIMITS.pages);
    expect(endless.problems).toEqual([expect.stringContaining("too many pages (limit 32)")]);
    const many = await timed(() => upstream(`${faults}/many/none`, PATIENT).list());
    expect(many.tools).toHaveLength(UPSTREAM_LIMITS.tools);
    expect(many.problems).toEqual([expect.stringContaining("too many tools (limit 256)")]);
    const same = await timed(() => upstream(`${faults}/same/none`, PATIENT).list());
    expect(same.tools).toHaveLength(1);
  });

  it("keeps the valid tools of a list, and reports the others", async () => {
    const mixed = await upstream(`${faults}/mixed/none`, PATIENT).list();
    expect(mixed.tools.map((tool) => tool.name)).toEqual(["echo"]);
    expect(mixed.problems).toHaveLength(2);
    const names = await upstream(`${faults}/names/none`).list();
    expect(names.tools.map((tool) => tool.name)).toEqual(["a b", "a_b", "x".repeat(200)]);
    expect(names.problems).toHaveLength(3);
  });
});

describe("sent headers", () => {
  it("are those of the entry, and no revealing ones", async () => {
    const result = await upstream(`${faults}/ok/none`, { headers: { "x-api-key": "k" } }).call("headers", {});
    const headers: Record<string, string> = JSON.parse(textOf(result));
    expect(headers["x-api-key"]).toBe("k");
    expect(Object.keys(headers).sort()).toEqual(
      expect.arrayContaining(["accept", "content-type", "mcp-protocol-version", "mcp-session-id", "x-api-key"]),
    );
    expect(headers).not.toHaveProperty("authorization");
    expect(headers).not.toHaveProperty("cookie");
  });

  it("reaches no other origin", async () => {
    await upstream(`${faults}/other/call`, { headers: { authorization: "Bearer secret" } }).call("echo", {});
    expect(await seen("/ok/none")).toEqual([]);
  });

  it("never opens a standing stream", async () => {
    await upstream(`${faults}/ok/none`).call("echo", {});
    expect((await seen("/ok/none")).map(({ http }) => http)).not.toContain("GET");
  });
});

describe("the breaker", () => {
  it("opens after consecutive failures with a message, and tries again later", async () => {
    let now = 1_000_000;
    const one = upstream(`${faults}/s500/call`, {}, undefined, () => now);
    for (let failure = 0; failure < 5; failure++) await one.call("echo", {});
    const before = (await seen("/s500/call")).length;
    const open = textOf(await one.call("echo", {}));
    expect(open).toContain(
      "failed 5 times in a row and is not retried for another 30s; the last error: the server returned HTTP 500",
    );
    expect((await seen("/s500/call")).length).toBe(before);
    // Another one that goes on from the same memory knows it too.
    const other = upstream(`${faults}/s500/call`, {}, one.memory, () => now);
    expect(textOf(await other.call("echo", {}))).toContain("is not retried for another 30s");
    now += 30_000;
    expect(textOf(await one.call("echo", {}))).toBe("MCP tool 'echo' failed: the server returned HTTP 500");
    expect(textOf(await one.call("echo", {}))).toContain("failed 6 times in a row");
    now += 30_000;
    const healed = upstream(`${faults}/ok/none`, {}, { ...one.memory, session: null }, () => now);
    expect((await healed.call("echo", {})).isError).toBeUndefined();
    expect(healed.memory.breaker).toEqual({ failures: 0, since: null, last: null });
  });

  it("does not count errors of a tool, nor cancellations of the caller", async () => {
    const one = upstream(`${faults}/error/call`);
    for (let failure = 0; failure < 6; failure++) await one.call("echo", {});
    expect(one.memory.breaker.failures).toBe(0);
    const silent = upstream(`${faults}/hang/call`);
    for (let failure = 0; failure < 6; failure++) await silent.call("echo", {}, { signal: AbortSignal.abort() });
    expect(silent.memory.breaker.failures).toBe(0);
  });
});

it("leaves no connection open", expectNoConnections);
