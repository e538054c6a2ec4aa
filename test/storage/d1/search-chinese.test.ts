// Twenty Chinese requests over Chinese skills: the right skill is among the first five, and mostly the first.

import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { openDatabase } from "../../../src/storage/d1/database";
import { searchSkills } from "../../../src/storage/d1/search";
import { CHINESE_REQUESTS, CHINESE_SKILLS } from "../../support/chinese-skills";
import { seedSkill } from "../../support/registry";

const db = openDatabase(env.DB, { storage: 0 });
const found = async (query: string) => (await searchSkills(db, ["public"], query, 5)).map((hit) => hit.name);

beforeAll(async () => {
  for (const [name, description, body] of CHINESE_SKILLS) await seedSkill({ name, description, body });
});

describe("requests in Chinese", () => {
  it.each(CHINESE_REQUESTS)("%s", async (request, skill) => {
    expect(await found(request)).toContain(skill);
  });

  it("find the right one first, but for a few", async () => {
    const first = await Promise.all(
      CHINESE_REQUESTS.map(async ([request, skill]) => (await found(request))[0] === skill),
    );
    expect(first.filter((isFirst) => isFirst).length).toBeGreaterThanOrEqual(18);
  });
});
