// The same trips, with a catalog that is larger than a view.

import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, it } from "vitest";
import { CATALOG_LIMITS } from "../../src/domain/limits";
import { openDatabase } from "../../src/storage/d1/database";
import { raiseCounters } from "../../src/storage/d1/keys";
import { skills, versions } from "../../src/storage/d1/schema/registry";
import { call, keyFor } from "../support/call";
import { type SeededSkill, seedSkill } from "../support/registry";
import { beginWorld, endWorld, journeyOf } from "../support/world/pool";

const world = await beginWorld();
afterAll(endWorld);

let key = "";
let serial = 0;
/** Skills after the last one in a view. */
const FAR = "zz";

beforeAll(async () => {
  key = await keyFor("far-user");
  await seedLike(await seedSkill({ name: "near", tokens: 1 }), CATALOG_LIMITS.listedSkills + 2);
  await seedSkill({ name: `${FAR}-alone`, description: "Zebras.", body: "Alone." });
  await seedSkill({ name: `${FAR}-root`, body: "Root.", dependencies: [`${FAR}-one@*`, `${FAR}-two@*`] });
  await seedSkill({ name: `${FAR}-one`, body: "One.", dependencies: [`${FAR}-deep@*`] });
  await seedSkill({ name: `${FAR}-two`, body: "Two.", dependencies: [`${FAR}-deeper@*`] });
  await seedSkill({ name: `${FAR}-deep`, body: "Deep." });
  await seedSkill({ name: `${FAR}-deeper`, body: "Deeper." });
}, 60_000);

/** Further skills like this one, as rows only, because no test searches for them. */
async function seedLike({ id, name }: SeededSkill, count: number): Promise<void> {
  const db = openDatabase(env.DB.withSession("first-primary"), { storage: 0 });
  const [skill] = await db.select().from(skills).where(eq(skills.id, id));
  const [version] = await db.select().from(versions).where(eq(versions.skillId, id));
  const { seq: _, ...row } = skill!;
  const numbers = Array.from({ length: count }, (__, n) => n);
  await db.batch([
    raiseCounters(db, [skill!.scope]),
    ...numbers.flatMap((n) => {
      const own = { id: `${id}-${n}`, name: `${name}-${n}`, folded: `${name}-${n}`, versionId: `${id}-${n}-1` };
      const of = { id: own.versionId, skillId: own.id };
      return [db.insert(skills).values({ ...row, ...own }), db.insert(versions).values({ ...version!, ...of })];
    }),
  ]);
}

async function ask(id: string, path: string, json: object) {
  const url = `/api/v1/conversations/${id}/${path}`;
  const { answer, text, journey } = await journeyOf(world, () => call("POST", url, { key, json }));
  expect([answer.status, text]).toEqual([200, text]);
  const mine = journey.awaited.filter(({ who }) => who === "object");
  const to = (place: string) => mine.filter((trip) => trip.to === place).length;
  return { trips: [to("primary"), to("replica"), to("r2")], text };
}

async function going(): Promise<string> {
  const id = `far-${serial++}`;
  await call("POST", `/api/v1/conversations/${id}/turns`, { key, json: { conversation: { delivery: "tool_result" } } });
  return id;
}

const use = (id: string, name: string, args: object) =>
  ask(id, "tool-calls", { calls: [{ name, arguments: { ...args } }] });

it("a skill is found and read in one trip, and those it needs in one for each level", async () => {
  const id = await going();
  expect((await use(id, "find_skill", { query: "zebras" })).trips).toEqual([0, 1, 0]);
  expect((await use(id, "find_skill", { query: "zebras" })).text).toContain(`${FAR}-alone`);
  const alone = await use(await going(), "load_skill", { skill_name: `${FAR}-alone` });
  expect(alone.trips).toEqual([0, 1, 0]);
  expect(alone.text).toContain("Alone.");
  const root = await use(id, "load_skill", { skill_name: `${FAR}-root` });
  expect(root.trips).toEqual([0, 3, 0]);
  for (const body of ["Root.", "One.", "Two.", "Deep.", "Deeper."]) expect(root.text).toContain(body);
  expect((await use(id, "read_skill", { skill_name: `${FAR}-deep` })).trips).toEqual([0, 0, 0]);
  expect((await ask(id, "turns", {})).trips).toEqual([0, 0, 0]);
  const other = await going();
  expect((await ask(other, "turns", { selected_skills: [`${FAR}-root`] })).trips).toEqual([0, 3, 0]);
  const missing = await use(id, "load_skill", { skill_name: `${FAR}-alon` });
  expect(missing.text).toContain(`${FAR}-alone`);
  expect(missing.trips[0]).toBe(0);
  expect(missing.trips[1]).toBeLessThanOrEqual(2);
});
