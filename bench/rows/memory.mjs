// Measures workerd's memory after 200 skills have each run a script. Locally only the gateway frees isolates
// (`src/sandbox/local-isolates.ts`), so this is the memory use on a developer's machine.

import { begin, LANGUAGES, load, publishScripts, runScript } from "../code.mjs";
import { startGateway } from "../gateway.mjs";
import { runtimeMemory } from "../memory.mjs";

const USER = "memory";
const SKILLS = 200;
/** The number of skills that a conversation loads. */
const EACH = 10;
/** The number of isolates of each language that stay in memory: `LOCAL_ISOLATES` of src/sandbox/local-isolates.ts. */
const KEPT = { node: 24, shell: 6, python: 4 };
/** The usual ratio between two processes that do the same work. */
const ALIKE = 1.05;

const NAMES = LANGUAGES.map(({ language }) => language);
/** First the number of isolates that stay in memory, then each language in turn. */
const FIRST = NAMES.flatMap((language) => Array(KEPT[language]).fill(language));
const ORDER = [...FIRST, ...Array.from({ length: SKILLS - FIRST.length }, (_, n) => NAMES[n % NAMES.length])].map(
  (language, n) => ({ language, n }),
);

export async function run() {
  // The same number of runs without ending an isolate, since all use one that stays in memory. Memory above that was left behind by ended
  // isolates.
  const kept = await measure(ORDER.map((_, n) => ORDER[n % FIRST.length]));
  const all = await measure(ORDER);
  const of = `(${NAMES.join(", ")})`;
  const row = (name, value, budget = null) => ({ name, unit: "MiB", value, budget });
  return [
    row(`memory of ${FIRST.length} idle isolates ${of}`, all.full),
    row(`memory after ${SKILLS} runs in ${FIRST.length} isolates that are kept`, kept.last),
    row(`memory after ${SKILLS} runs of ${SKILLS} skills`, all.last, Math.round(kept.last * ALIKE)),
    row("the same, at most meanwhile", all.most),
  ];
}

/** Returns the memory after runs of these skills, one after the other. */
async function measure(runs) {
  // The limit exists in development builds only; a deployment leaves it to the platform.
  const gateway = await startGateway({ development: true });
  try {
    const nameOf = (n) => `memory-${String(n).padStart(3, "0")}`;
    const routeOf = (n) => `/api/v1/conversations/memory-${Math.floor(n / EACH)}`;
    // The conversations exist before the measurement, so only the memory left by the runs counts.
    for (let n = 0; n < SKILLS; n++) {
      await publishScripts(gateway, nameOf(n));
      if (n % EACH === 0) await begin(gateway, USER, routeOf(n), nameOf(n));
      else await load(gateway, USER, routeOf(n), nameOf(n));
    }
    const before = await runtimeMemory();
    let [full, most, last] = [0, 0, 0];
    for (const [count, { language, n }] of runs.entries()) {
      await runScript(gateway, USER, routeOf(n), nameOf(n), language, `run_${count}`);
      last = (await runtimeMemory()) - before;
      if (count < FIRST.length) full = last;
      most = Math.max(most, last);
    }
    return { full, most, last };
  } finally {
    await gateway.stop();
  }
}
