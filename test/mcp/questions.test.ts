// What an upstream server asks during a call that a host made: the host is asked, if it said that it can be, and nobody else.

import { beforeEach, describe, expect, it } from "vitest";
import { type Era, post } from "../support/mcp-client";
import { messages } from "../support/proxy";
import { gatewayServers } from "../support/servers";
import { faults, forget, seen } from "../support/upstream";

const ERAS: Era[] = ["legacy", "modern"];
const ALL = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };
const FORM = {
  method: "elicitation/create",
  params: { message: "Where to?", requestedSchema: { type: "object", properties: { city: { type: "string" } } } },
};
const CITY = { action: "accept", content: { city: "Ulm" } } as const;

beforeEach(async () => {
  await forget();
  await gatewayServers(Object.fromEntries(ERAS.map((era) => [era, { url: `${faults}/asking-${era}/none` }])));
});

const callsOf = async (era: Era) =>
  (await seen(`/asking-${era}/none`)).filter(({ method }) => method === "tools/call").length;

const META = (clientCapabilities: object) => ({
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": clientCapabilities,
  "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
});

interface Required {
  resultType: string;
  inputRequests: Record<string, { method: string; params: { message: string } }>;
  requestState: string;
  content: { text: string }[];
}

/** A call of a host of 2026, as it is on the wire. */
async function send(user: string, server: Era, rounds: object[], more: object = {}) {
  const params = { name: `${server}__ask`, arguments: { rounds }, _meta: META(ALL), ...more };
  const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": params.name };
  const [answer] = (
    await messages(await post("/mcp/wire", user, { jsonrpc: "2.0", id: 1, method: "tools/call", params }, headers))
  ).slice(-1);
  return answer as unknown as { result: Required; error?: { code: number } };
}

describe("input_required", () => {
  it("carries the server's own keys, asks again for what is missing, and takes no state but its own", async () => {
    const user = "wire";
    const rounds = [{ a: FORM, b: FORM }];
    const { result } = await send(user, "modern", rounds);
    expect(result.resultType).toBe("input_required");
    expect(Object.keys(result.inputRequests)).toEqual(["a", "b"]);
    const { requestState } = result;
    const half = await send(user, "modern", rounds, { requestState, inputResponses: { a: CITY } });
    expect(Object.keys(half.result.inputRequests)).toEqual(["b"]);
    const other = { requestState: `${requestState.slice(0, -1)}0`, inputResponses: { b: CITY } };
    expect((await send(user, "modern", rounds, other)).error?.code).toBe(-32602);
    const changed = { requestState, inputResponses: { b: CITY } };
    expect((await send(user, "modern", [{ a: FORM }], changed)).error?.code).toBe(-32602);
    expect((await send("mallory-of-the-wire", "modern", rounds, changed)).error?.code).toBe(-32602);
    const done = await send(user, "modern", rounds, changed);
    expect(JSON.parse(done.result.content[0]!.text)).toEqual([{ a: CITY, b: CITY }]);
    expect(await callsOf("modern")).toBe(2);
    // The same answer again is answered alike, and nothing is called.
    const again = await send(user, "modern", rounds, changed);
    expect(JSON.parse(again.result.content[0]!.text)).toEqual([{ a: CITY, b: CITY }]);
    expect(await callsOf("modern")).toBe(2);
  });
});
