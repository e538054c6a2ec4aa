// `npm run bench:insight`: a turn with one tool call and a search, at gateways that differ in what they count and export, asked alternately,
// so that all of them see the same machine. usage: npm run bench:insight -- [--turns 400]

import { once } from "node:events";
import { createServer } from "node:http";
import { parseArgs } from "node:util";
import { startGateway } from "./gateway.mjs";
import { publishSkills } from "./skills.mjs";
import { withoutCounts } from "./without-counts.mjs";

/** The highest ratio of a median to that of the gateway without counts and traces. */
const BOUND = 1.03;
const USER = "insight";
const WARM_UP = 50;
/** Turns per conversation. Each conversation sends its counts once. */
const TURNS = 10;

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
const up = `http://127.0.0.1:${collector.address().port}`;
const down = "http://127.0.0.1:9";

/** One turn: a request for prompt and tools, and one with two tool calls. Returns the milliseconds of both together. */
async function turn(gateway, n) {
  const route = `/api/v1/conversations/c${Math.floor(n / TURNS)}`;
  const calls = [
    { id: `load-${n}`, name: "load_skill", arguments: { skill_name: `skill-0${n % TURNS}` } },
    { id: `find-${n}`, name: "find_skill", arguments: { query: "checks a text for the seventh skill" } },
  ];
  const sent = [
    await gateway.request(USER, "POST", `${route}/turns`, { conversation: {}, key: `m${n}` }),
    await gateway.request(USER, "POST", `${route}/tool-calls`, { calls, format: "mcp" }),
  ];
  let ms = 0;
  for (const request of sent) ms += (await gateway.send(request)).ms;
  return ms;
}

const median = (times) => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)];

/** The first is what the others are compared with. */
const VARIANTS = {
  off: { plugins: [withoutCounts] },
  counts: {},
  everything: { bindings: { INSIGHT_QUERIES: "on", OTEL_EXPORTER_OTLP_ENDPOINT: up } },
  "collector down": { bindings: { INSIGHT_QUERIES: "on", OTEL_EXPORTER_OTLP_ENDPOINT: down } },
};
const names = Object.keys(VARIANTS);
const gateways = {};
try {
  for (const name of names) {
    gateways[name] = await startGateway({ development: true, ...VARIANTS[name] });
    await publishSkills(gateways[name], USER, 20);
  }
  const times = Object.fromEntries(names.map((name) => [name, []]));
  for (let n = 0; n < turns + WARM_UP; n++)
    for (let k = 0; k < names.length; k++) {
      const name = names[(n + k) % names.length];
      const took = await turn(gateways[name], n);
      if (n >= WARM_UP) times[name].push(took);
    }
  const floor = median(times.off);
  for (const name of names) {
    const middle = median(times[name]);
    console.log(`${name.padEnd(16)}${middle.toFixed(2).padStart(7)} ms  ${(middle / floor).toFixed(3)}x`);
    if (middle / floor > BOUND) process.exitCode = 1;
  }
  if (spans < turns) throw new Error(`The collector received ${spans} spans of ${turns} turns.`);
  console.log(`${turns} turns of two requests each; ${spans} spans received; limit ${BOUND}x`);
} finally {
  await Promise.all(Object.values(gateways).map((gateway) => gateway.stop()));
  collector.close();
}
