import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { userScope } from "../../src/domain/access/access";
import { dailyLimits, dayOf, quotasOf } from "../../src/domain/access/quota";
import { parseSettings } from "../../src/domain/settings/settings";
import { createKey } from "../../src/services/access/keys";
import { countToday, requireRoomForGhost, requireRoomForSkill } from "../../src/services/quota";
import { recordSettings } from "../../src/services/settings-record";
import { deleteOldUsage, readScopeUse } from "../../src/storage/d1/usage";
import { contextOf } from "../support/context";

const DAY = 24 * 60 * 60_000;
const settings = parseSettings({}).settings!;
const QUOTAS = quotasOf(settings, "user");
const DAILY = dailyLimits(settings);

it("daily counts are rejected above the limit, and start again the next day", async () => {
  let now = Date.UTC(2026, 10, 21, 12);
  const context = contextOf("quota-day", { now: () => now });
  await env.DB.prepare("INSERT INTO usage (subject, kind, window_start, count) VALUES (?, 'uploads', ?, ?)")
    .bind("quota-day", dayOf(now), DAILY.uploads - 1)
    .run();
  await countToday(context, "uploads");
  await expect(countToday(context, "uploads")).rejects.toMatchObject({ code: "rate_limited", reason: "DAILY_LIMIT" });
  await countToday(context, "conversations");
  await countToday(contextOf("quota-other", { now: () => now }), "uploads");
  now += DAY;
  await countToday(context, "uploads");
  await deleteOldUsage(context.db, dayOf(now));
  const left = await env.DB.prepare("SELECT window_start FROM usage WHERE subject = 'quota-day'").all();
  expect(left.results).toEqual([{ window_start: dayOf(now) }]);
});

it("no user has more than the limit, and deleted objects do not count", async () => {
  const admin = contextOf("root", { principal: { role: "admin" } });
  const rows = Array.from({ length: QUOTAS.keys }, (_, n) =>
    env.DB.prepare(
      "INSERT INTO keys (id, hash, user_id, role, scopes, groups, created_by) VALUES (?, 'h', 'quota-full', 'user', '[]', '[]', 'root')",
    ).bind(`q${n}`),
  );
  await env.DB.batch(rows);
  const request = { user_id: "quota-full", role: "user" as const, scopes: [], groups: [] };
  await expect(createKey(admin, request)).rejects.toMatchObject({
    reason: "QUOTA_EXCEEDED",
    details: { limit: QUOTAS.keys, used: QUOTAS.keys },
  });
  await env.DB.prepare("UPDATE keys SET revoked_at = 1 WHERE id = 'q0'").run();
  expect((await createKey(admin, request)).row.userId).toBe("quota-full");
  // The quota of a user that creates keys for others.
  const maker = "UPDATE usage SET count = ? WHERE subject = ? AND kind = 'keys'";
  expect((await env.DB.prepare(maker).bind(DAILY.keys, "root").run()).meta.changes).toBe(0);
  expect((await env.DB.prepare(maker).bind(DAILY.keys, "quota-full").run()).meta.changes).toBe(1);
  await env.DB.prepare("UPDATE keys SET revoked_at = 1 WHERE id = 'q1'").run();
  await expect(createKey(admin, request)).rejects.toMatchObject({ reason: "DAILY_LIMIT" });
  const none = { skills: 0, versions: 0, bytes: 0, databaseBytes: 0 };
  const refused = (skills: number, bytes: number, isNew: boolean) => () =>
    requireRoomForSkill(settings, "user", { ...none, skills, bytes }, { isNew, bytes: 10, databaseBytes: 0 });
  expect(refused(QUOTAS.skills - 1, QUOTAS.bytes - 10, true)).not.toThrow();
  expect(refused(QUOTAS.skills, 0, false)).not.toThrow();
  const exceeded = (details: object) => expect.objectContaining({ reason: "QUOTA_EXCEEDED", details });
  expect(refused(QUOTAS.skills, 0, true)).toThrow(
    exceeded({ quota: "skills", limit: QUOTAS.skills, used: QUOTAS.skills }),
  );
  expect(refused(0, QUOTAS.bytes - 9, false)).toThrow(
    exceeded({ quota: "bytes", limit: QUOTAS.bytes, used: QUOTAS.bytes - 9 }),
  );
  expect(await readScopeUse(admin.db, userScope("quota-empty"))).toEqual({ ...none, ghosts: 0 });
  await requireRoomForGhost(contextOf("quota-empty"), "user:quota-empty");
});

it.each(["user", "group"] as const)("a %s fills each quota of skills to its end and no further", (holder) => {
  const small = { QUOTA_SKILLS: "3", QUOTA_VERSIONS: "5", QUOTA_PACKAGES_MIB: "7", QUOTA_DATABASE_MIB: "2" };
  const settings = parseSettings({ ...small, QUOTA_GROUP_FACTOR: "10" }).settings!;
  const quotas = quotasOf(settings, holder);
  const times = holder === "user" ? 1 : 10;
  const MiB = times * 1024 * 1024;
  expect(quotas).toMatchObject({ skills: 3 * times, versions: 5 * times, bytes: 7 * MiB, databaseBytes: 2 * MiB });
  const none = { skills: 0, versions: 0, bytes: 0, databaseBytes: 0 };
  const one = { isNew: true, bytes: 1, databaseBytes: 1 };
  for (const quota of ["skills", "versions", "bytes", "databaseBytes"] as const) {
    const limit = quotas[quota];
    expect(() => requireRoomForSkill(settings, holder, { ...none, [quota]: limit - 1 }, one)).not.toThrow();
    expect(() => requireRoomForSkill(settings, holder, { ...none, [quota]: limit }, one)).toThrow(
      expect.objectContaining({ reason: "QUOTA_EXCEEDED", details: { quota, limit, used: limit } }),
    );
  }
});

it("settings that changed are recorded once, with before and after and without secrets", async () => {
  const { db } = contextOf("root");
  const settings = { SKILLS_ENABLED: true, SECRETS_KEY: "planted-deployment-key", SKILLS_ALLOWED: [], QUOTA_KEYS: 7 };
  await recordSettings(db, settings, "usr_1");
  await recordSettings(db, settings, "usr_2");
  await recordSettings(db, { ...settings, SKILLS_ENABLED: false }, "usr_3");
  const { results } = await env.DB.prepare(
    "SELECT before, after FROM audit WHERE action = 'settings.change' ORDER BY seq",
  ).all<{ before: string | null; after: string }>();
  expect(results).toHaveLength(2);
  expect(JSON.parse(results[1]?.before ?? "")).toMatchObject({
    SKILLS_ENABLED: "true",
    SECRETS_KEY: true,
    QUOTA_KEYS: "7",
  });
  expect(JSON.parse(results[1]?.after ?? "")).toMatchObject({ SKILLS_ENABLED: "false" });
  expect(JSON.stringify(results)).not.toContain("planted");
});
