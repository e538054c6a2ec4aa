// `npm run bench:console`: interaction to next paint in Chromium, on 1,500 skills and on a conversation of 10,000 events, compared with an
// empty page of the same shell. The lists are answered by this script, so the figures are those of the console alone.

import { chromium } from "playwright-core";
import { chromiumPath } from "../scripts/kit/browser.mjs";
import { readOptions } from "../scripts/kit/options.mjs";
import { fail, Refusal } from "../scripts/kit/refusal.mjs";
import { startTemporaryGateway } from "../scripts/kit/temporary-gateway.mjs";

const USAGE = `Use: npm run bench:console -- [--rounds 3]
  --rounds   how often each interaction is repeated`;
const SKILLS = 1_500;
const TURNS = 2_500;
const EVENTS_PER_TURN = 4;
const MOST_MS = 100;
/** The resolution of the Event Timing API in milliseconds. */
const LEAST_MS = 8;

async function main() {
  const { values } = readOptions(USAGE, { rounds: { type: "string", default: "3" } });
  const rounds = Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1)
    throw new Refusal(`--rounds ${values.rounds} is not a number of rounds.`);
  const gateway = await startTemporaryGateway();
  const browser = await chromium.launch({ executablePath: chromiumPath(), args: ["--no-sandbox", "--disable-gpu"] });
  try {
    const page = await signedIn(browser, gateway);
    const empty = await measured(page, gateway, rounds, EMPTY);
    const rows = [
      [`list of ${SKILLS} skills`, await measured(page, gateway, rounds, SKILL_LIST)],
      [`conversation of ${TURNS * EVENTS_PER_TURN} events`, await measured(page, gateway, rounds, CONVERSATION)],
    ];
    console.log(`empty page: ${told(empty)}`);
    let isMissed = false;
    for (const [name, found] of rows) {
      console.log(`${name}: ${told(found)}, ratio ${(worst(found) / worst(empty)).toFixed(2)}`);
      isMissed ||= worst(found) > MOST_MS;
    }
    if (isMissed) throw new Refusal(`An interaction took more than ${MOST_MS} ms.`);
  } finally {
    await browser.close();
    await gateway.stop();
  }
}

const worst = (found) => Math.max(...found.map(({ ms }) => ms));
const told = (found) =>
  `${worst(found)} ms at most (${found.map(({ name, ms }) => `${name} ${ms}`).join(", ")}; multiples of ${LEAST_MS} ms)`;

async function signedIn(browser, { url, key }) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  await page.addInitScript(() => {
    globalThis.interactions = [];
    new PerformanceObserver((list) => {
      for (const { interactionId, duration } of list.getEntries())
        if (interactionId !== 0) globalThis.interactions.push(duration);
    }).observe({ type: "event", durationThreshold: 16, buffered: true });
  });
  await answerLists(page);
  await page.goto(new URL("/console/limits", url).href);
  await page.getByLabel("API key").fill(key);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("heading", { name: "System" }).waitFor();
  return page;
}

/** Returns the longest duration of each interaction over all rounds. Shorter ones than the browser reports count as 8 ms. */
async function measured(page, { url }, rounds, { place, ready, interactions }) {
  await page.goto(new URL(`/console${place}`, url).href);
  await ready(page);
  await page.waitForLoadState("networkidle");
  const found = [];
  for (const [name, act] of Object.entries(interactions)) {
    let ms = LEAST_MS;
    for (let round = 0; round < rounds; round++) {
      await page.evaluate(() => {
        globalThis.interactions.length = 0;
      });
      await act(page, round);
      // The entry of an interaction is reported after its next paint.
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 300))));
      ms = Math.max(ms, ...(await page.evaluate(() => globalThis.interactions)));
    }
    found.push({ name, ms });
  }
  return found;
}

const EMPTY = {
  place: "/nothing",
  ready: (page) => page.getByText("No page has this address").waitFor(),
  interactions: {
    click: (page) => page.locator("main").click(),
    sidebar: (page) => page.getByRole("button", { name: /the sidebar$/ }).click(),
    key: (page) => page.keyboard.press("ArrowDown"),
  },
};

const SKILL_LIST = {
  place: "/skills",
  ready: (page) => page.getByText(`${SKILLS.toLocaleString("en")} skills`, { exact: true }).waitFor(),
  interactions: {
    filter: (page) => page.getByRole("button", { name: /^Scripts / }).click(),
    tag: async (page, round) => {
      await page.getByLabel("Tag").focus();
      await page.keyboard.press(round % 2 === 0 ? "ArrowDown" : "ArrowUp");
    },
    sort: async (page, round) => {
      await page.getByLabel("Sort").focus();
      await page.keyboard.press(round % 2 === 0 ? "ArrowDown" : "ArrowUp");
    },
    type: (page) => page.getByRole("searchbox").pressSequentially("x"),
    scroll: async (page) => {
      await page.getByRole("region", { name: "Skills" }).focus();
      await page.keyboard.press("PageDown");
    },
    sidebar: EMPTY.interactions.sidebar,
  },
};

