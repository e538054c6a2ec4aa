// `npm run try:otel`: the gateway of `npm start` sends traces of a chat, a turn and tool calls to a receiver on this machine. The receiver
// reads them with the protobuf classes of OpenTelemetry's own package, and compares what they write with what arrived. It is not a
// collector: none can be installed from npm or Debian.
// usage: npm run try:otel

import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { prepareAssets } from "./build/static.mjs";
import { root } from "./kit/files.mjs";
import { readOptions } from "./kit/options.mjs";
import { fail, Refusal, say } from "./kit/refusal.mjs";
import { startTemporaryGateway } from "./kit/temporary-gateway.mjs";
import { installTrials } from "./kit/trials.mjs";

const folder = path.join(root, "test", "trials", "otel");
const USER = "visitor";
/** Attempts to see the expected spans, 250 ms apart. */
const ATTEMPTS = 80;
const EXPECTED = ["chat demo", "execute_tool find_skill", "execute_tool load_skill", "invoke_agent", "invoke_agent"];

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
  return { ...received, received, url: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}

async function main() {
  readOptions("Use: npm run try:otel", {});
  await installTrials(folder, "34 MB, a few seconds");
  await prepareAssets();
  const require = createRequire(path.join(folder, "package.json"));
  const generated = require("@opentelemetry/otlp-transformer/build/src/generated/root.js");
  const Request = generated.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
  const { received, url, close } = await openReceiver(Request);
  const place = await mkdtemp(path.join(os.tmpdir(), "otel-"));
  const vars = path.join(place, "dev.vars");
  const key = "sgw_admin_key_of_a_trial_of_traces_only";
  const settings = {
    GATEWAY_ADMIN_KEY: key,
    LOG_REQUESTS: "false",
    MCP_REGISTRY_URL: "off",
    OTEL_EXPORTER_OTLP_ENDPOINT: url,
  };
  await writeFile(
    vars,
    Object.entries(settings)
      .map((pair) => `${pair.join("=")}\n`)
      .join(""),
  );
  const gateway = await startTemporaryGateway(() => {}, ["--vars", vars]);
  try {
    const post = async (route, body) => {
      const headers = { authorization: `Bearer ${key}`, "on-behalf-of": USER, "content-type": "application/json" };
      const answer = await fetch(new URL(route, gateway.url), { method: "POST", headers, body: JSON.stringify(body) });
      if (!answer.ok) throw new Refusal(`${route} returned ${answer.status}: ${await answer.text()}`);
      await answer.text();
    };
    await post("/openai/v1/chat/completions", { model: "demo", messages: [{ role: "user", content: "Hello" }] });
    await post("/api/v1/conversations/trial/turns", { conversation: {} });
    const calls = [
      { id: "1", name: "load_skill", arguments: { skill_name: "no-such-skill" } },
      { id: "2", name: "find_skill", arguments: { query: "reports" } },
    ];
    await post("/api/v1/conversations/trial/tool-calls", { calls, format: "mcp" });
    const isHere = () => EXPECTED.every((name) => received.names.some((one) => one.startsWith(name)));
    for (let attempt = 0; attempt < ATTEMPTS && !isHere(); attempt++)
      await new Promise((done) => setTimeout(done, 250));
    if (!isHere()) throw new Refusal(`Not all spans arrived: ${received.names.sort().join(", ")}.`);
    if (received.problems.length > 0)
      throw new Refusal(`Protobuf stores something else: ${JSON.stringify(received.problems[0])}`);
    say(`✔ ${received.names.length} spans, ${received.bytes} bytes in protobuf, all equal to what was sent:`);
    for (const name of received.names.sort()) say(`    ${name}`);
  } finally {
    await gateway.stop();
    await rm(place, { recursive: true, force: true });
    close();
  }
}

main().catch(fail);
