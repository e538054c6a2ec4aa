// `npm run bench:served`: 200 users of `npm run serve` at once, and its memory over 24 simulated hours. The users and the model provider run
// in this process, on the same cores as the gateway.
// usage: npm run bench:served -- [--users 200] [--seconds 10] [--hours 24] [--only load | memory]

import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { Agent, createServer, request as sendRequest } from "node:http";
import { availableParallelism, tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { strToU8, zipSync } from "fflate";
import { initialize, openServed, waitFor } from "../scripts/kit/served-gateway.mjs";
import { percentiles } from "./measure.mjs";

const { values } = parseArgs({
  options: {
    users: { type: "string", default: "200" },
    seconds: { type: "string", default: "10" },
    hours: { type: "string", default: "24" },
    only: { type: "string" },
  },
});
const [users, seconds, hours] = [Number(values.users), Number(values.seconds), Number(values.hours)];
/** A streamed answer of the simulated provider: events and milliseconds between them. */
const EVENTS = 20;
const GAP = 100;
/** What a user does in a simulated hour: turns, each with a call of `load_skill`. Every tenth user also runs a script and a chat. */
const TURNS = 6;
/** The simulated hour in which deleted content is removed. */
const NIGHT = 3;

const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
const folder = await mkdtemp(path.join(tmpdir(), "bench-served-"));
const vendor = await startVendor();
const state = path.join(folder, "state");
initialize(state);
const gateway = await openServed(state, { args: ["--port", "0"], env: { MODEL_HOSTS: vendor.url } });
const [host, port] = gateway.listens.split(":");
try {
  const people = await prepare();
  console.log(`${users} users, ${availableParallelism()} cores, which the users and the model provider share`);
  if (values.only !== "memory") await load(people);
  if (values.only !== "load") await memory(people);
} finally {
  agent.destroy();
  await gateway.stop();
  vendor.close();
  await rm(folder, { recursive: true, force: true });
}

/** Sends a request and reads the whole response. `first`: milliseconds until its first byte. */
async function send(key, method, route, body) {
  const began = performance.now();
  const text = JSON.stringify(body);
  const headers = {
    host: `${host}:${port}`,
    authorization: `Bearer ${key}`,
    "content-type": "application/json",
    "content-length": Buffer.byteLength(text),
  };
  const sent = sendRequest({ host, port, agent, method, path: route, headers });
  sent.end(text);
  const [response] = await once(sent, "response");
  let first;
  const parts = [];
  for await (const part of response) {
    first ??= performance.now() - began;
    parts.push(part);
  }
  return {
    status: response.statusCode,
    first,
    ms: performance.now() - began,
    text: Buffer.concat(parts).toString("utf8"),
  };
}

async function expectOk(answer, what) {
  const { status, text } = await answer;
  if (status >= 300) throw new Error(`${what} returned ${status}: ${text.slice(0, 300)}`);
  return text === "" ? null : JSON.parse(text);
}

/** Creates the users, a skill with a script, and the model. */
async function prepare() {
  const text = "---\nname: counting\ndescription: Counts.\nversion: 1.0.0\n---\n\nRun scripts/count.js.\n";
  const script = "let sum = 0;\nfor (let n = 0; n < 1000; n++) sum += n;\nconsole.log(sum);\n";
  const form = new FormData();
  form.set(
    "file",
    new Blob([zipSync({ "counting/SKILL.md": strToU8(text), "counting/scripts/count.js": strToU8(script) })]),
    "counting.zip",
  );
  const published = await gateway.call("POST", "/api/v1/kinds/skills/public", form);
  if (published.status !== 201) throw new Error(published.text);
  const model = { api: ["openai-chat"], base_url: `${vendor.url}/v1`, model: "vendor", scope: "gateway" };
  await expectOk(gateway.call("PUT", "/api/v1/models/m", model), "the model");
  return Promise.all(
    Array.from({ length: users }, async (_, n) => {
      const made = await expectOk(
        gateway.call("POST", "/api/v1/keys", {
          user_id: `user-${n}`,
          scopes: ["conversations", "chat", "skills:read"],
        }),
        "a key",
      );
      return { key: made.key, name: `user-${n}`, n };
    }),
  );
}

function turn({ key, name }, chat) {
  return send(key, "POST", `/api/v1/conversations/${name}-${chat}/turns`, { format: "openai", conversation: {} });
}

function callTool({ key, name }, chat, tool, args) {
  return send(key, "POST", `/api/v1/conversations/${name}-${chat}/tool-calls`, {
    calls: [{ id: `${performance.now()}`, name: tool, arguments: args }],
  });
}

function loadSkill(person, chat) {
  return callTool(person, chat, "load_skill", { skill_name: "counting" });
}

function runScript(person, chat) {
  return callTool(person, chat, "execute_skill_script", { skill_name: "counting", script_path: "scripts/count.js" });
}

function stream({ key, name }, chat) {
  return send(key, "POST", "/openai/v1/chat/completions", {
    model: "m",
    stream: true,
    messages: [{ role: "user", content: `hello ${name} ${chat}` }],
  });
}

/** Every user repeats each kind of request as fast as the gateway answers. */
async function load(people) {
  console.log("| requests | per second | p50 | p99 | failed |\n|---|---|---|---|---|");
  await measure("turns", people, turn);
  await measure("tool calls (`load_skill`)", people, loadSkill);
  await measure("scripts (JavaScript)", people, runScript);
  await measure("streams: time until the first byte", people, stream, ({ first }) => first);
  await measure(
    `streams: time beyond the provider's ${((EVENTS - 1) * GAP) / 1_000} s`,
    people,
    stream,
    ({ ms }) => ms - (EVENTS - 1) * GAP,
  );
  console.log(`memory after the load: ${await memoryText()}`);
}

async function measure(label, people, act, figure = ({ ms }) => ms) {
  const times = [];
  let failed = 0;
  await Promise.all(people.map((person) => act(person, "load")));
  const until = performance.now() + seconds * 1_000;
  const began = performance.now();
  await Promise.all(
    people.map(async (person) => {
      while (performance.now() < until) {
        const answer = await act(person, "load");
        if (answer.status === 200) times.push(figure(answer));
        else failed++;
      }
    }),
  );
  const took = (performance.now() - began) / 1_000;
  const { p50, p99 } = percentiles(times);
  const ms = (value) => `${value.toFixed(0)} ms`;
  console.log(`| ${label} | ${(times.length / took).toFixed(0)} | ${ms(p50)} | ${ms(p99)} | ${failed} |`);
}

/** Each simulated hour has new conversations of every user; in the third hour workerd restarts to remove deleted content. */
async function memory(people) {
  console.log(`start: ${await memoryText()}`);
  for (let hour = 1; hour <= hours; hour++) {
    for (let n = 0; n < TURNS; n++) {
      await inLanes(people, async (person) => {
        const chat = `hour-${hour}`;
        const actions = n === 0 && person.n % 10 === 0 ? [turn, loadSkill, runScript, stream] : [turn, loadSkill];
        for (const act of actions) {
          const { status, text } = await act(person, chat);
          if (status !== 200) throw new Error(`${act.name} returned ${status}: ${text.slice(0, 200)}`);
        }
      });
    }
    if (hour === NIGHT) {
      const before = gateway.log().split('"event":"compacted"').length;
      process.kill(gateway.pid, "SIGUSR2");
      await waitFor("the compaction", () => gateway.log().split('"event":"compacted"').length > before);
    }
    console.log(`hour ${hour}: ${await memoryText()}, ${users * hour} conversations, ${await diskText()}`);
  }
  await delay(15_000);
  console.log(`15 s after the last request: ${await memoryText()}`);
}

async function inLanes(items, act, lanes = 32) {
  const rest = [...items];
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      for (let item = rest.shift(); item !== undefined; item = rest.shift()) await act(item);
    }),
  );
}