const CONVERSATION = {
  place: "/conversations/long",
  ready: (page) => page.getByText(`Latest: turn ${TURNS}`).waitFor(),
  interactions: {
    previous: (page) => page.getByRole("button", { name: "Previous turn" }).click(),
    slider: async (page) => {
      await page.getByRole("slider", { name: "Turn" }).focus();
      await page.keyboard.press("ArrowLeft");
    },
    first: async (page) => {
      await page.getByRole("slider", { name: "Turn" }).focus();
      await page.keyboard.press("Home");
    },
    latest: async (page) => {
      await page.getByRole("slider", { name: "Turn" }).focus();
      await page.keyboard.press("End");
    },
    sidebar: EMPTY.interactions.sidebar,
  },
};

/** Answers the requests for skills and for the conversation. All others reach the gateway. */
async function answerLists(page) {
  const json = (answer) => (route) => route.fulfill({ json: answer(new URL(route.request().url())) });
  await page.route("**/console/api/v1/kinds/skills/unified?**", async (route) => {
    const from = Number(new URL(route.request().url()).searchParams.get("cursor") ?? 0);
    const to = Math.min(SKILLS, from + 100);
    const items = Array.from({ length: to - from }, (_, n) => skillItem(from + n));
    const headers = to === SKILLS ? {} : { link: `<?cursor=${to}>; rel="next"` };
    await route.fulfill({ json: items, headers });
  });
  const base = "**/console/api/v1/conversations/long";
  await page.route(base, json(conversation));
  await page.route(
    `${base}/series?**`,
    json((url) => series(Number(url.searchParams.get("after") ?? 0))),
  );
  await page.route(
    `${base}/at/*`,
    json((url) => at(Number(url.pathname.split("/").at(-1)))),
  );
}

const DAY = "2026-01-15T10:00:00.000Z";

function skillItem(n) {
  const name = `skill-${String(n).padStart(4, "0")}`;
  return {
    ...{ id: `skl_${n}`, name, namespace: "default", is_public: n % 3 === 0, version: "1.0.0", user_id: "1" },
    description: `Reads documents of kind ${n}, compares them with a template, and returns the differences as a table.`,
    tags: [`tag-${n % 20}`],
    contents: n % 2 === 0 ? ["scripts"] : n % 5 === 0 ? ["servers", "network"] : [],
    findings: { high: n % 50 === 0 ? 1 : 0, low: 0, info: 0 },
    ...{ created_at: DAY, updated_at: new Date(Date.parse(DAY) + n * 60_000).toISOString() },
  };
}

const active = Array.from({ length: 5 }, (_, n) => ({
  ...{ skill: `skill-000${n}`, version: "1.0.0", remaining: 3, reason: "loaded", loaded_in_turn: 1, tokens: 1_200 },
}));
const billed = { actual: 4_000, paste: 60_000, append_only: 9_000 };
const tokens = {
  ...{ static: 60_000, actual: 4_000, saved_percent: 93.3 },
  billed: { ...billed, estimated: true, saved_percent: 93.3, saved_over_append_percent: 55, price: "bench" },
};

const conversation = () => ({
  ...{ id: "long", turn: TURNS, ghost: null, settings: { title: "Long" }, region: "auto", active, pending: [] },
  ...{ mcp: [], tokens, warnings: [] },
});

/** 100 turns after an event. Each turn has four events. */
function series(after) {
  const first = Math.ceil(after / EVENTS_PER_TURN);
  const count = Math.min(100, TURNS - first);
  const turns = Array.from({ length: count }, (_, n) => ({
    ...{ seq: (first + n) * EVENTS_PER_TURN + 1, turn: first + n + 1, at: DAY, restored: false, requests: 2 },
    ...{
      loaded: (first + n) % 5 === 0 ? [`skill-000${(first + n) % 7}`] : [],
      active: active.map(({ skill }) => skill),
      billed,
    },
    ...{ tokens: { static: 60_000, actual: 4_000 + ((first + n) % 100) }, sent: billed, usage: null },
  }));
  const next = first + count;
  return { turns, next_cursor: next >= TURNS ? null : next * EVENTS_PER_TURN };
}

function at(turn) {
  const steps = Array.from({ length: 20 }, (_, n) => ({
    ...{ kind: n % 2 === 0 ? "model" : "tool", name: n % 2 === 0 ? "gpt" : `tool-${n}`, skill: null, error: null },
    ...{ at: new Date(Date.parse(DAY) + n * 100).toISOString(), ms: 100, state: "done", tokens: 500 },
  }));
  return { turn, active, tokens, steps };
}

main().catch(fail);
