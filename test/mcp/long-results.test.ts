// Results of servers that are too long: hosts read the whole result in ranges. Links in results can be read too.

import { env } from "cloudflare:workers";
import type { Client } from "@modelcontextprotocol/client";
import { beforeEach, describe, expect, it } from "vitest";
import { UPSTREAM_LIMITS } from "../../src/domain/limits";
import { LIBRARY_LIMITS } from "../../src/domain/servers/library/limits";
import { call } from "../support/call";
import { answering } from "../support/listing";
import { host } from "../support/mcp-client";
import { gatewayServers } from "../support/servers";
import { forget, scripted, seen } from "../support/upstream";

const PATIENT = { timeout: 60, connect_timeout: 60 };
const TOOL = { name: "report", inputSchema: { type: "object" } };

/** Connects a host to a conversation whose server returns this result from its one tool. */
async function answered(user: string, result: object, more: object = {}) {
  const url = await scripted("long", {
    "tools/list": answering({ tools: [TOOL] }),
    "tools/call": answering(result),
    "resources/read": answering({ contents: [{ uri: "test://linked", text: "what was linked" }] }),
    ...more,
  });
  await gatewayServers({ long: { url, ...PATIENT } });
  const client = await host(`/mcp/${user}`, user);
  const names = async () => (await client.listTools()).tools.map(({ name }) => name);
  await expect.poll(names, { timeout: 20_000 }).toContain("long__report");
  const { content } = await client.callTool({ name: "long__report", arguments: {} });
  return { client, content, told: JSON.stringify(content) };
}

async function read(client: Client, uri: string) {
  const { contents } = await client.readResource({ uri });
  const [first] = contents;
  return { text: first !== undefined && "text" in first ? first.text : "", meta: first?._meta, type: first?.mimeType };
}

const refused = (work: Promise<unknown>) =>
  work.then(
    () => "nothing",
    (error: Error) => error.message,
  );

beforeEach(async () => {
  await forget();
  await gatewayServers({});
});

describe("a result above the cap", () => {
  // Each character has three bytes, so ranges can end inside a character.
  const long = "界线".repeat(UPSTREAM_LIMITS.textChars / 2 + 500);

  it("Read it in ranges, which are the whole one after the other", async () => {
    const { client, told } = await answered("ranges", { content: [{ type: "text", text: long }] });
    const first = /result:fil_[0-9a-f]{32}\?offset=0&limit=\d+/.exec(told)?.[0] ?? "";
    const whole: string[] = [];
    let next: unknown = first.replace(/limit=\d+/, "limit=100000");
    for (let n = 0; n < 20 && typeof next === "string"; n++) {
      const range = await read(client, next);
      expect(range.type).toBe("text/plain");
      whole.push(range.text);
      next = range.meta?.next;
    }
    expect(whole.length).toBe(7);
    expect(whole.join("") === long).toBe(true);
  });

  it("is visible only to its user in this conversation, and reports invalid ranges", async () => {
    const { client, told } = await answered("whose", { content: [{ type: "text", text: long }] });
    const file = /fil_[0-9a-f]{32}/.exec(told)?.[0] ?? "";
    const range = `result:${file}?offset=0&limit=65536`;
    const never = `result:fil_${"0".repeat(32)}?offset=0&limit=65536`;
    for (const [path, user] of [
      ["/mcp/whose", "another"],
      ["/mcp/other", "whose"],
    ] as const) {
      const reader = await host(path, user);
      const told = await refused(reader.readResource({ uri: range }));
      expect(told).toContain("not found");
      // Like a file that never existed.
      expect(told.replace(file, "")).toBe((await refused(reader.readResource({ uri: never }))).replace(/fil_0+/, ""));
    }
    const door = await call("GET", `/api/v1/conversations/whose/files/${file}`, { as: "another" });
    expect(door.status).toBe(404);
    for (const range of ["?offset=0", "?offset=-1&limit=5", "?offset=0&limit=0", "?offset=0&limit=9999999999", "/../x"])
      expect(await refused(client.readResource({ uri: `result:${file}${range}` }))).toContain("Use result:");
    expect(await refused(client.readResource({ uri: `result:${file}?offset=9999999&limit=5` }))).toContain(
      "Offset out of range",
    );
    expect((await read(client, `result:${file}?offset=1&limit=3`)).text).toBe("线");
    expect(await refused(client.readResource({ uri: `result:fil_${"0".repeat(32)}` }))).toContain("not found");
    // It counts and expires like the conversation's other files.
    const { items } = await (await call("GET", "/api/v1/conversations/whose/files", { as: "whose" })).json<{
      items: { path: string }[];
    }>();
    expect(items.map(({ path }) => path)).toEqual(["results/long__report.txt"]);
  });

  it("is not stored above the limit for long results of a conversation, with a note", async () => {
    const { client, told } = await answered("filled", { content: [{ type: "text", text: long }] });
    const file = /fil_[0-9a-f]{32}/.exec(told)?.[0] ?? "";
    const size = LIBRARY_LIMITS.resultsBytes - 4 * long.length;
    await env.DB.prepare("UPDATE run_files SET size = ? WHERE id = ?").bind(size, file).run();
    const again = async (of: Client, args: object) => {
      const { content } = await of.callTool({ name: "long__report", arguments: { ...args } });
      return JSON.stringify(content);
    };
    expect(await again(client, { n: 1 })).toContain("Read it in ranges");
    const full = await again(client, { n: 2 });
    expect(full).toMatch(/was not stored because a limit was reached \(64 MiB of long results per conversation/);
    expect(full).not.toContain("result:");
    // The result still contains all the text that a model received before results were stored.
    expect(full.length).toBeGreaterThan(UPSTREAM_LIMITS.textChars);
    // Another conversation of the user has its own storage limit. Deleting a file frees space.
    const other = await host("/mcp/filled-2", "filled");
    await expect
      .poll(async () => (await other.listTools()).tools.map(({ name }) => name), { timeout: 20_000 })
      .toContain("long__report");
    expect(await again(other, { n: 2 })).toContain("Read it in ranges");
    expect((await call("DELETE", `/api/v1/conversations/filled/files/${file}`, { as: "filled" })).ok).toBe(true);
    expect(await again(client, { n: 3 })).toContain("Read it in ranges");
  });

  it("with other content than text is stored as JSON", async () => {
    const result = {
      content: [{ type: "text", text: "a" }],
      structuredContent: { a: "x".repeat(UPSTREAM_LIMITS.textChars) },
    };
    const { client, told } = await answered("json", result);
    const uri = /result:fil_[0-9a-f]{32}/.exec(told)?.[0] ?? "";
    const { text, type } = await read(client, `${uri}?offset=0&limit=1000000`);
    expect([JSON.parse(text), type]).toEqual([result, "application/json"]);
  });
});

describe("resources linked in a result", () => {
  it("is read at the server that linked it, though it lists nothing", async () => {
    const link = { type: "resource_link", uri: "test://linked", name: "linked" };
    const inside = { type: "resource", resource: { uri: "ui://long/page", text: "<p>" } };
    const { client, content } = await answered("links", { content: [link, inside] });
    expect(content).toEqual([
      { ...link, uri: "via:long/test://linked" },
      { ...inside, resource: { uri: "ui://via/long/ui://long/page", text: "<p>" } },
    ]);
    expect(await read(client, "via:long/test://linked")).toMatchObject({ text: "what was linked" });
    const asked = (await seen("/scripted/long")).filter(({ method }) => method === "resources/read");
    expect(asked).toHaveLength(1);
  });
});
