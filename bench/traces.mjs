// `npm run bench:traces`: a turn with one tool call, with and without exported traces: two gateways of `npm start`, asked alternately, so
// that both see the same machine. usage: npm run bench:traces -- [--turns 400]

import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { startTemporaryGateway } from "../scripts/kit/temporary-gateway.mjs";

/** The highest ratio of the medians. */
const BOUND = 1.03;
const KEY = "sgw_admin_key_of_a_bench_of_traces_only";

const { values } = parseArgs({ options: { turns: { type: "string", default: "400" } } });
const turns = Number(values.turns);
let spans = 0;
const collector = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  for (const { scopeSpans } of JSON.parse(Buffer.concat(chunks).toString()).resourceSpans)
    for (const scope of scopeSpans) spans += scope.spans.length;
  response.writeHead(200, { "content-type": "application/json" }).end("{}");
});
collector.listen(0, "127.0.0.1");
await once(collector, "listening");
const endpoint = `http://127.0.0.1:${collector.address().port}`;
const folder = await mkdtemp(path.join(os.tmpdir(), "bench-traces-"));

async function open(name, settings) {
  const vars = path.join(folder, `${name}.vars`);
  const all = {
    GATEWAY_ADMIN_KEY: KEY,
    LOG_REQUESTS: "false",
    MCP_REGISTRY_URL: "off",
    RATE_LIMITS: "false",
    ...settings,
  };
  await writeFile(
    vars,
    Object.entries(all)
      .map((pair) => `${pair.join("=")}\n`)
      .join(""),
  );
  return startTemporaryGateway(() => {}, ["--vars", vars]);
}

async function post(gateway, route, body) {
  const headers = { authorization: `Bearer ${KEY}`, "on-behalf-of": "bench", "content-type": "application/json" };
  const answer = await fetch(new URL(route, gateway.url), { method: "POST", headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${route}: ${answer.status} ${await answer.text()}`);
  await answer.text();
}

/** Returns the milliseconds of one turn. */
async function turn(gateway, conversation, n) {
  const start = performance.now();
  await post(gateway, `/api/v1/conversations/${conversation}/turns`, { conversation: {} });
  const calls = [{ id: `c${n}`, name: "read_skill", arguments: { skill_name: "skill-author" } }];
  await post(gateway, `/api/v1/conversations/${conversation}/tool-calls`, { calls, format: "mcp" });
  return performance.now() - start;
}

const median = (times) => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)];
const off = await open("off", {});
const on = await open("on", { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint });
const down = await open("down", { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" });
try {
  const gateways = { off, on, down };
  const times = { off: [], on: [], down: [] };
  const names = Object.keys(gateways);
  for (let n = 0; n < turns + 50; n++)
    for (let k = 0; k < names.length; k++) {
      const name = names[(n + k) % names.length];
      const took = await turn(gateways[name], `c${n % 10}`, n);
      if (n >= 50) times[name].push(took);
    }
  const medians = Object.fromEntries(names.map((name) => [name, median(times[name])]));
  for (const name of names)
    console.log(`${name.padEnd(5)} ${medians[name].toFixed(2)} ms, ${(medians[name] / medians.off).toFixed(3)}x`);
  console.log(`${turns} turns of two requests each; ${spans} spans received; bound ${BOUND}`);
  process.exitCode = medians.on / medians.off <= BOUND && medians.down / medians.off <= BOUND && spans > turns ? 0 : 1;
} finally {
  await Promise.all([off.stop(), on.stop(), down.stop()]);
  collector.close();
  await rm(folder, { recursive: true, force: true });
}