/** The memory of the launcher and of every process below it. */
async function memoryText() {
  const found = await processes();
  const below = (pid) => found.filter(({ parent }) => parent === pid).flatMap((each) => [each, ...below(each.pid)]);
  const all = [...found.filter(({ pid }) => pid === gateway.pid), ...below(gateway.pid)];
  const sum = (list) => list.reduce((total, { kib }) => total + kib, 0) / 1024;
  const workerd = all.filter(({ name }) => name === "workerd");
  return `${sum(all).toFixed(0)} MiB (of these workerd ${sum(workerd).toFixed(0)} MiB)`;
}

async function processes() {
  const ids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const texts = await Promise.all(ids.map((id) => readFile(`/proc/${id}/status`, "utf8").catch(() => "")));
  const number = (text, field) => Number(new RegExp(`^${field}:\\s+(\\d+)`, "m").exec(text)?.[1] ?? 0);
  return texts.map((text, n) => ({
    pid: Number(ids[n]),
    parent: number(text, "PPid"),
    kib: number(text, "VmRSS"),
    name: /^Name:\s+(.*)$/m.exec(text)?.[1],
  }));
}

async function diskText() {
  const entries = await readdir(state, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
  // A file can disappear meanwhile.
  const sizes = await Promise.all(
    files.map((file) =>
      stat(file).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  return `${(sizes.reduce((sum, size) => sum + size, 0) / 2 ** 20).toFixed(0)} MiB on the disk`;
}

/** A model provider that streams an answer of two seconds. */
async function startVendor() {
  const server = createServer(async (request, response) => {
    request.resume();
    await once(request, "end");
    response.writeHead(200, { "content-type": "text/event-stream" });
    const event = (fields) =>
      response.write(
        `data: ${JSON.stringify({ id: "a", object: "chat.completion.chunk", created: 1, model: "vendor", ...fields })}\n\n`,
      );
    for (let n = 0; n < EVENTS; n++) {
      if (n > 0) await delay(GAP);
      event({ choices: [{ index: 0, delta: { role: "assistant", content: `word ${n} ` }, finish_reason: null }] });
    }
    event({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] });
    response.end("data: [DONE]\n\n");
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
