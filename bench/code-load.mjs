// Measures how long requests of a local gateway take while scripts of a skill loop forever, with every core busy.
// usage: npm run bench:code-load -- [--rounds 5] [--requests 60]

import { spawn } from "node:child_process";
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { strToU8, zipSync } from "fflate";
import { startTemporaryGateway } from "../scripts/kit/temporary-gateway.mjs";
import { percentiles } from "./measure.mjs";

/** The highest ratio of the medians with and without the scripts. */
const BOUND = 2;
const SKILL = "endless";
/** They catch every exception, and the last line of each blocks its process. */
const LOOPS = {
  "scripts/loop.py": "while True:\n  try: sum(range(10 ** 12))\n  except BaseException: pass\n",
  "scripts/loop.js": "for (;;) { try { /^(a+)+$/.test('a'.repeat(60) + 'b') } catch {} }\n",
  "scripts/loop.sh": "trap '' EXIT TERM\nwhile true; do node scripts/loop.js || true; done\n",
};
const FILES = {
  "SKILL.md": `---\nname: ${SKILL}\ndescription: "Never ends."\n---\n\nRun a script.\n`,
  "scripts/ready.py": "print('ready')\n",
  ...LOOPS,
};
const RUNNER_STOPS = /^a script blocks the process for skill code/;
const GATEWAY_STOPS = /^workerd (?:stopped|does not respond)/;

process.exitCode = await main();

async function main() {
  const { values } = parseArgs({
    options: { rounds: { type: "string", default: "5" }, requests: { type: "string", default: "60" } },
  });
  const [rounds, requests] = [Number(values.rounds), Number(values.requests)];
  if (!(rounds >= 1) || !(requests >= 1)) {
    console.error("usage: npm run bench:code-load -- [--rounds 5] [--requests 60]");
    return 2;
  }
  const stops = { runner: 0, gateway: 0 };
  const gateway = await startTemporaryGateway((line) => {
    if (RUNNER_STOPS.test(line)) stops.runner++;
    if (GATEWAY_STOPS.test(line)) stops.gateway++;
  });
  const burners = [];
  try {
    await publish(gateway);
    await python(gateway);
    for (let n = 0; n < availableParallelism(); n++)
      burners.push(spawn(process.execPath, ["-e", "for (;;);"], { stdio: "ignore" }));
    const times = { without: [], with: [] };
    const results = new Map();
    for (let round = 0; round < rounds; round++) {
      times.without.push(...(await latencies(gateway, () => false, requests)));
      let isRunning = true;
      const ended = Promise.all(Object.keys(LOOPS).map((path) => execute(gateway, `${path}-${round}`, path))).finally(
        () => {
          isRunning = false;
        },
      );
      times.with.push(...(await latencies(gateway, () => isRunning, 1)));
      for (const text of await ended) results.set(text, (results.get(text) ?? 0) + 1);
      console.log(`round ${round + 1}: ${format(times.without)} without the scripts, ${format(times.with)} with them`);
    }
    for (const [text, count] of results) console.log(`${count} scripts ended with: ${text}`);
    const ratio = percentiles(times.with).p50 / percentiles(times.without).p50;
    console.log(
      `ratio of the medians ${ratio.toFixed(2)} (bound ${BOUND}); every one of ${times.with.length + times.without.length} requests was ` +
        `answered; the process for skill code was stopped ${stops.runner} times, the gateway ${stops.gateway} times`,
    );
    return ratio <= BOUND && stops.gateway === 0 && stops.runner > 0 ? 0 : 1;
  } finally {
    for (const burner of burners) burner.kill("SIGKILL");
    await gateway.stop();
  }
}

function format(times) {
  const { p50, p99 } = percentiles(times);
  return `p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms (${times.length} requests)`;
}

/**
 * Prepares turns one after the other and returns their durations in milliseconds. A request that is not answered ends the benchmark.
 * @param {() => boolean} goesOn
 * @param {number} least
 */
async function latencies(gateway, goesOn, least) {
  const times = [];
  while (times.length < least || goesOn()) {
    const began = performance.now();
    await post(gateway, "neighbour/turns", { conversation: {} });
    times.push(performance.now() - began);
  }
  return times;
}

async function publish({ url, key }) {
  const zip = zipSync(
    Object.fromEntries(Object.entries(FILES).map(([name, text]) => [`${SKILL}/${name}`, strToU8(text)])),
  );
  const form = new FormData();
  form.set("file", new Blob([zip], { type: "application/zip" }), "skill.zip");
  const headers = { authorization: `Bearer ${key}` };
  const response = await fetch(new URL("/api/v1/kinds/skills/public", url), { method: "POST", headers, body: form });
  if (!response.ok) throw new Error(`publishing: ${response.status} ${await response.text()}`);
}

/** Waits until Python is built, which a first start does in the background. */
async function python(gateway) {
  for (let n = 0; ; n++) {
    const text = await execute(gateway, `ready-${n}`, "scripts/ready.py");
    if (text.includes("ready")) return;
    if (n === 10) throw new Error(`Python does not run: ${text}`);
  }
}

/** Runs a script in a conversation of its own. Returns its error, or its output. */
async function execute(gateway, conversation, path) {
  const name = conversation.replace(/\W/g, "-");
  await post(gateway, `${name}/turns`, { conversation: {} });
  const call = { id: crypto.randomUUID(), name: "execute_skill_script" };
  const text = await post(gateway, `${name}/tool-calls`, {
    calls: [{ ...call, arguments: { skill_name: SKILL, script_path: path } }],
  });
  const { structuredContent } = JSON.parse(text).results[0];
  return structuredContent.stderr || structuredContent.stdout;
}

async function post({ url, key }, route, body) {
  const response = await fetch(new URL(`/api/v1/conversations/${route}`, url), {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${route}: ${response.status} ${text}`);
  return text;
}
