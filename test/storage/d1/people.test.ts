// The list of columns with users is complete: a new table must state how its rows are exported and erased.

import { env } from "cloudflare:workers";
import { getTableName } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { USER_COLUMNS } from "../../../src/storage/d1/schema/people";

/** Tables and columns that contain no user although their names suggest it, with reasons. */
const WITHOUT_USER: Record<string, string> = {
  d1_migrations: "the names of migrations",
  sqlite_sequence: "SQLite's own",
  ghost_skills: "goes with its ghost",
  skill_rating_sums: "sums of a skill's ratings, go with it",
  skill_use: "counts of a skill, which go with it; no count says whose it is",
  prediction_counts: "counts of a ghost, which go with it; no count says whose conversation it is",
  skill_use_batches: "random ids of batches",
  skill_orders: "ids of public skills",
  rollouts: "versions of a skill that are compared, goes with it",
  listings: "ids of listed skills, for an hour; no list says to whom it was shown",
  version_code: "what was found out of a version's code, goes with it",
  grant_tokens: "goes with its grant",
  version_sources: "where a version is said to come from, goes with it",
  version_attestations: "what a version is, signed; goes with it",
  version_provenance: "which CI job published a version, goes with it",
  publishing_keys: "keys of CI jobs, which end within two hours",
  version_numbers: "which of its skill's versions it is, goes with it",
  version_archives: "the digest of a version's archive, goes with it",
  version_plugins: "the digest of a version's archive as a plugin, goes with it",
  server_checks: "checks of the gateway's servers, go with their server",
  server_skills: "what a check found of a skill, goes with it",
  skill_networks: "hosts that code of a skill can call, goes with it",
  skill_titles: "what a skill is called for people, goes with it",
  oauth_clients: "programs of strangers, and hosts of their documents",
  "reviews.scope": "a group or public, never a user",
  drafts: "goes with its skill, which says whose it is",
  skill_search: "the index of skills, goes with them",
  import_items: "goes with its import, which says whose it is",
  upstream_clients: "registrations of the gateway at issuers",
  "connections.scope": "whose server it is; the connection is the user's",
  "connect_requests.scope": "whose server it is; the sign-in is the user's",
  "idempotency.subject": "the id of a version",
  "keys.scopes": "what a key may do",
  "console_sessions.scopes": "what a session may do",
  "ghosts.shared": "a group or public, never a user",
};

const LOOKS_LIKE_A_USER = /user|owner|actor|scope|subject|created_by|author_id|shared/;
const listed = new Set(USER_COLUMNS.map(({ table, column }) => `${getTableName(table)}.${column.name}`));

/** The tables of the database, without internal tables of the search index. */
async function tables(): Promise<string[]> {
  const { results } = await env.DB.prepare(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\' AND name NOT LIKE 'skill\\_search\\_%' ESCAPE '\\'",
  ).all<{ name: string }>();
  return results.map(({ name }) => name);
}

async function columnsOf(table: string): Promise<string[]> {
  const { results } = await env.DB.prepare(`PRAGMA table_xinfo("${table}")`).all<{ name: string }>();
  return results.map(({ name }) => `${table}.${name}`);
}

describe("the list of columns that hold a user", () => {
  it("has a row for every table, or the table is known to hold none", async () => {
    const known = new Set([...USER_COLUMNS.map(({ table }) => getTableName(table)), ...Object.keys(WITHOUT_USER)]);
    expect((await tables()).filter((table) => !known.has(table))).toEqual([]);
  });

  it("has a row for every column that looks like a user, and no others", async () => {
    const columns = (await Promise.all((await tables()).map(columnsOf))).flat();
    const suspects = columns.filter((column) => LOOKS_LIKE_A_USER.test(column.split(".")[1] ?? ""));
    expect(suspects).toContain("ghosts.scope");
    const open = suspects.filter((column) => !(column in WITHOUT_USER) && !(column.split(".")[0]! in WITHOUT_USER));
    expect(open.filter((column) => !listed.has(column))).toEqual([]);
    expect([...listed].filter((column) => !columns.includes(column))).toEqual([]);
  });
});
