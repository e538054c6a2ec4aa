// What workerd takes after 200 skills have each run a script: on this machine nothing gives an isolate back but the gateway itself
// (`src/sandbox/local.ts`), so this is what a developer's machine ends up with.

import { begin, LANGUAGES, load, publishScripts, runScript } from "../code.mjs";
import { startGateway } from "../gateway.mjs";
import { runtimeMemory } from "../memory.mjs";

const USER = "memory";
const SKILLS = 200;
/** A conversation loads so many of them. */
const EACH = 10;
/** How many of each are kept: `LOCAL_ISOLATES` of src/sandbox/local.ts. */
const KEPT = { node: 24, shell: 6, python: 4 };

export async function run() {
  // The bound is of development builds only: a deployment leaves it to the platform.
  const gateway = await startGateway({ development: true });
  try {
    const nameOf = (n) => `memory-${String(n).padStart(3, "0")}`;
    for (let n = 0; n < SKILLS; n++) await publishScripts(gateway, nameOf(n));
    // First as many as are kept, then each language in turn.
    const names = LANGUAGES.map(({ language }) => language);
    const first = names.flatMap((language) => Array(KEPT[language]).fill(language));
    const order = [...first, ...Array.from({ length: SKILLS - first.length }, (_, n) => names[n % names.length])];
    const routeOf = (n) => `/api/v1/conversations/memory-${Math.floor(n / EACH)}`;
    // What conversations take is there before: what counts is what running leaves.
    for (let n = 0; n < SKILLS; n++) {
      if (n % EACH === 0) await begin(gateway, USER, routeOf(n), nameOf(n));
      else await load(gateway, USER, routeOf(n), nameOf(n));
    }
    const before = await runtimeMemory();
    let full = 0;
    let most = 0;
    for (const [n, language] of order.entries()) {
      await runScript(gateway, USER, routeOf(n), nameOf(n), language, `run_${n}`);
      const now = (await runtimeMemory()) - before;
      if (n < first.length) full = now;
      most = Math.max(most, now);
    }
    const value = (await runtimeMemory()) - before;
    const of = `(${names.join(", ")})`;
    return [
      { name: `memory of ${first.length} idle isolates ${of}`, unit: "MiB", value: full, budget: null },
      { name: `memory after ${SKILLS} runs of ${SKILLS} skills`, unit: "MiB", value, budget: Math.round(full) },
      { name: "the same, at most meanwhile", unit: "MiB", value: most, budget: null },
    ];
  } finally {
    await gateway.stop();
  }
}
