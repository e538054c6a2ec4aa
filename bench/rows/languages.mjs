// Measures scripts in each language, cold and warm, next to a bare isolate. They alternate, so that the figures of Python, shell and Node
// come from the same run. Every cold sample leaves an isolate behind, and one of Python takes 45 MB, so the row takes few samples and has a
// separate gateway.

import { begin, isolateFloor, LANGUAGES, publishScripts, runScript } from "../code.mjs";
import { median, percentiles, takeTurns } from "../measure.mjs";

const USER = "languages";
const SKILL = "languages";
const COLD_EACH = 20;
const PYTHON_COLD_MOST = 12;
const WARM_MORE_MOST = 10;

export async function run({ gateway, passes, seconds }) {
  await publishScripts(gateway, SKILL);
  const cold = await coldTimes(gateway);
  const warm = await warmTimes(gateway, { passes, seconds });
  const rows = [];
  for (const { language } of LANGUAGES) {
    const over = (times) => ({ path: times[language], floor: times.bare, ratio: times[language].p50 / times.bare.p50 });
    rows.push({ name: `${language} script, cold, over a bare isolate`, budget: null, ...over(cold) });
    rows.push({ name: `${language} script, warm, over a bare isolate`, budget: null, ...over(warm) });
  }
  const beside = (times, language) => ({ path: times[language], floor: times.node });
  for (const { language } of LANGUAGES.filter((one) => one.language !== "node")) {
    rows.push({
      name: `${language} script, cold, over a Node script`,
      budget: language === "python" ? PYTHON_COLD_MOST : null,
      ...beside(cold, language),
      ratio: cold[language].p50 / cold.node.p50,
    });
    rows.push({
      name: `${language} script, warm, more than a Node script`,
      unit: "ms",
      budget: WARM_MORE_MOST,
      ...beside(warm, language),
      value: warm[language].p50 - warm.node.p50,
    });
  }
  return rows;
}

/** A user without any isolate. The isolate is cold, not the code. */
async function coldTimes(gateway) {
  const names = ["bare", ...LANGUAGES.map(({ language }) => language)];
  const times = Object.fromEntries(names.map((name) => [name, []]));
  const bare = isolateFloor(gateway, USER, (n) => `languages-${n}`, true);
  // The first sample of each fills the gateway's caches and is not counted.
  for (let n = -1; n < COLD_EACH; n++) {
    for (const name of names) {
      const user = `cold-${name}-${n + 1}`;
      const ms =
        name === "bare" ? (await gateway.send(await bare.prepare(n + 1))).ms : await coldRun(gateway, user, name);
      if (n >= 0) times[name].push(ms);
    }
  }
  return Object.fromEntries(names.map((name) => [name, { ...percentiles(times[name]), p50: median(times[name]) }]));
}

async function coldRun(gateway, user, language) {
  const route = "/api/v1/conversations/cold";
  await begin(gateway, user, route, SKILL);
  return runScript(gateway, user, route, SKILL, language, "call");
}

async function warmTimes(gateway, options) {
  const bare = isolateFloor(gateway, USER, () => "warm", true);
  const ways = { bare: async (n) => (await gateway.send(await bare.prepare(n))).ms };
  for (const { language } of LANGUAGES) {
    ways[language] = async (n) => {
      const route = `/api/v1/conversations/${language}-${Math.floor(n / 20)}`;
      if (n % 20 === 0) await begin(gateway, USER, route, SKILL);
      return runScript(gateway, USER, route, SKILL, language, `call_${n}`);
    };
  }
  const measured = await takeTurns(ways, options);
  return Object.fromEntries(Object.entries(measured).map(([name, { times }]) => [name, times]));
}
