// Lists and searches with ten thousand skills.

import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { openDatabase } from "../../../src/storage/d1/database";
import * as search from "../../../src/storage/d1/search";
import * as skillLists from "../../../src/storage/d1/skill-lists";
import { BIG_USER, OWN_SKILLS, PUBLIC_SKILLS, seedManySkills } from "../../support/registry-10k";

const OWN = `user:${BIG_USER}`;
const SCOPES = [OWN, "group:g", "public"];
const PAGE = 100;

beforeAll(seedManySkills);

describe("ten thousand skills", () => {
  const db = openDatabase(env.DB, { storage: 0 });

  it("are listed page by page without a gap", async () => {
    let after: string | null = null;
    let seen = 0;
    do {
      const page: Awaited<ReturnType<typeof skillLists.listSkills>> = await skillLists.listSkills(db, "public", {
        after,
        skip: 0,
        limit: PAGE,
      });
      seen += page.records.length;
      after = page.next;
    } while (after !== null);
    expect(seen).toBe(PUBLIC_SKILLS);
    expect(await skillLists.countSkillsOf(db, OWN)).toBeGreaterThanOrEqual(OWN_SKILLS);
  });

  it("are found by search, own ones hiding public ones of the same name", async () => {
    const hits = await search.searchSkills(db, SCOPES, "skill 00100", 5);
    expect(hits[0]).toMatchObject({ id: `skl_${BIG_USER}-2`, name: "skill-00100", scope: OWN });
    expect(hits.filter((hit) => hit.name === "skill-00100")).toHaveLength(1);
    const others = await search.searchSkills(db, ["user:other", "public"], "skill 00100", 5);
    expect(others[0]).toMatchObject({ name: "skill-00100", scope: "public" });
    expect(await search.searchSkills(db, SCOPES, "common", 20)).toHaveLength(20);
    expect((await search.searchSkills(db, SCOPES, "number7777", 20))[0]).toMatchObject({ name: "skill-07777" });
  });
});
