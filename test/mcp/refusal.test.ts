// Errors of the MCP server: they use the protocol's error codes and never contain internal details.

import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { wholeApp } from "../../src/edges";
import { asProtocolError } from "../../src/mcp/refusal";
import { keyFor } from "../support/call";
import { publishOwn } from "../support/chat-turns";
import { holdClock, pass, releaseClock } from "../support/clock";
import { contextOf } from "../support/context";
import { breakWith, NEVER_WORKS } from "../support/faults";
import { expectLog, logged } from "../support/logs";
import { post } from "../support/mcp-client";
import { messages } from "../support/proxy";

afterEach(() => {
  vi.restoreAllMocks();
  releaseClock();
});

const request = (method: string, params: object = {}) => ({ jsonrpc: "2.0", id: 1, method, params });

describe("an invalid message", () => {
  it.each([
    ["a batch", [request("ping"), request("tools/list")], -32600],
    ["a batch of one", [request("initialize")], -32600],
    ["nothing", null, -32600],
    ["a number", 5, -32600],
    ["no message", {}, -32600],
  ])("is refused: %s", async (_, body, code) => {
    const answer = await post("/mcp", "babbler", JSON.stringify(body));
    expect([answer.status, await answer.json()]).toMatchObject([400, { id: null, error: { code } }]);
  });

  it.each(["GET", "DELETE", "PUT"])("there is no stream to hold and no session to end: %s", async (method) => {
    const key = await keyFor("babbler");
    const headers = { authorization: `Bearer ${key}`, accept: "text/event-stream" };
    const answer = await knock("/mcp", { method, headers });
    expect(answer.status).toBe(405);
    await answer.text();
  });
});

describe("an unexpected error", () => {
  it("is returned without details, and logged with the request's id", async () => {
    expectLog("unexpected_error");
    const context = contextOf("somebody");
    const failing = asProtocolError(context, () => Promise.reject(new TypeError("reading 'secret' of undefined")));
    await expect(failing).rejects.toMatchObject({
      code: -32603,
      message: expect.not.stringContaining("secret"),
      data: { request_id: context.caller.requestId },
    });
    const lines = logged("unexpected_error");
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({
      event: "unexpected_error",
      request_id: context.caller.requestId,
      error: expect.stringContaining("reading 'secret'"),
    });
  });
});

describe("settings of the gateway", () => {
  const ask = async (settings: object, method: string, params: object = {}) => {
    const key = await keyFor("limited");
    const headers = {
      authorization: `Bearer ${key}`,
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
    };
    const body = JSON.stringify(request(method, params));
    const [message] = await messages(await knock("/mcp", { method: "POST", headers, body }, settings));
    return message;
  };

  it("hold at /mcp: the kill switch", async () => {
    await publishOwn(await keyFor("limited"), { name: "switched" });
    const off = { SKILLS_ENABLED: "false" };
    expect(await ask(off, "tools/list")).toMatchObject({ result: { tools: [] } });
    expect(await ask(off, "skills/list")).toMatchObject({ result: { skills: [] } });
    expect(await ask(off, "resources/list")).toMatchObject({ result: { resources: [] } });
    const load = { name: "load_skill", arguments: { skill_name: "switched" } };
    expect(await ask(off, "tools/call", load)).toMatchObject({
      result: { isError: true, content: [{ text: "Error: skills are not enabled" }] },
    });
    const uri = "skill://switched/SKILL.md";
    for (const method of ["skills/get", "resources/read"])
      expect(await ask(off, method, { uri })).toMatchObject({ error: { code: -32602 } });
  });

  it("hold at /mcp: the allow-list", async () => {
    const key = await keyFor("limited");
    for (const name of ["allowed", "other"]) await publishOwn(key, { name, version: "1.0.0" });
    const some = { SKILLS_ALLOWED: "allowed@^1" };
    expect(await ask(some, "skills/list")).toMatchObject({ result: { skills: [{ uri: "skill://allowed/SKILL.md" }] } });
    const other = { uri: "skill://other/SKILL.md" };
    for (const method of ["skills/get", "resources/read"])
      expect(await ask(some, method, other)).toMatchObject({ error: { code: -32602 } });
    expect(await ask({ SKILLS_ALLOWED: "allowed@^2" }, "skills/list")).toMatchObject({ result: { skills: [] } });
  });
});

describe("with D1 down", () => {
  it("a conversation continues with its cached view; the catalog and new conversations do not", async () => {
    expectLog("storage_failed");
    const user = "survivor";
    await publishOwn(await keyFor(user), { name: "sturdy", body: "Keep calm." });
    const load = { name: "load_skill", arguments: { skill_name: "sturdy" } };
    await (await post("/mcp/kept", user, request("tools/call", load))).text();
    holdClock();
    breakWith(NEVER_WORKS);
    // Longer than a caller is cached in normal operation.
    pass(11_000);
    expect((await post("/mcp", user, request("tools/list"))).status).toBe(503);
    const again = { ...load, arguments: { ...load.arguments, reload: true } };
    const [kept] = await messages(await post("/mcp/kept", user, request("tools/call", again)));
    expect(kept?.result?.content[0]?.text).toContain("Keep calm.");
    const [tools] = await messages(await post("/mcp/kept", user, request("tools/list")));
    expect(tools?.result).toMatchObject({
      tools: expect.arrayContaining([expect.objectContaining({ name: "load_skill" })]),
    });
    const [made] = await messages(await post("/mcp/fresh", user, request("tools/list")));
    expect(made?.error).toMatchObject({ code: -32000 });
  });
});

/** The endpoint with other settings. */
async function knock(path: string, init: RequestInit, settings: object = {}): Promise<Response> {
  const execution = createExecutionContext();
  const app = await wholeApp();
  const answer = await app.fetch(new Request(`https://gateway.test${path}`, init), { ...env, ...settings }, execution);
  const body = await answer.arrayBuffer();
  await waitOnExecutionContext(execution);
  return new Response(answer.status === 204 ? null : body, answer);
}
