// With ten thousand skills: no statement of the registry walks a table, and none reads more rows than its answer has.
// The table below must name every function of the storage modules, or it does not compile.

import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import * as catalog from "../../../src/storage/d1/catalog";
import { type Database, type GuardedSession, guardSession, openDatabase } from "../../../src/storage/d1/database";
import type { GhostContent } from "../../../src/storage/d1/ghosts";
import * as ghosts from "../../../src/storage/d1/ghosts";
import * as groups from "../../../src/storage/d1/groups";
import * as idempotency from "../../../src/storage/d1/idempotency";
import * as identity from "../../../src/storage/d1/identity";
import * as keys from "../../../src/storage/d1/keys";
import * as publishing from "../../../src/storage/d1/publishing";
import * as search from "../../../src/storage/d1/search";
import * as skills from "../../../src/storage/d1/skills";
import * as versions from "../../../src/storage/d1/versions";
import { Recorder } from "../../support/recorder";
import { BIG_USER, OWN_SKILLS, PUBLIC_SKILLS, seedManySkills } from "../../support/registry-10k";

const OWN = `user:${BIG_USER}`;
const SCOPES = [OWN, "group:g", "public"];
const PAGE = 100;

const ghost = (name: string): GhostContent => ({
  namespace: "default",
  name,
  folded: name,
  spec: { systemPrompt: "", skills: ["skill-00000"], preload_skills: ["skill-00000"] },
  skills: [{ position: 0, name: "skill-00000", range: "*", skill_id: "skl_0-0" }],
});

const version = (id: string, skillId: string): publishing.NewVersion => ({
  id,
  skillId,
  label: id,
  digest: id,
  description: "New",
  displayName: null,
  author: null,
  tags: [],
  bindShells: null,
  dependencies: [],
  hasCapabilities: false,
  tokensDescription: 1,
  tokensLine: 1,
  tokensInstructions: 1,
  tokensFiles: 0,
  zipSha256: "z",
  zipSize: 1,
  uploadSha256: "u",
  warnings: [],
  createdBy: BIG_USER,
  startedAt: Date.now(),
  manifest: {
    description: "New",
    tags: [],
    config: {},
    tools: [],
    mcpServers: {},
    dependencies: [],
    preload: false,
    metadata: {},
    allowedTools: [],
  },
  frontmatter: {},
  files: [],
  instructions: "New.",
});

const skill = (id: string) => ({
  id,
  scope: OWN,
  name: id,
  folded: id,
  namespace: "default",
  userId: BIG_USER,
  versionId: `ver_${id}`,
});

const key = (id: string) => ({
  id,
  hash: id,
  userId: BIG_USER,
  role: "user" as const,
  scopes: [],
  groups: [],
  createdBy: "admin",
});

const answer = (key: string) => ({ userId: BIG_USER, key, request: "r", status: 201, subject: "ver_0-0", since: 0 });

type Queries<M> = { [F in keyof M]: (db: Database, session: GuardedSession) => Promise<unknown> };

