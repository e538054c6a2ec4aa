// Quotas of users and groups, and daily limits. The settings define the numbers.

import { GatewayError } from "../errors";
import { CONVERSATION_LIMITS } from "../limits";
import type { QuotaSettings, Settings } from "../settings/settings";
import { groupOfScope, PUBLIC_SCOPE } from "./access";

const MiB = 1024 * 1024;

/** Totals of skills. `bytes`: all stored packages. `databaseBytes`: the rows of versions. */
export const SKILL_QUOTAS = ["skills", "versions", "bytes", "databaseBytes"] as const;
export type Quota = (typeof SKILL_QUOTAS)[number] | "ghosts" | "keys";

/** Whose quota an error refers to. */
export type QuotaOwner = "user" | "group";

/** Returns whose quota applies in a scope; `null` for public, which only admins write. */
export function quotaOwnerOf(scope: string): QuotaOwner | null {
  if (scope === PUBLIC_SCOPE) return null;
  return groupOfScope(scope) === null ? "user" : "group";
}

/** Returns the quotas of a user, or of a group for all members together. Groups have no keys. */
export function quotasOf(settings: QuotaSettings, holder: QuotaOwner): Readonly<Record<Quota, number>> {
  const times = holder === "user" ? 1 : settings.QUOTA_GROUP_FACTOR;
  return {
    skills: settings.QUOTA_SKILLS * times,
    versions: settings.QUOTA_VERSIONS * times,
    bytes: settings.QUOTA_PACKAGES_MIB * MiB * times,
    databaseBytes: settings.QUOTA_DATABASE_MIB * MiB * times,
    ghosts: settings.QUOTA_GHOSTS * times,
    keys: settings.QUOTA_KEYS,
  };
}

/** Returns the size limit of a user's script files. Above it, files are not stored; the result reports this, and it is not an error. */
export function fileRoom(settings: QuotaSettings): number {
  return settings.QUOTA_FILES_MIB * MiB;
}

/** Actions counted per day. */
export const COUNTED = ["uploads", "conversations", "scripts", "keys"] as const;
export type Counted = (typeof COUNTED)[number];

/** Returns a user's limits per day (UTC). */
export function dailyLimits(settings: QuotaSettings): Readonly<Record<Counted, number>> {
  return {
    uploads: settings.DAILY_UPLOADS,
    conversations: settings.DAILY_CONVERSATIONS,
    scripts: settings.DAILY_SCRIPTS,
    keys: settings.DAILY_KEYS,
  };
}

const DAY_MS = 24 * 60 * 60_000;

/** Files stored before this time have expired, deleted or not. Milliseconds since the epoch. */
export function filesSince({ FILE_DAYS }: Pick<Settings, "FILE_DAYS">, now: number): number {
  return now - FILE_DAYS * DAY_MS;
}

/** Returns the start of the day, in milliseconds since the epoch. */
export function dayOf(now: number): number {
  return now - (now % DAY_MS);
}

/** The error for an exceeded quota, with its use and owner; `null`: public. */
export function quotaExceeded(quota: Quota, limit: number, used: number, holder: QuotaOwner | null): GatewayError {
  const whose = holder === null ? "for public ones" : `per ${holder}`;
  const message = {
    bytes: `Package storage limit reached (${limit / MiB} MiB ${whose}, all versions included). Delete skills first.`,
    databaseBytes: `Database storage limit reached (${limit / MiB} MiB ${whose}, all versions included). Delete skills first.`,
    versions: `Version limit reached (${limit} ${whose}, all skills together). Delete skills first.`,
    skills: `Skill limit reached (${limit} ${whose}). Delete a skill first.`,
    ghosts: `Agent (ghost) limit reached (${limit} ${whose}). Delete an agent first.`,
    keys: `Key limit reached (${limit} ${whose}). Delete a key first.`,
  }[quota];
  return new GatewayError("conflict", "QUOTA_EXCEEDED", message, { quota, limit, used });
}

/** The error for a conversation that stores the maximum size, most of which is its log. */
export function conversationFull(used: number): GatewayError {
  const limit = CONVERSATION_LIMITS.storedBytes;
  const message = "The conversation's storage is full (limit 1 GiB). Start another conversation, or delete this one.";
  return new GatewayError("conflict", "QUOTA_EXCEEDED", message, { limit, used });
}

export function dailyLimitExceeded(what: Counted, limit: number, now: number): GatewayError {
  const retry_after_s = Math.ceil((dayOf(now) + DAY_MS - now) / 1_000);
  const message = `Daily limit reached (${limit} ${what} per user and day). Try again tomorrow (UTC).`;
  return new GatewayError("rate_limited", "DAILY_LIMIT", message, { limit, retry_after_s });
}
