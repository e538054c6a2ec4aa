// `npm run bench:soak`: runs mixed traffic for minutes and reports the runtime's memory at each. Exits with 1 if a request failed, or if
// the memory one minute after the last request is more than 1.3 times the memory after two minutes. With `--floor` the same traffic runs in
// plain code next to the gateway: the same number of new objects, writes, reads of D1 and R2, and uploads. That memory belongs to the
// runtime and the simulators, so no bound applies.
// usage: npm run bench:soak -- [--minutes 10] [--clients 8] [--floor]

import { parseArgs } from "node:util";
import { startGateway } from "./gateway.mjs";
import { percentiles } from "./measure.mjs";
import { runtimeMemory } from "./memory.mjs";
import { prose, publishSkills, skillZip } from "./skills.mjs";

const GROWTH = 1.3;
const USERS = 4;
const FILE = "references/guide.md";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "10" },
    clients: { type: "string", default: "8" },
    floor: { type: "boolean", default: false },
  },
});
const [minutes, clients] = [Number(values.minutes), Number(values.clients)];
if (!(minutes >= 3) || !(clients >= 1)) {
  console.error("usage: npm run bench:soak -- [--minutes 10] [--clients 8] [--floor], of at least 3 minutes");
  process.exit(2);
}

const gateway = await startGateway();
try {
  for (let user = 0; user < USERS; user++)
    await publishSkills(gateway, `soak-${user}`, 20, (n) => ({ [FILE]: Buffer.from(prose(10_240, 5_000 + n)) }));
  process.exitCode = await soak();
} finally {
  await gateway.stop();
}

async function soak() {
  const send = gateway.crowd(clients);
  const times = [];
  const failures = new Map();
  const memory = [await runtimeMemory()];
  const began = Date.now();
  const until = began + minutes * 60_000;
  console.log(`start: ${memory[0].toFixed(0)} MiB`);
  const watch = setInterval(async () => {
    const now = await runtimeMemory();
    memory.push(now);
    const { p50, p99, samples } = percentiles(times.splice(0));
    console.log(
      `minute ${memory.length - 1}: ${now.toFixed(0)} MiB, ${(samples / 60).toFixed(0)} requests a second, p50 ${p50?.toFixed(1)} ms, p99 ${p99?.toFixed(1)} ms`,
    );
  }, 60_000);
  await Promise.all(Array.from({ length: clients }, (_, client) => visit(client)));
  clearInterval(watch);
  // Lets garbage collection free what it can, as far as requests trigger it.
  for (let n = 0; n < 60; n++) {
    await gateway.call("soak-0", "GET", "/api/v1/me");
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
  const after = await runtimeMemory();
  const bound = GROWTH * memory[2];
  const grown = (after / memory[2]).toFixed(2);
  console.log(`a minute after: ${after.toFixed(0)} MiB, ${grown} times minute 2`);
  if (values.floor) return failures.size > 0 ? 1 : 0;
  console.log(`which may be ${bound.toFixed(0)} MiB, ${GROWTH} times`);
  for (const [what, count] of failures) console.error(`${count} times: ${what}`);
  return after > bound || failures.size > 0 ? 1 : 0;

  /** Runs one client, one conversation after another. */
  async function visit(client) {
    for (let n = 0; Date.now() < until; n++) {
      for (const request of (values.floor ? floorOf : requestsOf)(client, n)) {
        if (Date.now() >= until) return;
        try {
          const { ms } = await send(await request());
          times.push(ms);
        } catch (error) {
          const what = String(error.message).slice(0, 200);
          failures.set(what, (failures.get(what) ?? 0) + 1);
        }
      }
    }
  }
}

/** The requests of a client in its `n`-th conversation: three turns with a load and a read, a question, a list, and sometimes an upload. */
function* requestsOf(client, n) {
  const user = `soak-${client % USERS}`;
  const route = `/api/v1/conversations/soak-${client}-${n}`;
  const post = (path, body) => () => gateway.request(user, "POST", `${route}/${path}`, body);
  const use = (id, name, args) => post("tool-calls", { calls: [{ id, name, arguments: args }], format: "openai" });
  const skill = `skill-${String(n % 20).padStart(2, "0")}`;
  for (let turn = 0; turn < 3; turn++) {
    yield post("turns", { key: `message-${turn}`, format: "openai", ...(turn === 0 ? { conversation: {} } : {}) });
    yield use(`load-${turn}`, "load_skill", { skill_name: skill });
    yield use(`read-${turn}`, "read_skill", { skill_name: skill, file_path: FILE });
    yield () => gateway.request(user, "GET", `${route}/prompt`);
  }
  yield use("find", "find_skill", { query: "guide" });
  // No page is connected, so the request waits for its full time.
  yield post("requests", { action: "echo", payload: { n }, timeout_ms: 20, wait_ms: 100 });
  yield () => gateway.request(user, "GET", "/api/v1/kinds/skills");
  if (n % 5 === 0) {
    const body = prose(4_000, client * 100_000 + n);
    const zip = skillZip({ name: `new-${client}`, description: "Published again and again.", body });
    yield () => gateway.upload(user, zip);
  }
  yield () => gateway.request(user, "DELETE", route);
}

/** The same in the floors: a write to a separate object, a D1 query for the caller, a file read, and sometimes an upload. */
function* floorOf(client, n) {
  const user = `soak-${client % USERS}`;
  const id = `soak-${client}-${n}`;
  const post = (path, body) => () => gateway.request(user, "POST", `/floor/${path}`, body);
  yield () => ({ method: "POST", route: "/floor/prepare", body: Buffer.from(id) });
  // Three turns of four requests, a search, a question of two writes, a list.
  for (let request = 0; request < 16; request++) yield post("write", { id, text: "x".repeat(600) });
  if (n % 5 === 0) {
    const zip = skillZip({ name: `new-${client}`, description: "New.", body: prose(4_000, client * 100_000 + n) });
    yield async () => ({ ...(await gateway.upload(user, zip)), route: "/floor/upload" });
  }
}
