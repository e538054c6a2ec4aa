// Counts requests that a local gateway leaves without a response, under load and beside a process that uses both cores.
// usage: npm run bench:lost -- [--requests 100000] [--clients 32]

import { spawn } from "node:child_process";
import http from "node:http";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { isMainThread, Worker } from "node:worker_threads";
import { startTemporaryGateway } from "../scripts/kit/temporary-gateway.mjs";
import { percentiles } from "./measure.mjs";
import { prose, skillZip } from "./skills.mjs";

/** Clients rotate through this number of conversations, so objects are evicted and created again meanwhile. */
const CONVERSATIONS = 1_024;
const SKILLS = ["first", "second", "third"];
/** The part of the run in which the second process uses both cores, as shares of the requests. */
const BUSY = { from: 0.3, to: 0.4 };
const CORES = 2;
const REPORT_MS = 10_000;
/** The number of lost requests to print. */
const PRINTED = 20;

if (process.argv[2] === "--spin") spin();
else process.exitCode = await main();

/** Uses all cores until it is ended. */
function spin() {
  if (isMainThread) for (let n = 1; n < CORES; n++) new Worker(new URL(import.meta.url), { argv: ["--spin"] });
  for (;;);
}

async function main() {
  const { values } = parseArgs({
    options: { requests: { type: "string", default: "100000" }, clients: { type: "string", default: "32" } },
  });
  const [requests, clients] = [Number(values.requests), Number(values.clients)];
  if (!(requests >= 1) || !(clients >= 1)) {
    console.error("usage: npm run bench:lost -- [--requests 100000] [--clients 32]");
    return 2;
  }
  const gateway = await startTemporaryGateway((line) => console.error(`launcher: ${line}`));
  const agent = new http.Agent({ keepAlive: true });
  try {
    for (const [n, name] of SKILLS.entries()) await publish(gateway, name, n);
    return await load([sendByFetch(gateway), sendByAgent(gateway, agent)], requests, clients);
  } finally {
    agent.destroy();
    await gateway.stop();
  }
}

async function publish({ url, key }, name, seed) {
  const form = new FormData();
  const zip = skillZip({ name, description: `The ${name} skill.`, body: prose(4_000, seed) });
  form.set("file", new Blob([zip], { type: "application/zip" }), "skill.zip");
  const headers = { authorization: `Bearer ${key}` };
  const response = await fetch(new URL("/api/v1/kinds/skills/public", url), { method: "POST", headers, body: form });
  if (!response.ok) throw new Error(`publishing ${name}: ${response.status} ${await response.text()}`);
}

/**
 * Sends requests with both HTTP clients of Node, whose idle connections end at different times.
 * @param {((method: string, route: string, body: object) => Promise<number>)[]} senders each resolves with a status, or rejects if there is
 * no response
 */
async function load(senders, requests, clients) {
  const counts = { answered: 0, refused: 0, lost: 0 };
  const times = [];
  const failures = [];
  const began = performance.now();
  const seconds = () => ((performance.now() - began) / 1_000).toFixed(1);
  const second = spinner();
  let sent = 0;
  const report = setInterval(() => {
    const { p50 = 0, p99 = 0 } = percentiles(times.splice(0));
    const beside = second.isRunning() ? ", both cores in use" : "";
    console.log(
      `${seconds()} s: ${sent} sent, ${counts.refused} refused, ${counts.lost} lost, p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms${beside}`,
    );
  }, REPORT_MS);
  try {
    await Promise.all(Array.from({ length: clients }, (_, client) => converse(client)));
  } finally {
    clearInterval(report);
    second.stop();
  }
  for (const failure of failures.slice(0, PRINTED)) console.error(failure);
  console.log(
    `${sent} requests in ${seconds()} s: ${counts.answered} answered, ${counts.refused} refused, ${counts.lost} without a response`,
  );
  return counts.answered === sent ? 0 : 1;

  async function converse(client) {
    const send = senders[client % senders.length];
    const each = Math.max(1, Math.round(CONVERSATIONS / clients));
    const conversations = Array.from({ length: each }, (_, n) => conversation(`load-${client}-${n}`));
    for (let n = 0; sent < requests; n = (n + 1) % each) {
      const { route, body } = conversations[n].next().value;
      const share = sent++ / requests;
      if (share >= BUSY.from && share < BUSY.to) second.start();
      else second.stop();
      const at = seconds();
      const started = performance.now();
      try {
        const status = await send("POST", route, body);
        times.push(performance.now() - started);
        counts[status < 400 ? "answered" : "refused"]++;
        if (status >= 400) failures.push(`at ${at} s, ${route}: ${status}`);
      } catch (error) {
        counts.lost++;
        const { code, message } = error.cause ?? error;
        failures.push(`at ${at} s, ${route}: ${code} ${message} (by ${send.name})`);
      }
    }
  }
}

/** The requests of a conversation without end: three loads to one turn. */
function* conversation(id) {
  const route = `/api/v1/conversations/${id}`;
  for (let turn = 0; ; turn++) {
    const settings = turn === 0 ? { conversation: {} } : {};
    yield { route: `${route}/turns`, body: { key: `message-${turn}`, format: "openai", ...settings } };
    for (const skill_name of SKILLS) {
      const call = { id: `load-${turn}-${skill_name}`, name: "load_skill", arguments: { skill_name } };
      yield { route: `${route}/tool-calls`, body: { calls: [call] } };
    }
  }
}

function sendByFetch({ url, key }) {
  return async function byFetch(method, route, body) {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const response = await fetch(new URL(route, url), { method, headers, body: JSON.stringify(body) });
    await response.arrayBuffer();
    return response.status;
  };
}

function sendByAgent({ url, key }, agent) {
  return function byAgent(method, route, body) {
    return new Promise((resolve, reject) => {
      const bytes = Buffer.from(JSON.stringify(body));
      const headers = {
        authorization: `Bearer ${key}`,
        "content-type": "application/json",
        "content-length": bytes.length,
      };
      const request = http.request(new URL(route, url), { agent, method, headers }, (response) => {
        response.on("error", reject);
        response.on("end", () => resolve(response.statusCode));
        response.resume();
      });
      request.on("error", reject);
      request.end(bytes);
    });
  };
}

/** The second process. */
function spinner() {
  let child = null;
  return {
    isRunning: () => child !== null,
    start() {
      child ??= spawn(process.execPath, [fileURLToPath(import.meta.url), "--spin"], { stdio: "ignore" });
    },
    stop() {
      child?.kill("SIGKILL");
      child = null;
    },
  };
}
