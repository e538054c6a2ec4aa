// The overview with many skills and ninety days of figures.

import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { call } from "../../support/call";
import { clearRegistry } from "../../support/registry";

/** The number of skills: few in the suite, 10,000 with `npm run try:insights`. */
declare const __INSIGHT_SKILLS__: number;

const DAY = 86_400_000;
const DAYS = 90;

beforeAll(async () => {
  await clearRegistry();
  const today = Math.floor(Date.now() / DAY) * DAY;
  const numbers = (most: number) =>
    `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ${most})`;
  await env.DB.batch([
    env.DB.prepare("DELETE FROM use_hours"),
    env.DB.prepare(
      `INSERT INTO skills (id, scope, name, folded, namespace, user_id, version_id, tokens)
       ${numbers(__INSIGHT_SKILLS__)} SELECT 'many' || i, 'user:u' || (i % 500), 'many' || i, 'many' || i, 'default', 'u', 'v' || i, 1 FROM n`,
    ),
  ]);
  for (let day = 0; day < DAYS; day++)
    await env.DB.prepare(
      `INSERT INTO skill_use (day, skill_id, version_id, loads, calls, failures, tokens, votes)
       ${numbers(__INSIGHT_SKILLS__)} SELECT ${today - day * DAY}, 'many' || i, 'v' || i, 1 + i % 7, 2, 1, 100, 0 FROM n`,
    ).run();
  // Sums of 500 scopes and of all: by hour for eight days, by day before.
  for (const scopes of ["'user:u' || i FROM n", "'*' FROM (SELECT 0 AS i)"])
    for (let day = 0; day < DAYS; day++)
      await env.DB.prepare(
        `INSERT INTO use_hours (scope, hour, loads, calls)
         WITH RECURSIVE h(at) AS (SELECT 0 UNION ALL SELECT at + 3600000 FROM h WHERE at + 3600000 < ${day < 8 ? DAY : 1}),
           n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < 500)
         SELECT scope, ${today - day * DAY} + at, 1, 1 FROM (SELECT ${scopes.replace(" FROM", " AS scope FROM")}) CROSS JOIN h`,
      ).run();
}, 600_000);

describe(`the overview with ${__INSIGHT_SKILLS__} skills and ${DAYS} days`, () => {
  it("takes at most 150 ms", async () => {
    const from = new Date(Date.now() - (DAYS - 1) * DAY).toISOString().slice(0, 10);
    const medianOf = async (path: string, check: (body: { series?: object[]; items?: object[] }) => void) => {
      const times: number[] = [];
      for (let n = 0; n < 7; n++) {
        const start = performance.now();
        check(await (await call("GET", `/api/v1/insights/${path}`)).json());
        times.push(performance.now() - start);
      }
      return times.toSorted((a, b) => a - b)[3] ?? 0;
    };
    // What a request takes that reads nothing: on a busy machine, most of the time.
    const floor = await medianOf("searches", ({ items }) => expect(items).toEqual([]));
    const overview = await medianOf(`overview?from=${from}`, ({ series }) => expect(series).toHaveLength(DAYS));
    const ranked: number[] = [];
    for (const query of ["", `?from=${from}`])
      ranked.push(await medianOf(`skills${query}`, ({ items }) => expect(items).toHaveLength(100)));
    const [shown, longest] = ranked.map((ms) => ms.toFixed(1));
    console.log(
      `medians of 7: floor ${floor.toFixed(1)} ms, overview ${overview.toFixed(1)} ms, skills of 30 days ${shown} ms, of ${DAYS} ${longest} ms`,
    );
    expect(overview - floor).toBeLessThan(150);
  });
});
