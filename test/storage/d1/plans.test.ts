// With ten thousand skills: no statement scans a table, and none reads more rows than it returns. Every exported function of a D1 module
// has a row in the table below, or a reason why not.

import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import type { Condition } from "../../../src/domain/access/audit";
import * as audit from "../../../src/storage/d1/audit";
import * as catalog from "../../../src/storage/d1/catalog";
import * as conversations from "../../../src/storage/d1/conversations";
import { type Database, type GuardedSession, guardSession, openDatabase } from "../../../src/storage/d1/database";
import * as ghosts from "../../../src/storage/d1/ghosts";
import * as groups from "../../../src/storage/d1/groups";
import * as idempotency from "../../../src/storage/d1/idempotency";
import * as identity from "../../../src/storage/d1/identity";
import * as keys from "../../../src/storage/d1/keys";
import * as servers from "../../../src/storage/d1/mcp-servers";
import * as publishState from "../../../src/storage/d1/registry/publish-state";
import * as aside from "../../../src/storage/d1/registry/publishing";
import * as publishing from "../../../src/storage/d1/registry/publishing";
import * as search from "../../../src/storage/d1/search";
import * as secrets from "../../../src/storage/d1/secrets";
import * as skillLists from "../../../src/storage/d1/skill-lists";
import * as skillUse from "../../../src/storage/d1/skill-use";
import * as skills from "../../../src/storage/d1/skills";
import * as usage from "../../../src/storage/d1/usage";
import * as users from "../../../src/storage/d1/users";
import * as versions from "../../../src/storage/d1/versions";
import * as views from "../../../src/storage/d1/views";
import { ATTESTATION_QUERIES } from "../../support/attestation-queries";
import { actor, answer, entry, ghost, key, secret, skill, talk, use, version } from "../../support/big-rows";
import { CHAT_QUERIES } from "../../support/chat-queries";
import { DOOR_QUERIES } from "../../support/compat-queries";
import { CONNECTION_QUERIES } from "../../support/connection-queries";
import { CONSOLE_QUERIES } from "../../support/console-queries";
import { DRAFT_QUERIES } from "../../support/draft-queries";
import { FILE_QUERIES } from "../../support/file-queries";
import { GHOST_QUERIES } from "../../support/ghost-queries";
import { GRANT_QUERIES } from "../../support/grant-queries";
import { IMPORT_QUERIES } from "../../support/import-queries";
import { INSIGHT_QUERIES } from "../../support/insight-queries";
import { NO_QUERY, READING, WALKING } from "../../support/plan-notes";
import { PREDICTION_QUERIES } from "../../support/prediction-queries";
import { PUBLISHER_QUERIES } from "../../support/publisher-queries";
import { RATING_QUERIES } from "../../support/rating-queries";
import { Recorder } from "../../support/recorder";
import { BIG_USER, PUBLIC_SKILLS, seedManySkills } from "../../support/registry-10k";
import { SERVER_QUERIES } from "../../support/server-queries";
import { SIGN_IN_QUERIES } from "../../support/sign-in-queries";
import { SKILL_NETWORK_QUERIES } from "../../support/skill-network-queries";
import { WEBHOOK_QUERIES } from "../../support/webhook-queries";

const OWN = `user:${BIG_USER}`;
const SCOPES = [OWN, "group:g", "public"];
const PAGE = 100;
const MEMBER = { userId: BIG_USER, held: ["group:g"] };

const VIEW: views.ViewQuery = {
  ...{ userId: BIG_USER, scopes: SCOPES, shell: "chat", ghost: null, all: true, limit: PAGE, day: 3 },
  ...{ names: ["skill-00050"], older: [], versions: ["ver_0-1"], contents: { names: ["skill-00051"], known: ["x"] } },
};

const SEARCHED = {
  ...{ scope: "public", name: "x", displayName: null, description: "", tags: [] },
  ...{ whenToUse: null, examples: [], instructions: "" },
};

