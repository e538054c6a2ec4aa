// Migrations on a database with data: existing rows survive, and the promises of the migration hold for them. The database is the SQLite of
// an object, which is empty, while the pool's D1 has all migrations already.

import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";

/** The migration that adds version numbers. */
const NUMBERS = env.TEST_MIGRATIONS.findIndex(({ name }) => name.startsWith("0016_"));

/** Runs with an empty database. */
function withDatabase(run: (sql: SqlStorage) => void): Promise<void> {
  const stub = env.CONVERSATIONS.getByName(JSON.stringify(["migrations", crypto.randomUUID()]));
  return runInDurableObject(stub, (_, { storage }) => run(storage.sql));
}

function migrate(sql: SqlStorage, from: number, to: number): void {
  const migrations = env.TEST_MIGRATIONS.slice(from, to + 1);
  expect(migrations).toHaveLength(to - from + 1);
  for (const { queries } of migrations) for (const query of queries) sql.exec(query);
}

const GHOSTS = [
  { id: "gho_1", user_id: "alice", namespace: "default", name: "Écrivain", folded: "écrivain" },
  { id: "gho_2", user_id: "bob", namespace: "default", name: "écrivain", folded: "écrivain" },
  { id: "gho_3", user_id: "alice", namespace: "crew", name: "Écrivain", folded: "écrivain" },
];

/** Writes a ghost like a gateway without shared ghosts. */
function insert(sql: SqlStorage, ghost: (typeof GHOSTS)[number]): void {
  const { id, user_id, namespace, name, folded } = ghost;
  sql.exec(
    "INSERT INTO ghosts (id, user_id, namespace, name, folded, spec, created_at, updated_at) VALUES (?, ?, ?, ?, ?, '{\"a\":1}', 5, 6)",
    ...[id, user_id, namespace, name, folded],
  );
  sql.exec("INSERT INTO ghost_skills VALUES (?, 0, 'skill', '*', 'skl_1')", id);
}

/** A filled database from before shared ghosts, after the migration. */
function migrated(sql: SqlStorage): void {
  migrate(sql, 0, 2);
  for (const ghost of GHOSTS) insert(sql, ghost);
  migrate(sql, 3, 3);
}

describe("shared ghosts come to a database that has ghosts", () => {
  it("keeps every ghost and its skills, each for its user", () =>
    withDatabase((sql) => {
      migrated(sql);
      const rows = sql.exec("SELECT * FROM ghosts ORDER BY id").toArray();
      expect(rows).toEqual(
        GHOSTS.map((ghost) => ({
          ...ghost,
          spec: '{"a":1}',
          created_at: 5,
          updated_at: 6,
          shared: null,
          scope: `user:${ghost.user_id}`,
        })),
      );
      expect(sql.exec("SELECT ghost_id FROM ghost_skills ORDER BY ghost_id").toArray()).toEqual(
        GHOSTS.map(({ id }) => ({ ghost_id: id })),
      );
    }));

  it("accepts rows of the previous gateway during a deployment", () =>
    withDatabase((sql) => {
      migrated(sql);
      insert(sql, { id: "gho_4", user_id: "carol", namespace: "default", name: "late", folded: "late" });
      expect(sql.exec("SELECT scope, shared FROM ghosts WHERE id = 'gho_4'").one()).toEqual({
        scope: "user:carol",
        shared: null,
      });
    }));

  it("holds one name in a scope and namespace, and lets two scopes have it", () =>
    withDatabase((sql) => {
      migrated(sql);
      const again = { id: "gho_5", user_id: "alice", namespace: "default", name: "ÉCRIVAIN", folded: "écrivain" };
      expect(() => insert(sql, again)).toThrow(/UNIQUE/);
      const share = (id: string, user: string, scope: string) =>
        sql.exec(
          "INSERT INTO ghosts (id, user_id, shared, namespace, name, folded, spec) VALUES (?, ?, ?, 'crew', 'x', 'écrivain', '{}')",
          ...[id, user, scope],
        );
      share("gho_6", "alice", "group:crew");
      expect(() => share("gho_7", "bob", "group:crew")).toThrow(/UNIQUE/);
      share("gho_8", "0", "public");
      const plan = sql.exec<{ detail: string }>(
        "EXPLAIN QUERY PLAN SELECT id FROM ghosts WHERE scope = 'public' AND name = 'x'",
      );
      expect(plan.one().detail).toContain("SEARCH ghosts USING INDEX ghosts_scope_name");
    }));
});

describe("all migrations after it", () => {
  it("run on that database and keep its ghosts", () =>
    withDatabase((sql) => {
      migrated(sql);
      migrate(sql, 4, env.TEST_MIGRATIONS.length - 1);
      expect(sql.exec("SELECT id FROM ghosts ORDER BY id").toArray()).toEqual(GHOSTS.map(({ id }) => ({ id })));
    }));
});

describe("numbers come to versions that are there", () => {
  /** Writes a version like a gateway without version numbers. */
  const publish = (sql: SqlStorage, id: string, skill: string, at: number) =>
    sql.exec(
      `INSERT INTO versions (id, skill_id, digest, description, tags, dependencies, has_capabilities, tokens_description, tokens_line,
       tokens_instructions, tokens_files, zip_sha256, zip_size, upload_sha256, warnings, created_by, started_at, created_at, manifest,
       frontmatter, files, instructions) VALUES (?, ?, ?, '', '[]', '[]', 0, 0, 0, 0, 0, '', 0, '', '[]', 'alice', ?, ?, '{}', '{}', '[]', '')`,
      ...[id, skill, id, at, at],
    );

  it("in the order in which they were published, and to those that an older gateway writes later", () =>
    withDatabase((sql) => {
      migrate(sql, 0, NUMBERS - 1);
      for (const skill of ["skl_1", "skl_2"])
        sql.exec(
          `INSERT INTO skills (id, scope, name, folded, namespace, user_id, version_id, tokens)
           VALUES (?, 'public', ?, ?, 'default', '0', '', 0)`,
          ...[skill, skill, skill],
        );
      publish(sql, "ver_c", "skl_1", 30);
      publish(sql, "ver_a", "skl_1", 10);
      publish(sql, "ver_b", "skl_2", 20);
      migrate(sql, NUMBERS, env.TEST_MIGRATIONS.length - 1);
      publish(sql, "ver_d", "skl_1", 40);
      const rows = sql.exec("SELECT version_id, number FROM version_numbers ORDER BY skill_id, number").raw();
      expect([...rows]).toEqual([
        ["ver_a", 1],
        ["ver_c", 2],
        ["ver_d", 3],
        ["ver_b", 1],
      ]);
    }));
});
