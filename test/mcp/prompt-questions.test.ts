// Questions of a server before it returns a prompt: only the host that requested the prompt receives them, as for a tool call.

import type { Client } from "@modelcontextprotocol/client";
import { beforeEach, describe, expect, it } from "vitest";
import { ROUND_LIMITS } from "../../src/domain/servers/round";
import { call } from "../support/call";
import { evict } from "../support/clock";
import { type Era, host, post } from "../support/mcp-client";
import { Page } from "../support/page";
import { messages } from "../support/proxy";
import { gatewayServers } from "../support/servers";
import { faults, forget, seen } from "../support/upstream";

const ERAS: Era[] = ["legacy", "modern"];
const PAIRS = ERAS.flatMap((one) => ERAS.map((other): [Era, Era] => [one, other]));
const ALL = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };
const FORM = {
  method: "elicitation/create",
  params: { message: "Where to?", requestedSchema: { type: "object", properties: { city: { type: "string" } } } },
};
const ROOTS = { method: "roots/list" };
const CITY = { action: "accept", content: { city: "Ulm" } } as const;

beforeEach(async () => {
  await forget();
  await gatewayServers(Object.fromEntries(ERAS.map((era) => [era, { url: `${faults}/asking-${era}/none` }])));
});

const getsOf = async (era: Era) =>
  (await seen(`/asking-${era}/none`)).filter(({ method }) => method === "prompts/get").length;

/** Servers connect with the first list, which waits only briefly for them. */
async function listed(client: Client): Promise<void> {
  const names = async () => (await client.listPrompts()).prompts.map(({ name }) => name);
  await expect.poll(names, { timeout: 20_000 }).toEqual(expect.arrayContaining(ERAS.map((era) => `${era}__ask`)));
}

/** Connects a host with these capabilities and records the questions that it receives. */
async function asked(path: string, user: string, era: Era, capabilities: object) {
  const heard: string[] = [];
  const client = await host(path, user, era, { capabilities });
  await listed(client);
  if ("elicitation" in capabilities)
    client.setRequestHandler("elicitation/create", async ({ params }) => {
      heard.push(params.message);
      return CITY;
    });
  if ("roots" in capabilities)
    client.setRequestHandler("roots/list", async () => ({ roots: [{ uri: "file:///home" }] }));
  return { client, heard };
}

async function textOf(client: Client, server: Era, ...rounds: object[]): Promise<string> {
  const { messages: said } = await client.getPrompt({
    name: `${server}__ask`,
    arguments: { rounds: JSON.stringify(rounds) },
  });
  return said.map(({ content }) => (content.type === "text" ? content.text : "")).join("\n");
}

const refusal = (work: Promise<unknown>) =>
  work.then(
    () => "nothing",
    (error: Error) => error.message,
  );

describe.each(PAIRS)("a host of the %s era and a prompt of a server of the %s era", (era, server) => {
  it("pass on questions and answers, round by round", async () => {
    const { client, heard } = await asked("/mcp/passed", `p-passed-${era}-${server}`, era, ALL);
    const text = await textOf(client, server, { where: FORM }, { there: ROOTS });
    expect(JSON.parse(text)).toEqual([
      { where: CITY },
      { there: expect.objectContaining({ roots: [{ uri: "file:///home" }] }) },
    ]);
    expect(heard).toEqual([`${server} (${new URL(faults).host}): Where to?`]);
    await client.close();
  });

  it("are sent to a page if the host does not support them", async () => {
    const user = `p-page-${era}-${server}`;
    const { client } = await asked("/mcp/page", user, era, {});
    const page = await Page.greeted("page", { as: user });
    const got = textOf(client, server, { where: FORM });
    const { request_id } = await page.next("skill:request");
    page.answer(request_id, { success: true, result: CITY });
    expect(JSON.parse(await got)).toEqual([{ where: CITY }]);
    await client.close();
  });

  it("return instructions if no user can be asked, and nothing waits", async () => {
    const { client } = await asked("/mcp/alone", `p-alone-${era}-${server}`, era, {});
    expect(await refusal(textOf(client, server, { where: FORM }))).toContain(
      "no connected page or host answers 'form'",
    );
    expect(await refusal(textOf(client, server, { there: ROOTS }))).toContain("Use an MCP host that declares 'roots'.");
    expect(JSON.parse(await textOf(client, server))).toEqual([]);
    await client.close();
  });

  it("ask the host about no credential", async () => {
    const { client, heard } = await asked("/mcp/secret", `p-secret-${era}-${server}`, era, ALL);
    const properties = { password: { type: "string" } };
    const params = { message: "?", requestedSchema: { type: "object", properties } };
    const who = { method: "elicitation/create", params };
    expect(await refusal(textOf(client, server, { who }))).toContain("asks for a credential");
    expect(heard).toEqual([]);
    await client.close();
  });
});