const QUERIES: Queries<typeof skills> &
  Queries<typeof versions> &
  Queries<typeof publishing> &
  Queries<typeof search> &
  Queries<typeof ghosts> &
  Queries<Pick<typeof catalog, "readGhost">> &
  Queries<typeof idempotency> &
  Queries<typeof groups> &
  Queries<typeof identity> &
  Queries<typeof keys> = {
  selectSkill: async (db) => skills.selectSkill(db, "skl_0-1"),
  readSkillHead: (db) => skills.readSkillHead(db, "skl_0-1"),
  readSkill: (db) => skills.readSkill(db, "skl_0-1"),
  readSkillAt: (db) => skills.readSkillAt(db, "ver_0-1"),
  listSkills: (db) => skills.listSkills(db, "public", { after: "skill-05000", skip: 0, limit: PAGE }),
  countSkillsOf: (db) => skills.countSkillsOf(db, "public"),
  firstOfScopes: (db) => skills.firstOfScopes(db, SCOPES, "skill-05000", PAGE),
  nameAt: (db) => skills.nameAt(db, SCOPES, 20),
  findNamed: async (db) => {
    await skills.findNamed(db, SCOPES, ["skill-00050", "skill-00051"], "current");
    await skills.findNamed(db, SCOPES, ["skill-00050", "skill-00051"], "all");
  },
  listVersions: async (db) => {
    await versions.listVersions(db, "skl_0-1", PAGE, null);
    await versions.listVersions(db, "skl_0-1", PAGE, { createdAt: Date.now(), id: "ver_0-1" });
  },
  readVersionPackage: async (db) => {
    await versions.readVersionPackage(db, "skl_0-1", undefined);
    await versions.readVersionPackage(db, "skl_0-1", "1.0.0");
  },
  existingVersions: (db) => versions.existingVersions(db, ["ver_0-1", "ver_0-2", "ver_nothing"]),
  readPublishState: async (db) => {
    await publishing.readPublishState(db, { id: "skl_0-1" }, { digest: "digest-1", label: "1.0.0" });
    await publishing.readPublishState(db, { scope: "public", folded: "skill-00001" }, { digest: "x", label: null });
  },
  insertSkill: (db) => publishing.insertSkill(db, skill("a"), version("ver_a", "a"), answer("a")),
  insertVersion: async (db) => {
    await publishing.insertSkill(db, skill("b"), version("ver_b", "b"), null);
    return publishing.insertVersion(db, skill("b"), version("ver_b2", "b"), answer("b"));
  },
  activateVersion: async (db) => publishing.activateVersion(db, (await skills.readSkillAt(db, "ver_0-7"))!),
  deleteSkillRows: async (db) => {
    await publishing.insertSkill(db, skill("c"), version("ver_c", "c"), null);
    expect(await publishing.deleteSkillRows(db, { id: "c", scope: OWN }, false)).toEqual(["ver_c"]);
  },
  searchSkills: (db) => search.searchSkills(db, SCOPES, "number77", 10),
  indexSkill: (db) =>
    db.batch(
      search.indexSkill(db, "skl_0-8", { scope: "public", name: "x", displayName: null, description: "", tags: [] }),
    ),
  unindexSkill: async (db) => search.unindexSkill(db, "skl_0-9"),
  readGhost: async (db) => {
    await ghosts.insertGhost(db, "gho_named", { scope: "public", userId: "0" }, ghost("named"));
    expect((await catalog.readGhost(db, SCOPES, "named"))?.resolved).toHaveLength(1);
    expect((await catalog.readGhost(db, [OWN], "gho_named"))?.id).toBeUndefined();
  },
  readGhostById: (db) => ghosts.readGhostById(db, "gho_1"),
  readGhostByName: (db) => ghosts.readGhostByName(db, OWN, "default", "one"),
  listGhosts: async (db) => {
    const all = { after: null, skip: 0, limit: PAGE };
    await ghosts.listGhosts(db, SCOPES, { namespace: undefined, name: undefined }, all);
    await ghosts.listGhosts(
      db,
      SCOPES,
      { namespace: "default", name: undefined },
      { ...all, after: { namespace: "default", folded: "a", shared: "public" } },
    );
    await ghosts.listGhosts(db, SCOPES, { namespace: undefined, name: "one" }, all);
  },
  insertGhost: (db) => ghosts.insertGhost(db, "gho_1", { scope: OWN, userId: BIG_USER }, ghost("one")),
  updateGhost: (db) => ghosts.updateGhost(db, "gho_1", OWN, ghost("two")),
  deleteGhostRows: (db) => ghosts.deleteGhostRows(db, "gho_2", OWN),
  readReferences: (db) => ghosts.readReferences(db, SCOPES, "skl_0-0"),
  removeReferences: (db) => ghosts.removeReferences(db, SCOPES, "skl_0-0"),
  readReply: (db) => idempotency.readReply(db, BIG_USER, "a", 0),
  rememberReply: (db) => db.batch(idempotency.rememberReply(db, answer("c"))),
  keepReply: (db) => idempotency.keepReply(db, answer("d")),
  dropReplies: (db) => idempotency.dropReplies(db, 0),
  raiseCounters: async (db) => keys.raiseCounters(db, SCOPES),
  insertKey: (db) => keys.insertKey(db, { ...key("one"), groups: ["by-key"] }),
  readKey: (db) => keys.readKey(db, "one"),
  listKeys: async (db) => {
    await keys.listKeys(db, null, PAGE, { createdAt: Date.now(), id: "a" });
    await keys.listKeys(db, BIG_USER, PAGE, { createdAt: Date.now(), id: "a" });
  },
  noteKeyUse: (db) => keys.noteKeyUse(db, "one", 2, 1),
  replaceKey: async (db) => {
    const old = await keys.insertKey(db, key("old"));
    const successor = (id: string) => ({ id, hash: id, createdBy: BIG_USER });
    const made = await keys.replaceKey(db, { ...old, expiresAt: 9 }, successor("next"), 5);
    expect(made).toMatchObject({ id: "next", userId: BIG_USER, replaces: "old", expiresAt: null, createdBy: BIG_USER });
    expect(made?.createdAt).toBeGreaterThan(0);
    expect((await keys.readKey(db, "old"))?.expiresAt).toBe(5);
    expect(await keys.replaceKey(db, old, successor("again"), 3)).toBeNull();
    expect((await keys.readKey(db, "old"))?.expiresAt).toBe(5);
  },
  revokeKey: (db) => keys.revokeKey(db, "nothing", 1),
  readIdentity: async (_, session) => {
    const claimed = [{ group: "by-key", role: "Developer" } as const];
    await identity.readIdentity(session, { keyId: "one", userId: null, claimed: [] });
    await identity.readIdentity(session, { keyId: "", userId: BIG_USER, claimed });
  },
  insertGroup: (db) => groups.insertGroup(db, { name: "g", folded: "g", displayName: null }, BIG_USER),
  hasThings: (db) => groups.hasThings(db, "public"),
  readGroup: (db) => groups.readGroup(db, "g"),
  listGroups: async (db) => {
    await groups.listGroups(db, null, PAGE, "a");
    await groups.listGroups(db, ["g"], PAGE, null);
  },
  updateGroup: (db) => groups.updateGroup(db, "g", "G"),
  deleteGroupRows: (db) => groups.deleteGroupRows(db, "nothing", "group:nothing"),
  listMembers: (db) => groups.listMembers(db, "g", PAGE, "a"),
  putMember: (db) => groups.putMember(db, "g", { userId: "new", role: "Reporter", createdBy: "x" }, ["Reporter"], 64),
  deleteMember: (db) => groups.deleteMember(db, "g", BIG_USER, ["Owner"]),
};

