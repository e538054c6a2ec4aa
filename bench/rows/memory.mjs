// What workerd takes after 200 skills have each run a script: on this machine nothing gives an isolate back but the gateway itself
// (`src/sandbox/local-isolates.ts`), so this is what a developer's machine ends up with.

import { begin, LANGUAGES, load, publishScripts, runScript } from "../code.mjs";
import { startGateway } from "../gateway.mjs";
import { runtimeMemory } from "../memory.mjs";

const USER = "memory";
const SKILLS = 200;
/** A conversation loads so many of them. */
const EACH = 10;
/** How many of each are kept: `LOCAL_ISOLATES` of src/sandbox/local-isolates.ts. */
const KEPT = { node: 24, shell: 6, python: 4 };
/** Two processes that do the same take so much more or less. */
const ALIKE = 1.05;

const NAMES = LANGUAGES.map(({ language }) => language);
/** First as many as are kept, then each language in turn. */
const FIRST = NAMES.flatMap((language) => Array(KEPT[language]).fill(language));
const ORDER = [...FIRST, ...Array.from({ length: SKILLS - FIRST.length }, (_, n) => NAMES[n % NAMES.length])].map(
  (language, n) => ({ language, n }),
);

export async function run() {
  // As many runs that end no isolate, since all are in one that is kept: what is more than that, ended ones have left.
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

/** What runs of these skills take, one after the other. */
async function measure(runs) {
  // The bound is of development builds only: a deployment leaves it to the platform.
  const gateway = await startGateway({ development: true });
  try {
    const nameOf = (n) => `memory-${String(n).padStart(3, "0")}`;
    const routeOf = (n) => `/api/v1/conversations/memory-${Math.floor(n / EACH)}`;
    // What conversations take is there before: what counts is what running leaves.
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