interface Answer {
  result: {
    resultType: string;
    inputRequests: Record<string, object>;
    requestState: string;
    messages: { content: { text: string } }[];
  };
  error?: { code: number; message: string };
}

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": ALL,
  "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
};

/** A request as a 2026 host sends it. */
async function send(path: string, user: string, method: string, params: { name: string }): Promise<Answer> {
  const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": method, "mcp-name": params.name };
  const body = { jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: META } };
  const [answer] = (await messages(await post(path, user, body, headers))).slice(-1);
  return answer as unknown as Answer;
}

/** Starts a user's conversation with connected servers. Returns it with a function that requests the prompt. */
async function wired(user: string, id = "wire") {
  const client = await host(`/mcp/${id}`, user, "modern", { capabilities: ALL });
  await listed(client);
  await client.close();
  return (rounds: object[], more: object = {}, server: string = "modern") =>
    send(`/mcp/${id}`, user, "prompts/get", {
      name: `${server}__ask`,
      ...{ arguments: { rounds: JSON.stringify(rounds) } },
      ...more,
    });
}

const told = ({ result }: Answer) => JSON.parse(result.messages[0]!.content.text);
const refused = ({ error }: Answer) => [error?.code, error?.message];
const STRANGE = [-32602, expect.stringContaining("No call of this conversation waits for these answers")];