/** Returns the calls of a function by its name: an exported name is unique in `src`. */
const QUERIES: Record<string, (db: Database, session: GuardedSession) => Promise<unknown>> = {
  ...FILE_QUERIES,
  ...WEBHOOK_QUERIES,
  ...DRAFT_QUERIES,
  ...GRANT_QUERIES,
  ...PREDICTION_QUERIES,
  ...INSIGHT_QUERIES,
  ...DOOR_QUERIES,
  ...IMPORT_QUERIES,
  ...CONSOLE_QUERIES,
  ...CONNECTION_QUERIES,
  ...SKILL_NETWORK_QUERIES,
  ...ATTESTATION_QUERIES,
  ...PUBLISHER_QUERIES,
  ...SIGN_IN_QUERIES,
  ...SERVER_QUERIES,
  selectSkill: async (db) => skills.selectSkill(db, "skl_0-1"),
  readSkillHead: (db) => skills.readSkillHead(db, "skl_0-1"),
  readSkill: (db) => skills.readSkill(db, "skl_0-1"),
  readSkillAt: (db) => skills.readSkillAt(db, "ver_0-1"),
  listSkills: (db) => skillLists.listSkills(db, "public", { after: "skill-05000", skip: 0, limit: PAGE }),
  countSkillsOf: (db) => skillLists.countSkillsOf(db, "public"),
  firstOfScopes: (db) => skillLists.firstOfScopes(db, SCOPES, "skill-05000", PAGE),
  nameAt: (db) => skillLists.nameAt(db, SCOPES, 20),
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
  readDeclaredVersion: (db) => versions.readDeclaredVersion(db, "skl_0-1", "1.0.0"),
  readVerdict: (db) => versions.readVerdict(db, "ver_0-1", "scripts/run.py"),
  existingVersions: (db) => versions.existingVersions(db, ["ver_0-1", "ver_0-2", "ver_nothing"]),
  readPublishState: async (db) => {
    const same = { digest: "digest-1", label: "1.0.0" };
    await publishState.readPublishState(db, { id: "skl_0-1" }, same, {
      scope: "user:x",
      use: use("uploads"),
      group: "g",
    });
    const named = { scope: "public", folded: "skill-00001" };
    const none = { scope: null, use: null, group: null };
    await publishState.readPublishState(db, named, { digest: "x", label: null }, none);
  },
  insertSkill: (db) => publishing.insertSkill(db, skill("a"), version("ver_a", "a"), answer("a")),
  insertVersion: async (db) => {
    await publishing.insertSkill(db, skill("b"), version("ver_b", "b"), null);
    return publishing.insertVersion(db, skill("b"), version("ver_b2", "b"), answer("b"));
  },
  keepSource: async (db) => {
    const sourced = {
      ...version("ver_s", "s"),
      source: { type: "index", url: "https://a.example/", taken_at: "x" },
    } as const;
    await publishing.insertSkill(db, skill("s"), sourced, null);
    expect((await versions.readVersionPackage(db, skill("s").id, undefined))?.source?.url).toBe("https://a.example/");
    expect((await versions.readVersionPackage(db, "skl_0-1", undefined))?.source).toBeNull();
  },
  insertInactive: async (db) => {
    await publishing.insertSkill(db, skill("aside"), version("ver_aside", "aside"), null, "A title");
    return aside.insertInactive(db, skill("aside"), version("ver_aside2", "aside"), answer("aside"));
  },
  readSuccessor: (db) => skills.readSuccessor(db, "skl_0-1", "ver_0-1", true),
  yankVersion: async (db) => {
    const first = await publishing.insertSkill(db, skill("d"), version("ver_d", "d"), null);
    const second = await publishing.insertVersion(db, skill("d"), version("ver_d2", "d"), null);
    expect(await publishing.yankVersion(db, second, null, false)).toBe(false);
    expect(await publishing.yankVersion(db, second, first, false)).toBe(true);
    expect(await publishing.yankVersion(db, second, first, false)).toBe(false);
    expect(await publishing.yankVersion(db, first, null, false)).toBe(true);
  },
  unyankVersion: async (db) => publishing.unyankVersion(db, (await skills.readSkillAt(db, "ver_0-7"))!, true),
  readDigests: (db) => versions.readDigests(db, ["ver_0-1", "ver_0-2"]),
  yankedAmong: (db) => versions.yankedAmong(db, ["ver_0-1", "ver_nothing"]),
  activateVersion: async (db) => publishing.activateVersion(db, (await skills.readSkillAt(db, "ver_0-7"))!),
  deleteSkillRows: async (db) => {
    await publishing.insertSkill(db, skill("c"), version("ver_c", "c"), null);
    expect(await publishing.deleteSkillRows(db, { id: "c", scope: OWN }, "all")).toEqual(["ver_c"]);
    await publishing.deleteSkillRows(db, { id: "nothing", scope: OWN }, SCOPES);
  },
  readContentsOf: (db) => skillLists.readContentsOf(db, ["ver_0-1", "ver_0-2", "ver_nothing"]),
  readSkillsAt: (db) => skillLists.readSkillsAt(db, ["ver_0-1", "ver_0-2", "ver_nothing"], PAGE),
  searchOnTrial: (db) => search.searchOnTrial(db, SCOPES, [SEARCHED], ["number77"], { limit: 10, only: null }),
  searchSkills: (db) => search.searchSkills(db, SCOPES, "number77", 10),
  indexSkill: (db) => db.batch(search.indexSkill(db, "skl_0-8", SEARCHED)),
  reindexSkills: (db) => search.reindexSkills(db, 100, PAGE),
  unindexSkill: async (db) => search.unindexSkill(db, "skl_0-9"),
  ...GHOST_QUERIES,
  ...RATING_QUERIES,
  readReply: (db) => idempotency.readReply(db, BIG_USER, "a", 0),
  readReplyOrCount: async (db) => {
    await db.batch(idempotency.rememberReply(db, answer("counted")));
    const asked = (key: string) => ({ userId: BIG_USER, key, since: 0 });
    expect((await idempotency.readReplyOrCount(db, asked("counted"), use("repeats"))).count).toBe(0);
    expect(await idempotency.readReplyOrCount(db, asked("new"), use("repeats"))).toEqual({ reply: null, count: 1 });
  },
  rememberReply: (db) => db.batch(idempotency.rememberReply(db, answer("c"))),
  keepReply: (db) => idempotency.keepReply(db, answer("d")),
  keepVerdicts: (db) =>
    Promise.all(versions.keepVerdicts(db, { id: "ver_0-2", scripts: [{ path: "a.py", runs: "isolate" }] })),
  keepDescribed: (db) => versions.keepDescribed(db, "ver_0-2", { tools: [], problems: {} }),
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
    await identity.readIdentity(session, { keyId: `${identity.KEY_OF_PUBLISHER}p`, userId: null, claimed: [] });
    await identity.readIdentity(session, { keyId: `${identity.TOKEN_OF_GRANT}t-g1`, userId: null, claimed: [] });
  },
  insertGroup: (db) => groups.insertGroup(db, { name: "g", folded: "g", displayName: null }, BIG_USER),
  hasSkillsOrGhosts: (db) => groups.hasSkillsOrGhosts(db, "public"),
  readGroup: (db) => groups.readGroup(db, "g"),
  listGroups: async (db) => {
    await groups.listGroups(db, null, PAGE, "a");
    await groups.listGroups(db, ["g"], PAGE, null);
  },
  updateGroup: (db) => groups.updateGroup(db, "g", { displayName: "G", review: "required" }),
  deleteGroupRows: (db) => groups.deleteGroupRows(db, "nothing", "group:nothing"),
  listMembers: (db) => groups.listMembers(db, "g", PAGE, "a"),
  putMember: (db) => groups.putMember(db, "g", { userId: "new", role: "Reporter", createdBy: "x" }, ["Reporter"], 64),
  deleteMember: (db) => groups.deleteMember(db, "g", BIG_USER, ["Owner"]),
  readViewRows: async (db) => {
    const order = Array.from({ length: PAGE }, (_, index) => `skl_0-${9_000 + index}`);
    await skillUse.putSkillOrder(db, 3, order);
    const { total, start, order: read } = await views.readViewRows(db, VIEW);
    expect(total).toBeGreaterThanOrEqual(PUBLIC_SKILLS);
    expect(read).toEqual(order);
    expect(start.filter(({ skill_id }) => order.includes(skill_id))).toHaveLength(PAGE);
    expect((await views.readViewRows(db, { ...VIEW, scopes: ["public"] })).start).toHaveLength(2 * PAGE);
    const spec = { systemPrompt: "", skills: ["skill-00050", "skill-00052@^1"], preload_skills: ["skill-00050"] };
    await ghosts.insertGhost(db, "gho_few", { scope: OWN, userId: BIG_USER }, { ...ghost("few"), spec });
    const few = await views.readViewRows(db, { ...VIEW, ghost: "few" });
    expect(few).toMatchObject({ ghost: { id: "gho_few", spec }, start: [], total: 0 });
    expect([...new Set(few.named.map(({ name }) => name))].sort()).toEqual([
      ...["skill-00000", "skill-00050", "skill-00052"],
    ]);
    expect(few.contents.size).toBeGreaterThan(0);
    const all = { ...spec, skills: ["*"] };
    await ghosts.insertGhost(db, "gho_all", { scope: "public", userId: "0" }, { ...ghost("all"), spec: all });
    const shared = await views.readViewRows(db, { ...VIEW, ghost: "gho_all" });
    expect(new Set(shared.start.map(({ scope }) => scope))).toEqual(new Set(["public"]));
    expect(shared.start.length).toBe(2 * PAGE);
    expect((await views.readViewRows(db, { ...VIEW, ghost: "nobody" })).total).toBe(0);
  },
  searchRows: (db) => views.searchRows(db, SCOPES, "chat", "number77", 10),
  readCatalogAfter: (db) => catalog.readCatalogAfter(db, SCOPES, "chat", "skill-05000", PAGE),
  wantedSkills: async (db) => {
    const wanted = { name: "skill-00050", skill_id: null, any_version: true };
    await catalog.wantedSkills(db, SCOPES, "chat", [wanted, { name: "x", skill_id: "skl_0-0", any_version: false }]);
  },
  wantedContents: async (db) => {
    const wanted = [{ name: "skill-00050", skill_id: null, any_version: false }];
    const { rows, contents } = await catalog.wantedContents(db, SCOPES, "chat", wanted);
    expect([...contents.keys()].sort()).toEqual(rows.map(({ version_id }) => version_id).sort());
  },
  minimumTokens: (db) => catalog.minimumTokens(db, SCOPES, ["skill-00050", "skill-00051"]),
  readVersionContents: (db) => catalog.readVersionContents(db, ["ver_0-1", "ver_0-2"]),
  readServedVersions: (db) => versions.readServedVersions(db, ["ver_0-1", "ver_0-2"]),
  eraseFromAudit: (db) => db.batch(audit.eraseFromAudit(db, "usr_somebody")),
  recordOnly: (db) => audit.recordOnly(db, actor, entry(null)),
  recording: async (db) => {
    await groups.insertGroup(db, { name: "logged", folded: "logged", displayName: null }, BIG_USER);
    for (const when of [null, { thing: "is", type: "group", id: "logged" }] as (Condition | null)[]) {
      await groups.updateGroup(audit.recording(db, actor, entry(when)), "logged", { displayName: "Logged" });
    }
  },
  listAudit: async (db) => {
    await audit.listAudit(db, {}, PAGE, null);
    await audit.listAudit(db, {}, PAGE, 7);
    await audit.listAudit(db, { actor: BIG_USER, action: "group.update" }, PAGE, null);
    await audit.listAudit(db, { resource_type: "group", resource_id: "g", since: 1, until: 2 }, PAGE, 7);
  },
  createConversationRow: async (db) => {
    const needed = { scopes: SCOPES, ghost: null, preload: { names: ["skill-00050", "skill-00051"], most: 1_000 } };
    const make = (more: Partial<typeof needed> | { ghost: string }) =>
      conversations.createConversationRow(db, talk("one"), 1, 9, { ...needed, ...more });
    expect(await make({ preload: { ...needed.preload, most: 0 } })).toMatchObject({ count: 0, isGhostThere: true });
    expect(await make({ ghost: "nobody" })).toMatchObject({ count: 0, isGhostThere: false });
    expect(await make({})).toMatchObject({ count: 1, isGhostThere: true });
  },
  putConversationRow: (db) => conversations.putConversationRow(db, talk("two")),
  updateConversationFigures: (db) =>
    conversations.updateConversationFigures(
      db,
      { userId: BIG_USER, id: "two" },
      { turns: 1, lastTurnAt: 1, tokens: 1, pastedTokens: 2, failures: 1, skills: ["poem"] },
    ),
  deleteConversationRow: (db) => conversations.deleteConversationRow(db, BIG_USER, "two"),
  listConversationRows: async (db) => {
    const after = { createdAt: Date.now(), id: "one" };
    await conversations.listConversationRows(db, BIG_USER, PAGE, null);
    await conversations.listConversationRows(db, BIG_USER, PAGE, after, { words: "tides" });
    await conversations.listConversationRows(db, BIG_USER, PAGE, null, { ghost: "editor", since: 1, until: 2 });
    await conversations.listConversationRows(db, BIG_USER, PAGE, null, { skill: "poem", state: "succeeded" });
    await conversations.listConversationRows(db, BIG_USER, PAGE, after, { state: "failed" });
  },
  putServer: (db) => servers.putServer(db, { name: "one", entry: {}, createdBy: BIG_USER }, 9),
  readServer: (db) => servers.readServer(db, "one"),
  gatewayServers: async (db) => servers.gatewayServers(db),
  listServers: async (db) => {
    await servers.listServers(db, PAGE, null);
    await servers.listServers(db, PAGE, "a");
  },
  deleteServer: (db) => servers.deleteServer(db, "one"),
  ...CHAT_QUERIES,
  putSecret: (db) => secrets.putSecret(db, secret("ONE"), 9),
  readSecret: (db) => secrets.readSecret(db, OWN, "ONE"),
  listSecrets: async (db) => {
    await secrets.listSecrets(db, OWN, PAGE, null);
    await secrets.listSecrets(db, OWN, PAGE, "A");
  },
  deleteSecret: (db) => secrets.deleteSecret(db, OWN, "NOTHING"),
  findSecrets: (db) => secrets.findSecrets(db, [OWN, "gateway"], ["ONE", "TWO"], MEMBER),
  touchSecrets: (db) => secrets.touchSecrets(db, ["sec_ONE"], 1),
  secretsUnderOtherKeys: (db) => secrets.secretsUnderOtherKeys(db, "k2", PAGE),
  reencrypt: async (db) => {
    await secrets.putSecret(db, secret("TWO"), 9);
    const [found] = await secrets.findSecrets(db, [OWN], ["TWO"], MEMBER);
    await secrets.reencrypt(db, found!, { keyId: "k2", iv: "iv", ciphertext: "d" });
  },
  readSkillUse: (db) => skillUse.readSkillUse(db, "skl_0-1", 0),
  readScopesUse: (db) => skillUse.readScopesUse(db, [OWN, "public"], { before: 0, since: 1, top: 10 }),
  readMostUsed: (db) => skillUse.readMostUsed(db, 0, PAGE),
  putSkillOrder: (db) => skillUse.putSkillOrder(db, 1, ["skl_0-1"]),
  skillOrder: async (db) => skillUse.skillOrder(db, 2),
  deleteOldUses: (db) => skillUse.deleteOldUses(db, 2, { counts: -1, batches: -1 }),
  countUse: (db) => usage.countUse(db, use("uploads")),
  counting: async (db) => usage.counting(db, use("scripts")),
  deleteOldUsage: (db) => usage.deleteOldUsage(db, 1),
  countingSkills: async (db) => {
    await db.batch(usage.countingSkills(db, OWN));
  },
  countKeys: (db) => usage.countKeys(db, BIG_USER),
  countGhosts: (db) => usage.countGhosts(db, OWN),
  readScopeUse: (db) => usage.readScopeUse(db, OWN),
  readUserUse: (db) => usage.readUserUse(db, BIG_USER, OWN, { day: 1, kinds: ["uploads", "scripts"], files: 0 }),
  readUserRows: (db) => users.readUserRows(db, BIG_USER),
  readScopeVersions: async (db) => {
    let last: users.LastVersion | null = null;
    for (const size of [PAGE, PAGE]) {
      const page: Awaited<ReturnType<typeof users.readScopeVersions>> = await users.readScopeVersions(
        db,
        OWN,
        size,
        last,
      );
      expect(page).toHaveLength(size);
      expect(page.some(({ id }) => id === last?.id)).toBe(false);
      last = page.at(-1) ?? null;
    }
  },
  listUsers: (db) => users.listUsers(db, PAGE, "a", 1_000),
  readUserSkills: (db) => users.readUserSkills(db, BIG_USER, PAGE),
  eraseUserRows: (db) => users.eraseUserRows(db, "somebody"),
  anonymizeUser: (db) => users.anonymizeUser(db, "somebody"),
};

