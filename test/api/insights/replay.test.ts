// Replays scripted conversations, and recomputes every figure from what the conversations received.

import { evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call } from "../../support/call";
import { publishPublic, type Talk, talk } from "../../support/chat-turns";
import { holdClockAtNoon, objectOf, pass, releaseClock, ring } from "../../support/clock";
import { providerSkill } from "../../support/provider";
import { clearRegistry } from "../../support/registry";
import { HOUR, runCron } from "../../support/skill-use";

/** The number of conversations: few in the suite; `npm run try:insights` replays 100 with each of ten seeds, for the memory of one runtime. */
declare const __REPLAYED__: number;
declare const __REPLAY_SEED__: number;

const NAMES = ["alpha", "beta", "gamma"];
const FIGURES = ["loads", "calls", "failures", "found", "scripts_ok", "scripts_failed", "liked", "disliked"] as const;
type Tally = Record<(typeof FIGURES)[number] | "listed", number>;

const NOTHING = (): Tally => ({
  ...{ loads: 0, calls: 0, failures: 0, found: 0, scripts_ok: 0, scripts_failed: 0, liked: 0, disliked: 0 },
  listed: 0,
});

/** What the client of the conversations has seen, by skill. */
const expected = new Map(NAMES.map((name) => [name, NOTHING()]));
const searches = { searches: 0, searches_empty: 0 };

/** A linear congruential generator: the same scripts in every run. */
let seed = __REPLAY_SEED__;
const random = (most: number): number => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((seed / 2 ** 32) * most);
};
const tallyOf = (name: string): Tally => {
  const tally = expected.get(name);
  if (tally === undefined) throw new Error(name);
  return tally;
};

/** Runs one conversation of a few turns, and counts what it receives. */
async function replay(user: string): Promise<Talk> {
  const chat = await talk(user);
  const ratings = new Map<number, { score: number; active: string[] }>();
  const turns = 1 + random(3);
  for (let turn = 1; turn <= turns; turn++) {
    const { prompt } = await chat.turn().then((step) => step as typeof step & { active: { skill: string }[] });
    for (const name of NAMES) if (new RegExp(`\\b${name}\\b`).test(prompt.system)) tallyOf(name).listed++;
    const loaded = new Set<string>();
    for (let step = random(5); step > 0; step--) await act(chat, loaded);
    if (random(3) === 0) {
      const state = await (await call("GET", chat.route, { key: chat.key })).json<{ active: { skill: string }[] }>();
      const active = state.active.map(({ skill }) => skill);
      for (let times = 1 + random(2); times > 0; times--) ratings.set(turn, { score: random(3) - 1, active });
      const { score = 0 } = ratings.get(turn) ?? {};
      // An earlier rating, which the last one replaces.
      await call("POST", `${chat.route}/feedback`, { key: chat.key, json: { turn, score: random(3) - 1 } });
      await call("POST", `${chat.route}/feedback`, { key: chat.key, json: { turn, score } });
    }
    if (random(10) === 0) await evictDurableObject(objectOf(idOf(chat), user));
    if (random(4) === 0) {
      pass(HOUR);
      await ring(idOf(chat), user);
    }
  }
  for (const { score, active } of ratings.values())
    for (const name of active) if (score !== 0) tallyOf(name)[score > 0 ? "liked" : "disliked"]++;
  return chat;
}

async function act(chat: Talk, loaded: Set<string>): Promise<void> {
  const name = NAMES[random(NAMES.length)] ?? "";
  const tally = tallyOf(name);
  switch (random(5)) {
    case 0: {
      const query = random(2) === 0 ? name : "zebra quantum";
      const found = await chat.use("find_skill", { query });
      const skills = found.structuredContent?.skills as { name: string }[];
      for (const skill of skills) tallyOf(skill.name).found++;
      searches.searches++;
      if (skills.length === 0) searches.searches_empty++;
      return;
    }
    case 1: {
      const script = random(2) === 0 ? "ok" : "bad";
      const run = await chat.use("execute_skill_script", { skill_name: name, script_path: `scripts/${script}.js` });
      tally.calls++;
      if (run.isError === true) tally.failures++;
      tally[run.structuredContent?.exit_code === 0 ? "scripts_ok" : "scripts_failed"]++;
      return;
    }
    default: {
      if (!loaded.has(name)) {
        await chat.load(name);
        loaded.add(name);
        tally.loads++;
      }
      const result = await chat.use(`${name}_${random(3) === 0 ? "fail" : "work"}`);
      tally.calls++;
      if (result.isError === true) tally.failures++;
    }
  }
}

const idOf = ({ route }: Talk) => route.slice(route.lastIndexOf("/") + 1);

beforeAll(async () => {
  await clearRegistry();
  await env.DB.batch(["use_hours", "listings"].map((table) => env.DB.prepare(`DELETE FROM ${table}`)));
  holdClockAtNoon();
  for (const name of NAMES) {
    const tools = { [`${name}_work`]: "return 'done'", [`${name}_fail`]: "throw new Error('no')" };
    const skill = providerSkill(name, tools, { version: "1.0.0", body: `Use ${name}.` });
    const files = { ...skill.files, "scripts/ok.js": "console.log(1)", "scripts/bad.js": "process.exit(3)" };
    await publishPublic({ ...skill, files });
  }
});
afterAll(releaseClock);

describe(`the figures of ${__REPLAYED__} conversations`, () => {
  it("are those that the conversations received", { tags: ["slow"], timeout: 1_800_000 }, async () => {
    for (let n = 0; n < __REPLAYED__; n++) {
      const user = `replay-${n % 20}`;
      const chat = await replay(user);
      pass(HOUR);
      await ring(idOf(chat), user);
      // The conversation has nothing left to send.
      pass(HOUR);
      await ring(idOf(chat), user);
    }
    await runCron();
    const days = Math.ceil((__REPLAYED__ * 5) / 24) + 2;
    const from = new Date(Date.now() - Math.min(399, days) * 86_400_000).toISOString().slice(0, 10);
    const { items } = await (await call("GET", `/api/v1/insights/skills?from=${from}`)).json<{
      items: (Tally & { skill_name: string })[];
    }>();
    const shown = Object.fromEntries(
      items.map((row) => [
        row.skill_name,
        Object.fromEntries([...FIGURES, "listed"].map((n) => [n, row[n as "loads"]])),
      ]),
    );
    expect(shown).toEqual(Object.fromEntries(expected));
    const overview = await (await call("GET", `/api/v1/insights/overview?from=${from}`)).json<{ totals: object }>();
    const total = (figure: (typeof FIGURES)[number]) =>
      [...expected.values()].reduce((sum, one) => sum + one[figure], 0);
    expect(overview.totals).toMatchObject({
      ...Object.fromEntries(FIGURES.map((figure) => [figure, total(figure)])),
      ...searches,
    });
  });
});