describe("input_required of a prompt", () => {
  it("contains the server's own keys, asks again for missing answers, and ends with its result", async () => {
    const get = await wired("p-keys");
    const rounds = [{ a: FORM, b: FORM }];
    const { result } = await get(rounds);
    expect([result.resultType, Object.keys(result.inputRequests)]).toEqual(["input_required", ["a", "b"]]);
    const { requestState } = result;
    const half = await get(rounds, { requestState, inputResponses: { a: CITY } });
    expect(Object.keys(half.result.inputRequests)).toEqual(["b"]);
    const crooked = await get(rounds, { requestState, inputResponses: { b: "Ulm" } });
    expect(Object.keys(crooked.result.inputRequests)).toEqual(["b"]);
    expect(await getsOf("modern")).toBe(1);
    const whole = { requestState, inputResponses: { b: CITY } };
    expect(told(await get(rounds, whole))).toEqual([{ a: CITY, b: CITY }]);
    expect(refused(await get(rounds, whole))).toEqual(STRANGE);
    expect(await getsOf("modern")).toBe(2);
  });

  it("accepts only its own state: no changed one, none of another user, server or tool, and tools do not accept a prompt's", async () => {
    const get = await wired("p-own");
    await wired("p-own", "other");
    await wired("p-mallory");
    const rounds = [{ a: FORM }];
    const { requestState } = (await get(rounds)).result;
    const answer = { requestState, inputResponses: { a: CITY } };
    const forged = [requestState.replace(/.(?=\.)/, (last) => (last === "0" ? "1" : "0")), `${requestState}x`, "1"];
    for (const state of forged) expect(refused(await get(rounds, { ...answer, requestState: state }))[0]).toBe(-32602);
    expect(refused(await get([{ b: FORM }], answer))).toEqual(STRANGE);
    expect(refused(await get(rounds, answer, "legacy"))).toEqual(STRANGE);
    const asPrompt = { name: "modern__ask", arguments: { rounds: JSON.stringify(rounds) }, ...answer };
    expect(refused(await send("/mcp/wire", "p-mallory", "prompts/get", asPrompt))).toEqual(STRANGE);
    expect(refused(await send("/mcp/other", "p-own", "prompts/get", asPrompt))).toEqual(STRANGE);
    expect(refused(await send("/mcp/wire", "p-own", "tools/call", asPrompt))).toEqual(STRANGE);
    const called = await send("/mcp/wire", "p-own", "tools/call", { ...asPrompt, requestState: undefined } as never);
    const ofTool = { ...answer, requestState: called.result.requestState };
    expect(called.result.resultType).toBe("input_required");
    expect(refused(await get(rounds, ofTool))).toEqual(STRANGE);
    // These attempts do not affect the host that was asked.
    expect(told(await get(rounds, answer))).toEqual([{ a: CITY }]);
    expect(await getsOf("modern")).toBe(2);
  });

  it("continues after an eviction, at the same server only", async () => {
    const user = "p-evicted";
    const get = await wired(user);
    const rounds = [{ a: FORM }];
    const answerTo = ({ result }: Answer) => ({ requestState: result.requestState, inputResponses: { a: CITY } });
    const first = answerTo(await get(rounds));
    await evict("wire", "close", user);
    expect(told(await get(rounds, first))).toEqual([{ a: CITY }]);
    expect(await getsOf("modern")).toBe(2);
    const second = answerTo(await get(rounds));
    await evict("wire", "close", user);
    const url = `${faults}/asking-modern/other`;
    expect((await call("PUT", "/api/v1/mcp-servers/modern", { json: { url } })).status).toBe(200);
    await wired(user);
    expect(refused(await get(rounds, second))).toEqual(STRANGE);
    const others = (await seen("/asking-modern/other")).filter(({ method }) => method === "prompts/get");
    expect(others).toEqual([]);
  });

  it("accepts an answer only in its round", async () => {
    const get = await wired("p-rounds");
    const rounds = [{ a: FORM }, { a: FORM }];
    const { requestState: first } = (await get(rounds)).result;
    const ulm = { requestState: first, inputResponses: { a: CITY } };
    const { requestState: second } = (await get(rounds, ulm)).result;
    expect(second).not.toBe(first);
    expect((await get(rounds, ulm)).result).toMatchObject({ resultType: "input_required", requestState: second });
    const declined = { requestState: second, inputResponses: { a: { action: "decline" } } };
    expect(told(await get(rounds, declined))).toEqual([{ a: CITY }, { a: { action: "decline" } }]);
  });

  it("is bounded: rounds, questions at once, and their size", async () => {
    const get = await wired("p-bounds");
    const roots = Object.fromEntries(
      Array.from({ length: ROUND_LIMITS.questions + 1 }, (_, index) => [`q${index}`, ROOTS]),
    );
    expect((await get([roots])).error?.message).toContain("it asks too much at once");
    const long = { a: { ...FORM, params: { ...FORM.params, message: "x".repeat(ROUND_LIMITS.bytes) } } };
    expect((await get([long])).error?.message).toContain("what it asks is too large");
    const rounds = Array.from({ length: ROUND_LIMITS.rounds + 1 }, () => ({ a: ROOTS }));
    let answer = await get(rounds);
    for (let round = 1; round <= ROUND_LIMITS.rounds; round++) {
      expect(answer.result.resultType).toBe("input_required");
      const inputResponses = { a: { roots: [] } };
      answer = await get(rounds, { requestState: answer.result.requestState, inputResponses });
    }
    expect(answer.error?.message).toContain("it asks too often");
  });
});
