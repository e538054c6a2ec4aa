// `npm run try:otel`: the gateway of `npm start` sends traces of a chat, a turn and tool calls to two receivers on this machine. The first
// reads them with the protobuf classes of OpenTelemetry's own package, and compares what they write with what arrived. The second is the
// telemetry server of Genkit: its own API must return the spans with their names, parents and attributes.
// usage: npm run try:otel

import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { strToU8, zipSync } from "fflate";
import { prepareAssets } from "./build/static.mjs";
import { root } from "./kit/files.mjs";
import { readOptions } from "./kit/options.mjs";
import { fail, Refusal, say } from "./kit/refusal.mjs";
import { startTemporaryGateway } from "./kit/temporary-gateway.mjs";
import { startTraceServer } from "./kit/trace-server.mjs";
import { installTrials } from "./kit/trials.mjs";

const folder = path.join(root, "test", "trials", "otel");
const USER = "visitor";
/** Attempts to see the expected spans, 250 ms apart. */
const ATTEMPTS = 80;
const EXPECTED = [
  "chat demo",
  "execute_tool find_skill",
  "execute_tool load_skill",
  "execute_tool load_skill trial-skill",
  "invoke_agent",
  "invoke_agent",
];

/** Names of fields with ids, which OTLP writes as hex and protobuf's JSON as base64. */
const IDS = ["traceId", "spanId", "parentSpanId"];

function withIds(value, convert) {
  if (Array.isArray(value)) return value.map((one) => withIds(one, convert));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, IDS.includes(name) ? convert(one) : withIds(one, convert)]),
  );
}

/** Returns what protobuf stores of a request, in OTLP's JSON. Equal to the request exactly if it has no unknown field and no wrong type. */
function throughProtobuf(Request, body) {
  const inBase64 = withIds(body, (hex) => Buffer.from(hex, "hex").toString("base64"));
  const bytes = Request.encode(Request.fromObject(inBase64)).finish();
  const read = Request.toObject(Request.decode(bytes), { longs: String, bytes: String });
  return { bytes: bytes.length, body: withIds(read, (base64) => Buffer.from(base64, "base64").toString("hex")) };
}

async function openReceiver(Request) {
  const received = { names: [], bytes: 0, problems: [] };
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = JSON.parse(Buffer.concat(chunks).toString());
    // The last version of the package with these classes does not have the field `flags`, which OTLP 1.1 added.
    for (const { scopeSpans } of body.resourceSpans)
      for (const { spans } of scopeSpans) for (const span of spans) delete span.flags;
    const stored = throughProtobuf(Request, body);
    received.bytes += stored.bytes;
    if (!isDeepStrictEqual(stored.body, body)) received.problems.push({ sent: body, stored: stored.body });
    for (const { scopeSpans } of body.resourceSpans)
      for (const { spans } of scopeSpans) received.names.push(...spans.map(({ name }) => name));
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { received, url: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}

async function main() {
  readOptions("Use: npm run try:otel", {});
  await installTrials(folder, "180 MB, half a minute");
  await prepareAssets();
  await tryProtobuf();
  await tryTraceServer();
}

async function tryProtobuf() {
  const require = createRequire(path.join(folder, "package.json"));
  const generated = require("@opentelemetry/otlp-transformer/build/src/generated/root.js");
  const Request = generated.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
  const { received, url, close } = await openReceiver(Request);
  try {
    await converse(url, () => received.names);
    if (received.problems.length > 0)
      throw new Refusal(`Protobuf stores something else: ${JSON.stringify(received.problems[0])}`);
    say(`✔ ${received.names.length} spans, ${received.bytes} bytes in protobuf, all equal to what was sent:`);
    for (const name of received.names.sort()) say(`    ${name}`);
  } finally {
    close();
  }
}

async function tryTraceServer() {
  const files = await mkdtemp(path.join(os.tmpdir(), "traces-"));
  const server = await startTraceServer(folder, files);
  try {
    await converse(server.endpoint, async () => (await server.spans()).map(({ displayName }) => displayName));
    const spans = await server.spans();
    const wrong = problemsOf(spans);
    if (wrong.length > 0) throw new Refusal(`The telemetry server has other spans:\n${wrong.join("\n")}`);
    say(`✔ The telemetry server of Genkit returns ${spans.length} spans with their names, parents and attributes.`);
  } finally {
    server.stop();
    await rm(files, { recursive: true, force: true });
  }
}

/** Sends a chat, a turn and tool calls to a gateway whose traces go to `endpoint`, until `namesOf` contains all spans. */
async function converse(endpoint, namesOf) {
  const place = await mkdtemp(path.join(os.tmpdir(), "otel-"));
  const vars = path.join(place, "dev.vars");
  const key = "sgw_admin_key_of_a_trial_of_traces_only";
  const settings = {
    GATEWAY_ADMIN_KEY: key,
    LOG_REQUESTS: "false",
    MCP_REGISTRY_URL: "off",
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
  };
  const lines = Object.entries(settings).map((pair) => `${pair.join("=")}\n`);
  await writeFile(vars, lines.join(""));
  const gateway = await startTemporaryGateway(() => {}, ["--vars", vars]);
  try {
    const post = async (route, body) => {
      const isForm = body instanceof FormData;
      const type = isForm ? {} : { "content-type": "application/json" };
      const headers = { authorization: `Bearer ${key}`, "on-behalf-of": USER, ...type };
      const sent = isForm ? body : JSON.stringify(body);
      const answer = await fetch(new URL(route, gateway.url), { method: "POST", headers, body: sent });
      if (!answer.ok) throw new Refusal(`${route} returned ${answer.status}: ${await answer.text()}`);
      await answer.text();
    };
    await post("/api/v1/kinds/skills/upload", skillForm());
    await post("/openai/v1/chat/completions", { model: "demo", messages: [{ role: "user", content: "Hello" }] });
    await post("/api/v1/conversations/trial/turns", { conversation: {} });
    const calls = [
      { id: "1", name: "load_skill", arguments: { skill_name: "no-such-skill" } },
      { id: "2", name: "find_skill", arguments: { query: "reports" } },
      { id: "3", name: "load_skill", arguments: { skill_name: "trial-skill" } },
    ];
    await post("/api/v1/conversations/trial/tool-calls", { calls, format: "mcp" });
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const rest = [...EXPECTED];
      for (const name of await namesOf()) if (rest.includes(name)) rest.splice(rest.indexOf(name), 1);
      if (rest.length === 0) return;
      await new Promise((done) => setTimeout(done, 250));
    }
    throw new Refusal(`Not all spans arrived: ${[...(await namesOf())].sort().join(", ")}.`);
  } finally {
    await gateway.stop();
    await rm(place, { recursive: true, force: true });
  }
}

