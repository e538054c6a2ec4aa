// Migration 0007 on a database with data: search still finds what it found, and reindexing adds the rest.

import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import migration from "../../../migrations/0007_search_bodies.sql?raw";
import { openDatabase } from "../../../src/storage/d1/database";
import { reindexSkills, searchSkills } from "../../../src/storage/d1/search";
import { seedSkill } from "../../support/registry";

const db = openDatabase(env.DB, { storage: 0 });
const found = async (query: string) => (await searchSkills(db, ["public"], query, 5)).map((hit) => hit.name);
const run = (statements: readonly string[]) => env.DB.batch(statements.map((sql) => env.DB.prepare(sql)));
const migrate = () => run(migration.split("--> statement-breakpoint"));

/** The index of the previous gateway. */
const BEFORE = [
  "CREATE TABLE kept AS SELECT rowid AS seq, scope, name, description, tags FROM skill_search",
  "DROP TABLE skill_search",
  "CREATE VIRTUAL TABLE skill_search USING fts5(scope, name, description, tags, tokenize = 'porter unicode61 remove_diacritics 2')",
  "INSERT INTO skill_search (rowid, scope, name, description, tags) SELECT seq, scope, name, description, tags FROM kept",
  "DROP TABLE kept",
];

describe("the index with instructions", () => {
  it("keeps the indexed rows, and reindexing adds the rest", async () => {
    await seedSkill({ name: "owls", description: "Counts owls.", body: "Listen at midnight." });
    await run(BEFORE);
    await migrate();
    expect([await found("owl"), await found("midnight")]).toEqual([["owls"], []]);
    await reindexSkills(db, 0, 100);
    expect(await found("midnight")).toEqual(["owls"]);
  });

  it("accepts rows of the previous gateway until the new one is deployed", async () => {
    const { id } = await seedSkill({ name: "bats", description: "Counts bats." });
    await run([
      `DELETE FROM skill_search WHERE rowid = (SELECT seq FROM skills WHERE id = '${id}')`,
      `INSERT INTO skill_search (rowid, scope, name, description, tags) SELECT seq, '112117098108105099', 'bats', 'counts bats', '' FROM skills WHERE id = '${id}'`,
    ]);
    expect(await found("bat")).toEqual(["bats"]);
  });

  it("is made where there was none", async () => {
    await run(["DROP TABLE skill_search"]);
    await migrate();
    expect(await found("owl")).toEqual([]);
    await reindexSkills(db, 0, 100);
    expect(await found("owl midnight")).toEqual(["owls"]);
  });
});
