import { describe, expect, it } from "vitest";
import {
  answeredId,
  calledTools,
  hasMethod,
  readRpcBody,
  requestIds,
  withoutTools,
} from "../../../src/domain/servers/rpc-message";

describe("a posted body", () => {
  it("returns the ids of its requests, not those of responses and notifications", () => {
    const batch = [
      { jsonrpc: "2.0", id: 1, method: "ping" },
      { jsonrpc: "2.0", id: "two", method: "tools/call", params: { name: "echo" } },
      { jsonrpc: "2.0", id: 3, result: {} },
      { jsonrpc: "2.0", method: "notifications/initialized" },
      "nonsense",
      { id: { not: "an id" }, method: 5, params: [] },
    ];
    const posted = readRpcBody(JSON.stringify(batch));
    expect(requestIds(posted)).toEqual([1, "two"]);
    expect(calledTools(posted)).toEqual(["echo"]);
    expect([hasMethod(posted, "ping"), hasMethod(posted, "initialize")]).toEqual([true, false]);
  });

  it("may be no JSON at all", () => {
    const posted = readRpcBody("{");
    expect([posted.value, requestIds(posted), calledTools(posted)]).toEqual([undefined, [], []]);
    expect(requestIds(readRpcBody("null"))).toEqual([]);
  });

  it("calls a tool without a name, if it names none", () => {
    expect(calledTools(readRpcBody('{"id":1,"method":"tools/call"}'))).toEqual([""]);
    expect(calledTools(readRpcBody('{"id":1,"method":"tools/call","params":{"name":7}}'))).toEqual([""]);
  });
});

it("a response is distinguished from a request with an id", () => {
  expect(answeredId({ id: 1, result: {} })).toBe(1);
  expect(answeredId({ id: "a", error: {} })).toBe("a");
  expect(answeredId({ id: 1, method: "sampling/createMessage" })).toBeNull();
  expect(answeredId({ id: null, error: {} })).toBeNull();
  expect(answeredId("text")).toBeNull();
});

it("a list of tools loses those that may not be seen, and nothing else", () => {
  const list = (...names: string[]) => ({
    jsonrpc: "2.0",
    id: 1,
    result: {
      tools: names.map((name) => ({ name, inputSchema: { type: "object" }, more: [1] })),
      nextCursor: "x",
      ttlMs: 0,
    },
  });
  const isAllowed = (tool: string) => tool !== "b";
  expect(withoutTools(list("a", "b", "c"), isAllowed)).toEqual(list("a", "c"));
  expect(withoutTools([list("b"), { id: 2, result: {} }], isAllowed)).toEqual([list(), { id: 2, result: {} }]);
  const nameless = { result: { tools: [{ name: "a" }, {}, null, "b", { name: 1 }, { name: "b" }] } };
  expect(withoutTools(nameless, isAllowed)).toEqual({ result: { tools: [{ name: "a" }] } });
  const other = { id: 1, result: { content: [{ name: "b" }] } };
  expect(withoutTools(other, isAllowed)).toBe(other);
});
