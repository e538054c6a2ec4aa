import { describe, expect, it } from "vitest";
import { call, keyFor } from "../support/call";
import { realServer } from "../support/upstream";

const BASE = "/api/v1/mcp-servers";
const entry = { url: "https://mcp.example.com/mcp", headers: { "X-Team": "a" }, timeout: 20, deny: ["drop"] };

interface Tried {
  reachable: boolean;
  tools: { name: string }[];
  error?: string;
}

describe("the gateway's MCP servers", () => {
  it("are stored, listed, replaced as a whole and deleted", async () => {
    const made = await call("PUT", `${BASE}/search`, { json: entry });
    expect(made.status).toBe(201);
    expect(await made.json()).toMatchObject({ name: "search", type: "streamable-http", ...entry });
    const replaced = await call("PUT", `${BASE}/search`, { json: { type: "sse", url: entry.url } });
    expect(replaced.status).toBe(200);
    const one = await (await call("GET", `${BASE}/search`)).json<object>();
    expect(one).toMatchObject({ name: "search", type: "sse", url: entry.url });
    expect(one).not.toHaveProperty("headers");
    await call("PUT", `${BASE}/another`, { json: entry });
    const first = await (await call("GET", `${BASE}?limit=1`)).json<{ items: object[]; next_cursor: string }>();
    expect(first.items).toMatchObject([{ name: "another" }]);
    const rest = await call("GET", `${BASE}?cursor=${first.next_cursor}`);
    expect(await rest.json()).toMatchObject({ items: [{ name: "search" }], next_cursor: null });
    expect((await call("DELETE", `${BASE}/search`)).status).toBe(204);
    expect((await call("GET", `${BASE}/search`)).status).toBe(404);
    expect((await call("DELETE", `${BASE}/search`)).status).toBe(404);
  });

  it("are for admins only", async () => {
    const key = await keyFor("not-admin");
    const routes = [
      ["GET", BASE],
      ["GET", `${BASE}/x`],
      ["DELETE", `${BASE}/x`],
      ["POST", `${BASE}/x/test`],
    ] as const;
    for (const [method, path] of routes) expect((await call(method, path, { key })).status).toBe(403);
    expect((await call("PUT", `${BASE}/x`, { key, json: entry })).status).toBe(403);
  });

  it("are refused with every problem at once", async () => {
    const bad = { type: "stdio", headers: { "a b": "1" }, timeout: 301, allow: "x", command: "npx" };
    const answer = await call("PUT", `${BASE}/bad`, { json: bad });
    expect(answer.status).toBe(400);
    const { issues } = await answer.json<{ issues: { path: string }[] }>();
    expect(issues.map((issue) => issue.path.split(".")[0]).sort()).toEqual([
      "allow",
      "command",
      "headers",
      "timeout",
      "type",
      "url",
    ]);
    const unknown = {
      url: ["https://$", "{{env.HOST}}/"].join(""),
      headers: { A: ["$", "{{secrets.OK}}"].join(""), B: ["$", "{{nope}}"].join("") },
    };
    const variables = await (await call("PUT", `${BASE}/bad`, { json: unknown })).json<{
      issues: { path: string }[];
    }>();
    expect(variables.issues.map((issue) => issue.path)).toEqual(["url", "headers.B"]);
  });

  it("are tried out: what a real server has, or why it cannot be reached", async () => {
    await call("PUT", `${BASE}/everything`, { json: { url: await realServer("everything") } });
    const tried = await (await call("POST", `${BASE}/everything/test`)).json<Tried>();
    expect(tried).toMatchObject({ reachable: true, era: "legacy", server: { name: expect.any(String) } });
    expect(tried.tools.map((tool) => tool.name)).toContain("echo");

    await call("PUT", `${BASE}/nobody`, { json: { url: "http://127.0.0.1:9/mcp", connect_timeout: 2 } });
    expect(await (await call("POST", `${BASE}/nobody/test`)).json()).toMatchObject({
      reachable: false,
      tools: [],
      error: expect.any(String),
    });
    await call("PUT", `${BASE}/secretive`, {
      json: { url: "https://mcp.example.com/", headers: { A: ["$", "{{secrets.NONE}}"].join("") } },
    });
    expect(await (await call("POST", `${BASE}/secretive/test`)).json()).toMatchObject({
      reachable: false,
      error: "the secret 'NONE' was not found",
    });
    expect((await call("POST", `${BASE}/missing/test`)).status).toBe(404);
  });
});
