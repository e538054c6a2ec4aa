// Runs scripts of many skills for many users after many conversations in one local runtime, and checks that its memory stays flat.
// usage: npm run bench:soak-code -- [--conversations 10000] [--runs 2000] [--skills 500] [--users 200] [--picture docs/pictures/soak-code.svg]

import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { begin, LANGUAGES, publishScripts, runScript } from "./code.mjs";
import { startGateway } from "./gateway.mjs";
import { median } from "./measure.mjs";
import { runtimeMappings, runtimeMemory, runtimes } from "./memory.mjs";
import { soakPicture } from "./soak-picture.mjs";

const CLIENTS = 4;
/** The number of points of the curve in each part of the run. */
const POINTS = 60;
/** The highest ratio between the median of the last fifth of the runs and that of the second fifth. */
const GROWTH = 1.1;

const { values } = parseArgs({
  options: {
    conversations: { type: "string", default: "10000" },
    runs: { type: "string", default: "2000" },
    skills: { type: "string", default: "500" },
    users: { type: "string", default: "200" },
    picture: { type: "string" },
  },
});
const [conversations, runs, skills, users] = [values.conversations, values.runs, values.skills, values.users].map(
  Number,
);
if (![conversations, runs, skills, users].every((count) => count >= 1)) {
  console.error(
    "usage: npm run bench:soak-code -- [--conversations 10000] [--runs 2000] [--skills 500] [--users 200] [--picture <file.svg>]",
  );
  process.exit(2);
}

// Only a development build limits isolates, as the gateway of `npm start` does. A deployment leaves that to the platform.
const gateway = await startGateway({ development: true });
try {
  process.exitCode = await soak();
} finally {
  await gateway.stop();
}

async function soak() {
  const [runtime] = await runtimes();
  const skillOf = (n) => `soak-${String(n % skills).padStart(3, "0")}`;
  const userOf = (n) => `soak-${n % users}`;
  const failures = new Map();
  const curve = { conversations: [], runs: [] };
  for (let n = 0; n < skills; n++) await publishScripts(gateway, skillOf(n));
  await inParts("conversations", conversations, (n) =>
    begin(gateway, userOf(n), `/api/v1/conversations/talk-${n}`, skillOf(n)),
  );
  await inParts("runs", runs, async (n) => {
    const route = `/api/v1/conversations/run-${n}`;
    const { language } = LANGUAGES[n % LANGUAGES.length];
    await begin(gateway, userOf(n), route, skillOf(n));
    await runScript(gateway, userOf(n), route, skillOf(n), language, "run");
  });
  if (values.picture !== undefined) {
    await writeFile(values.picture, soakPicture(curve, { conversations, runs, skills, users }));
    console.log(`wrote ${values.picture}`);
  }
  const isAlive = (await runtimes()).includes(runtime);
  if (!isAlive) console.error("The runtime ended during the soak.");
  for (const [message, count] of failures) console.error(`${count} times: ${message}`);
  const fifth = (number) =>
    median(
      curve.runs
        .slice((curve.runs.length * (number - 1)) / 5, (curve.runs.length * number) / 5)
        .map(({ mebibytes }) => mebibytes),
    );
  const growth = fifth(5) / fifth(2);
  console.log(
    `second fifth of the runs ${fifth(2).toFixed(0)} MiB, last fifth ${fifth(5).toFixed(0)} MiB: ${growth.toFixed(2)} times (at most ${GROWTH})`,
  );
  return isAlive && failures.size === 0 && growth <= GROWTH ? 0 : 1;

  /** Runs `once` `count` times, a few at a time, and records the runtime's memory meanwhile. */
  async function inParts(part, count, once) {
    const began = performance.now();
    const every = Math.max(1, Math.floor(count / POINTS));
    let next = 0;
    await Promise.all(
      Array.from({ length: CLIENTS }, async () => {
        while (next < count) {
          const n = next++;
          try {
            await once(n);
          } catch (error) {
            const message = String(error.message).slice(0, 200);
            failures.set(message, (failures.get(message) ?? 0) + 1);
          }
          if (n % every === 0) await note(part, n, began);
        }
      }),
    );
    await note(part, count, began);
    curve[part].sort((a, b) => a.n - b.n);
  }

  async function note(part, n, began) {
    const point = { n, mebibytes: await runtimeMemory(), mappings: await runtimeMappings() };
    curve[part].push(point);
    const seconds = ((performance.now() - began) / 1_000).toFixed(0);
    console.log(`${part} ${n}: ${point.mebibytes.toFixed(0)} MiB, ${point.mappings} mappings, ${seconds} s`);
  }
}
