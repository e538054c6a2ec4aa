import { describe, expect, it } from "vitest";
import { specWarnings } from "../../../src/domain/catalog/ghost";
import type { JsonObject } from "../../../src/domain/json";
import { mergeServers, readServers, serverWarnings, unwrapServers } from "../../../src/domain/servers/entry";

const url = "https://mcp.example/mcp";

describe("mcpServers", () => {
  it("become entries, or servers with a reason why not", () => {
    const read = readServers(
      {
        plain: { url },
        full: {
          type: "http",
          url,
          headers: { "X-Key": "1" },
          timeout: 5,
          connect_timeout: 2,
          allow: ["a"],
          deny: ["b"],
          era: "legacy",
          description: "kept by others",
        },
        local: { command: "npx", args: ["-y", "x"] },
        stdio: { type: "stdio", url },
        socket: { type: "websocket", url: "wss://mcp.example/socket" },
        odd: { type: "grpc", url },
        none: "https://mcp.example",
        slow: { url, timeout: 1_000 },
        empty: {},
      },
      { kind: "ghost", shared: null },
    );
    expect(read.filter((server) => server.entry !== null).map((server) => server.name)).toEqual([
      ...["plain", "full", "socket"],
    ]);
    const problems = Object.fromEntries(
      read.flatMap(({ name, problem }) => (problem === null ? [] : [[name, problem]])),
    );
    expect(problems).toMatchObject({
      local: expect.stringContaining("stdio server"),
      stdio: expect.stringContaining("stdio server"),
      odd: expect.stringContaining("streamable-http, http, sse, websocket"),
      none: "its entry is not a mapping",
      slow: expect.stringContaining("timeout"),
      empty: expect.stringContaining("url"),
    });
  });

  it("are found in maps around them, which are no servers", () => {
    const bare = { a: { url }, b: { command: "x" } };
    for (const [wrapped, keys] of [
      [bare, []],
      [{ mcpServers: bare }, ["mcpServers"]],
      [{ mcp_servers: { mcpServers: bare } }, ["mcp_servers", "mcpServers"]],
    ] as const)
      expect(unwrapServers(wrapped)).toEqual({ servers: bare, keys });
    const owns: JsonObject[] = [
      { mcpServers: { url } },
      { mcpServers: bare, c: { url } },
      { mcpServers: "x" },
      { other: bare },
      {},
    ];
    for (const own of owns) expect(unwrapServers(own)).toEqual({ servers: own, keys: [] });
  });

  it("have their times under several names, of which our own counts first", () => {
    const read = (more: object) => readServers({ a: { url, ...more } }, { kind: "gateway" })[0]?.entry;
    expect(read({ timeoutSeconds: 5, connect_timeout_seconds: 6 })).toEqual({ url, timeout: 5, connect_timeout: 6 });
    expect(read({ timeout: 4, timeout_seconds: 5, connectTimeout: 7 })).toEqual({
      url,
      timeout: 4,
      connect_timeout: 7,
    });
    expect(read({ timeoutSeconds: 1_000 })).toBeNull();
  });

  it("are reported briefly for unknown keys, however long they are", () => {
    const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`k${n}`, n]));
    const mcpServers = { ["x".repeat(30_000)]: { url, ...many, ["y".repeat(30_000)]: 1 } };
    const warnings = specWarnings({ systemPrompt: "", mcpServers });
    expect(warnings).toHaveLength(20);
    expect(JSON.stringify(serverWarnings(mcpServers, "spec")).length).toBeLessThan(600_000);
  });

  it("replace each other as a whole: skill over ghost over gateway", () => {
    const layer = (kind: "gateway" | "ghost", names: string[]) =>
      readServers(Object.fromEntries(names.map((name) => [name, { url: `${url}/${kind}` }])), { kind, shared: null });
    const bring = (skill: string, names: string[]) =>
      readServers(Object.fromEntries(names.map((name) => [name, { url: `${url}/${skill}` }])), {
        kind: "skill",
        skill,
      });
    const merged = mergeServers(
      [...layer("gateway", ["a", "b", "c"]), ...layer("ghost", ["b", "c", "d"])],
      [...bring("one", ["c", "e"]), ...bring("two", ["e"])],
    );
    expect(merged.map(({ name, entry }) => `${name} ${entry?.url.slice(url.length + 1)}`)).toEqual([
      "a gateway",
      "b ghost",
      "d ghost",
      "c one",
      "e one",
      "e two",
    ]);
  });
});
