// Traces of the built gateway, as a collector receives them: a chat, turns and tool calls of a back end, an MCP host, and other systems.

import { afterAll, beforeAll, expect, it } from "vitest";
import { Harness, KEY } from "../support/harness";
import { Collector, type ReceivedSpan } from "../support/otlp";
import { startFaults } from "../support/upstream-server/faults";
import { startVendor, type Vendor } from "../support/vendors/server";

const SECRET = "Basic c2VjcmV0LW9mLXRoZS1jb2xsZWN0b3I=";
const WORD = "swordfish";
const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const SPAN = "00f067aa0ba902b7";
const PARENT = `00-${TRACE}-${SPAN}-01`;

let collector: Collector;
let vendor: Vendor;
let servers: Awaited<ReturnType<typeof startFaults>>;
let gateway: Harness;
let skill: { id: string; version_id: string };

beforeAll(async () => {
  [collector, vendor, servers] = await Promise.all([new Collector().start(), startVendor(), startFaults()]);
  gateway = new Harness({
    MODEL_HOSTS: vendor.url,
    OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`,
    OTEL_EXPORTER_OTLP_HEADERS: `authorization=${encodeURIComponent(SECRET)},x-team=blue`,
    OTEL_BSP_SCHEDULE_DELAY: "100",
    OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test",
  });
  await gateway.start();
  const body = `Sign every report.\n\n${"Watch the harbour well. ".repeat(300)}`;
  skill = await gateway.publish({ name: "harbour", description: "Writes reports.", version: "1.2.0", body });
  const entry = { api: ["openai-chat"], base_url: `${vendor.url}/v1`, model: "gpt-6-sol", scope: "gateway" };
  await gateway.send("PUT", "/api/v1/models/sol", entry);
  await gateway.send("PUT", "/api/v1/servers/echoes", { url: `${servers.url}/scripted/echoes` }, "ann");
});
afterAll(async () => {
  await gateway.close();
  await Promise.all([collector.close(), vendor.close()]);
  servers.close();
  // No span of any test broke the definitions, and none contained what users or models wrote.
  expect(collector.problems).toEqual([]);
  const everything = collector.requests.map(({ text }) => text).join("\n");
  for (const private_ of [WORD, "Sign every report", "Said in step", SECRET, KEY, '"ann"'])
    expect(everything).not.toContain(private_);
});

const post = (route: string, body: object, headers: Record<string, string> = {}) =>
  fetch(`${gateway.url}${route}`, {
    method: "POST",
    headers: { authorization: `Bearer ${KEY}`, "on-behalf-of": "ann", "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });

const of = (conversation: string) => (span: ReceivedSpan) => span.attributes["gen_ai.conversation.id"] === conversation;
const byName = (spans: ReceivedSpan[]) => Object.fromEntries(spans.map((span) => [span.name, span]));
const call = (id: string, name: string, args: object) => ({ id, name, arguments: args });

it("shows a chat as an agent with its model requests and tool calls", async () => {
  vendor.plan.push([{ name: "load_skill", input: { skill_name: "harbour" } }]);
  const messages = [{ role: "user", content: `Report on ${WORD}.` }];
  const answer = await post(
    "/openai/v1/chat/completions",
    { model: "sol", messages },
    { "x-conversation-id": "chat-1" },
  );
  expect(answer.status).toBe(200);
  const spans = await collector.wait(4, of("chat-1"));
  expect(spans.map(({ name }) => name).sort()).toEqual([
    ...["chat gpt-6-sol", "chat gpt-6-sol", "execute_tool load_skill harbour", "invoke_agent"],
  ]);
  const [agent] = spans.filter(({ name }) => name === "invoke_agent");
  const inside = spans.filter((span) => span !== agent);
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
  expect(agent?.parentSpanId).toBeUndefined();
  expect(inside.map(({ parentSpanId }) => parentSpanId)).toEqual(inside.map(() => agent?.spanId));
  const [model] = inside.filter(({ name }) => name.startsWith("chat"));
  expect(model).toMatchObject({
    kind: 3,
    status: { code: 0 },
    attributes: {
      ...{ "gen_ai.operation.name": "chat", "gen_ai.provider.name": "openai", "gen_ai.request.model": "gpt-6-sol" },
      ...{ "session.id": "chat-1", "gen_ai.request.stream": false },
      "gen_ai.usage.input_tokens": expect.any(Number),
      "gen_ai.usage.output_tokens": expect.any(Number),
      "gen_ai.usage.cache_read.input_tokens": expect.any(Number),
      "gen_ai.response.finish_reasons": [expect.stringMatching(/^(stop|tool_call)$/)],
      "user.id": expect.stringMatching(/^[0-9a-f]{32}$/),
    },
    resource: {
      ...{ "service.name": "skill-gateway", "deployment.environment.name": "test" },
    },
  });
  expect(byName(spans)["execute_tool load_skill harbour"]).toMatchObject({
    kind: 1,
    attributes: {
      ...{ "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "load_skill", "gen_ai.tool.type": "function" },
      ...{ "gen_ai.skill.name": "harbour", "gen_ai.skill.version": "1.2.0", "gen_ai.tool.call.id": expect.any(String) },
      "gen_ai.skill.source.uri": `${gateway.url}/api/v1/kinds/skills/${skill.id}/versions/${skill.version_id}/files/SKILL.md`,
    },
  });
  const sent = vendor.headers.map(({ traceparent }) => traceparent);
  expect(sent.slice(-2)).toEqual(
    inside.filter(({ name }) => name.startsWith("chat")).map(({ traceId, spanId }) => `00-${traceId}-${spanId}-01`),
  );
});

it("sends the collector's headers, to its path only", async () => {
  expect(collector.requests.length).toBeGreaterThan(0);
  expect(collector.requests.map(({ path, headers }) => [path, headers.authorization, headers["x-team"]])).toEqual(
    collector.requests.map(() => ["/v1/traces", SECRET, "blue"]),
  );
});

it("joins the trace of a caller, and passes it on to the model", async () => {
  const messages = [{ role: "user", content: "Hello" }];
  const headers = { "x-conversation-id": "chat-2", traceparent: PARENT, tracestate: "vendor=x" };
  await post("/openai/v1/chat/completions", { model: "sol", messages }, headers);
  const spans = await collector.wait(2, of("chat-2"));
  const { invoke_agent: agent, "chat gpt-6-sol": model } = byName(spans);
  expect([agent?.traceId, agent?.parentSpanId, agent?.traceState, agent?.flags]).toEqual([
    TRACE,
    SPAN,
    "vendor=x",
    0x301,
  ]);
  expect([model?.traceId, model?.parentSpanId, model?.flags]).toEqual([TRACE, agent?.spanId, 0x101]);
  expect([vendor.headers.at(-1)?.traceparent, vendor.headers.at(-1)?.tracestate]).toEqual([
    `00-${TRACE}-${model?.spanId}-01`,
    "vendor=x",
  ]);
});

it("records nothing of a trace that its caller does not record, but passes it on", async () => {
  const messages = [{ role: "user", content: "Hello" }];
  const headers = { "x-conversation-id": "chat-3", traceparent: `00-${TRACE}-${SPAN}-00` };
  await post("/openai/v1/chat/completions", { model: "sol", messages }, headers);
  expect(vendor.headers.at(-1)?.traceparent).toBe(`00-${TRACE}-${SPAN}-00`);
  await post("/openai/v1/chat/completions", { model: "sol", messages }, { "x-conversation-id": "chat-4" });
  await collector.wait(2, of("chat-4"));
  expect(collector.spans.filter(of("chat-3"))).toEqual([]);
});

it("names the error of a model that fails", async () => {
  const entry = { api: ["openai-chat"], base_url: `${vendor.url}/nowhere`, model: "lost", scope: "gateway" };
  await gateway.send("PUT", "/api/v1/models/lost", entry);
  const messages = [{ role: "user", content: "Hello" }];
  const answer = await post(
    "/openai/v1/chat/completions",
    { model: "lost", messages },
    { "x-conversation-id": "chat-5" },
  );
  expect(answer.status).toBe(404);
  const spans = await collector.wait(2, of("chat-5"));
  expect(spans.map(({ name, status, attributes }) => [name, status.code, attributes["error.type"]]).sort()).toEqual([
    ["chat lost", 2, "model_failed"],
    ["invoke_agent", 2, "model_failed"],
  ]);
});

it("shows the tool calls of a back end below its turn", async () => {
  const turn = await post("/api/v1/conversations/talk-1/turns", { conversation: {}, format: "openai" });
  expect(turn.status).toBe(200);
  const calls = [
    call("c1", "load_skill", { skill_name: "harbour" }),
    call("c2", "load_skill", { skill_name: WORD }),
    call("c3", "echoes__echo", { text: WORD }),
  ];
  const answer = await post("/api/v1/conversations/talk-1/tool-calls", { calls, format: "mcp" });
  expect(answer.status).toBe(200);
  const spans = await collector.wait(4, of("talk-1"));
  const [agent] = spans.filter(({ name }) => name === "invoke_agent");
  const tools = spans.filter((span) => span !== agent);
  const rows = tools.map(({ name, status, attributes: a }) => [
    name,
    a["gen_ai.tool.call.id"],
    status.code,
    a["error.type"],
  ]);
  expect(rows.sort(([, a], [, b]) => String(a).localeCompare(String(b)))).toEqual([
    ["execute_tool load_skill harbour", "c1", 0, undefined],
    ["execute_tool load_skill", "c2", 2, "tool_error"],
    ["execute_tool echoes__echo", "c3", 0, undefined],
  ]);
  expect(tools.map(({ traceId, parentSpanId }) => [traceId, parentSpanId])).toEqual(
    tools.map(() => [agent?.traceId, agent?.spanId]),
  );
  const { requests } = (await (await fetch(`${servers.url}/seen`)).json()) as {
    requests: { path: string; method: string; headers: Record<string, string>; body: string }[];
  };
  const made = requests.find(({ path, method }) => path === "/scripted/echoes" && method === "tools/call");
  const echo = byName(spans)["execute_tool echoes__echo"];
  const named = `00-${echo?.traceId}-${echo?.spanId}-01`;
  expect([made?.headers.traceparent, JSON.parse(made?.body ?? "{}").params._meta.traceparent]).toEqual([named, named]);
});

it("has the version of the rollout that the conversation uses", async () => {
  const tools = (version: string) => ({ name: "pilot", description: "Steers.", version, body: "Steer." });
  const former = await gateway.publish(tools("1.0.0"));
  const candidate = await gateway.publish(tools("2.0.0"), former.id);
  const route = `/api/v1/kinds/skills/${former.id}`;
  await gateway.send("POST", `${route}/versions/${former.version_id}/activate`);
  const load = async (conversation: string) => {
    await post(`/api/v1/conversations/${conversation}/turns`, { conversation: {}, format: "openai" });
    const calls = [call("c1", "load_skill", { skill_name: "pilot" })];
    await post(`/api/v1/conversations/${conversation}/tool-calls`, { calls, format: "mcp" });
    const spans = byName(await collector.wait(2, of(conversation)));
    const { "gen_ai.skill.version": version, "gen_ai.skill.source.uri": uri } =
      spans["execute_tool load_skill pilot"]?.attributes ?? {};
    return [version, uri];
  };
  const uriOf = ({ version_id }: { version_id: string }) =>
    `${gateway.url}${route}/versions/${version_id}/files/SKILL.md`;
  expect(await load("pilot-1")).toEqual(["1.0.0", uriOf(former)]);
  await gateway.send("PUT", `${route}/rollout`, { candidate: "2.0.0", percent: 100 });
  expect(await load("pilot-2")).toEqual(["2.0.0", uriOf(candidate)]);
  await gateway.send("DELETE", `${route}/rollout`);
  expect(await load("pilot-3")).toEqual(["1.0.0", uriOf(former)]);
});

it("puts the tool calls of an MCP host into the trace of its request, by header or `_meta`", async () => {
  const meta = { traceparent: PARENT };
  const ask = (id: number, params: object, headers: Record<string, string>) =>
    post(
      "/mcp/desk",
      { jsonrpc: "2.0", id, method: "tools/call", params },
      {
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2025-11-25",
        ...headers,
      },
    );
  const params = { name: "read_skill", arguments: { skill_name: "harbour" } };
  await (await ask(1, { ...params, _meta: meta }, {})).text();
  await (await ask(2, params, { traceparent: PARENT.replace(TRACE, "c".repeat(32)) })).text();
  await (await ask(3, params, {})).text();
  const spans = await collector.wait(3, ({ name }) => name.startsWith("execute_tool read_skill"));
  expect(spans.map(({ traceId, parentSpanId }) => [traceId, parentSpanId])).toEqual([
    [TRACE, SPAN],
    ["c".repeat(32), SPAN],
    [expect.stringMatching(/^[0-9a-f]{32}$/), undefined],
  ]);
});