function skillForm() {
  const text = "---\nname: trial-skill\ndescription: Write reports.\nversion: 1.2.3\n---\n\nWrite a report.\n";
  const form = new FormData();
  form.set("file", new Blob([zipSync({ "trial-skill/SKILL.md": strToU8(text) })]), "trial-skill.zip");
  return form;
}

/** Returns what the stored spans lack of the GenAI conventions. Numbers of 64 bits are texts in OTLP's JSON. */
function problemsOf(spans) {
  const problems = [];
  const span = (name, attributes) => {
    const isThis = (one) =>
      one.displayName === name &&
      Object.entries(attributes).every(([key, value]) => isDeepStrictEqual(one.attributes[key], value));
    const found = spans.find(isThis);
    const seen = spans.filter(({ displayName }) => displayName === name);
    if (found === undefined) problems.push(`no ${name} with ${JSON.stringify(attributes)}: ${JSON.stringify(seen)}`);
    return found;
  };
  const isChild = (child, parent, what) => {
    if (child?.parentSpanId !== parent?.spanId || child?.traceId !== parent?.traceId)
      problems.push(`${what}: ${JSON.stringify([child, parent])}`);
  };
  const chat = span("chat demo", {
    "gen_ai.operation.name": "chat",
    "gen_ai.request.model": "demo",
    "gen_ai.provider.name": "openai",
    "gen_ai.response.finish_reasons": ["stop"],
  });
  if (!(Number(chat?.attributes["gen_ai.usage.input_tokens"]) > 0))
    problems.push(`chat demo has no tokens: ${JSON.stringify(chat)}`);
  isChild(chat, span("invoke_agent", { "gen_ai.request.model": "demo" }), "the chat is not part of its answer");
  const turn = span("invoke_agent", { "gen_ai.conversation.id": "trial", "skill_gateway.turn": "1" });
  const tool = { "gen_ai.operation.name": "execute_tool", "gen_ai.conversation.id": "trial" };
  const skill = { "gen_ai.skill.name": "trial-skill", "gen_ai.skill.version": "1.2.3" };
  for (const [name, attributes] of [
    ["execute_tool find_skill", { ...tool, "gen_ai.tool.name": "find_skill", "gen_ai.tool.call.id": "2" }],
    ["execute_tool load_skill", { ...tool, "error.type": "tool_error", "gen_ai.tool.call.id": "1" }],
    ["execute_tool load_skill trial-skill", { ...tool, ...skill, "gen_ai.tool.call.id": "3" }],
  ])
    isChild(span(name, attributes), turn, `${name} is not part of its turn`);
  const isTold = JSON.stringify(spans).includes("Write a report");
  if (isTold) problems.push("The instructions of the skill are in the traces.");
  return problems;
}

main().catch(fail);