/** Counting reads what it counts, though only an index of it; a position is found by walking there. */
const COUNTING = new Set(["countSkillsOf", "nameAt"]);

beforeAll(seedManySkills);

describe("plans with ten thousand skills", () => {
  it.each(Object.keys(QUERIES) as (keyof typeof QUERIES)[])("%s", async (name) => {
    const recorder = new Recorder();
    const session = guardSession(recorder.session(env.DB), { storage: 0 });
    await QUERIES[name](openDatabase(session, { storage: 0 }), session);
    expect(recorder.statements.length).toBeGreaterThan(0);
    for (const { sql, params, rowsRead } of recorder.statements) {
      const plan = await env.DB.prepare(`EXPLAIN QUERY PLAN ${sql}`)
        .bind(...params)
        .all<{ detail: string }>();
      const details = plan.results.map((step) => step.detail);
      const scans = details.filter((detail) => /^SCAN/.test(detail)).filter((detail) => !harmless(detail));
      expect(scans, `${sql}\n${details.join("\n")}`).toEqual([]);
      if (rowsRead === null || COUNTING.has(name) || sql.includes("skill_search")) continue;
      expect(rowsRead, sql).toBeLessThanOrEqual(SCOPES.length * (PAGE + 1) * 2);
    }
  });
});

/** Lists that came as JSON, rows made up by the statement, and the full-text index by its terms or by its rowid. */
function harmless(detail: string): boolean {
  if (/^SCAN (?:seen$|asked$|CONSTANT ROW|\d+-ROW VALUES CLAUSE)$/.test(detail)) return true;
  if (/^SCAN skill_search VIRTUAL TABLE INDEX \d+:(?:r?M\d|=)/.test(detail)) return true;
  return /^SCAN (?!skill_search)\w+ VIRTUAL TABLE INDEX \d+:/.test(detail);
}

describe("ten thousand skills", () => {
  const db = openDatabase(env.DB, { storage: 0 });

  it("are listed page by page without a gap", async () => {
    let after: string | null = null;
    let seen = 0;
    do {
      const page: Awaited<ReturnType<typeof skills.listSkills>> = await skills.listSkills(db, "public", {
        after,
        skip: 0,
        limit: PAGE,
      });
      seen += page.records.length;
      after = page.next;
    } while (after !== null);
    expect(seen).toBe(PUBLIC_SKILLS);
    expect(await skills.countSkillsOf(db, OWN)).toBeGreaterThanOrEqual(OWN_SKILLS);
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