beforeAll(seedManySkills);

describe("plans with ten thousand skills", () => {
  it("are checked for every function of every module", async () => {
    const modules = import.meta.glob<Record<string, unknown>>(
      "../../../src/storage/d1/{*,chat/*,compat/*,console/*,conversation/*,imports/*,insights/*,registry/*,review/*,servers/*,sign-in/*}.ts",
      { eager: true },
    );
    const functions = Object.values(modules)
      .flatMap((module) => Object.entries(module))
      .filter(([, value]) => typeof value === "function")
      .map(([name]) => name);
    expect([...Object.keys(QUERIES), ...Object.keys(NO_QUERY)].toSorted()).toEqual(functions.toSorted());
  });

  it.each(Object.entries(QUERIES))("%s", async (name, query) => {
    const recorder = new Recorder();
    const session = guardSession(recorder.session(env.DB), { storage: 0 });
    await query(openDatabase(session, { storage: 0 }), session);
    expect(recorder.statements.length).toBeGreaterThan(0);
    for (const { sql, params, rowsRead } of recorder.statements) {
      const plan = await env.DB.prepare(`EXPLAIN QUERY PLAN ${sql}`)
        .bind(...params)
        .all<{ detail: string }>();
      const details = plan.results.map((step) => step.detail);
      const scans = details.filter((detail) => /^SCAN/.test(detail) && !harmless(detail) && !mayWalk(name, detail));
      expect(scans, `${sql}\n${details.join("\n")}`).toEqual([]);
      if (rowsRead === null || name in READING || sql.includes("skill_search")) continue;
      expect(rowsRead, sql).toBeLessThanOrEqual(SCOPES.length * (PAGE + 1) * 2);
    }
  });
});

/** Whether a step of the plan scans a table that this function can scan. */
function mayWalk(name: string, detail: string): boolean {
  return WALKING[name]?.tables.some((table) => new RegExp(`^SCAN ${table}\\b`).test(detail)) ?? false;
}

/** Allowed: lists from JSON, rows created by the statement, and the full-text index by its terms or rowid. */
function harmless(detail: string): boolean {
  if (
    /^SCAN (?:seen$|asked$|held LEFT-JOIN$|known$|counted$|summed$|taken$|smallest$|names$|chosen$|hits$|own$|CONSTANT ROW|\d+-ROW VALUES CLAUSE|\(subquery-\d+\))$/.test(
      detail,
    )
  )
    return true;
  if (/^SCAN skill_search VIRTUAL TABLE INDEX \d+:(?:r?M\d|=|[<>])/.test(detail)) return true;
  return /^SCAN (?!skill_search)\w+ VIRTUAL TABLE INDEX \d+:/.test(detail);
}
