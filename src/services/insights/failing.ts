// Finds versions that fail more often than the version before, once an hour.

import { GATEWAY_SCOPE, PUBLIC_SCOPE } from "../../domain/access/access";
import { dueLook, isWorse, type Outcomes } from "../../domain/insights/comparison";
import type { SkillEvent } from "../../domain/webhooks/webhooks";
import type { Database } from "../../storage/d1/database";
import {
  type ComparedVersion,
  deleteOldComparisons,
  readComparisons,
  readFailing,
  recordLook,
} from "../../storage/d1/registry/rollouts";
import type { Context } from "../context";
import { figureScopes } from "./figures";

const DAY_MS = 24 * 60 * 60_000;
/** Time for which a new current version is compared with the version before. */
const COMPARED_MS = 30 * DAY_MS;
const AT_ONCE = 100;
const MOST_PAGES = 50;
/** Failing versions that an overview names. */
const SHOWN = 20;

/** Compares all versions that have had enough uses since their last comparison. */
export async function compareVersions({ db, now }: { db: Database; now: () => number }): Promise<void> {
  let after = { startedAt: 0, skillId: "" };
  const since = now() - COMPARED_MS;
  for (let pages = 0; pages < MOST_PAGES; pages++) {
    const rows = await readComparisons(db, since, after, AT_ONCE);
    for (const row of rows) await compare(db, row);
    const last = rows.at(-1);
    if (last === undefined || rows.length < AT_ONCE) break;
    after = last;
  }
  await deleteOldComparisons(db, since);
}

async function compare(db: Database, row: ComparedVersion): Promise<void> {
  const { candidate, former } = outcomesOf(row);
  const look = dueLook(row.looks, candidate, former);
  if (look === null) return;
  const failing = isWorse(look, candidate, former) ? { event: failingEvent(row), candidate, former } : null;
  await recordLook(db, row, look, failing);
}

/** Returns the numbers of both versions, as of the time when the version was found to fail, otherwise as of now. */
export function outcomesOf(row: ComparedVersion): { candidate: Outcomes; former: Outcomes } {
  const now = [row.candidateUses, row.candidateFailures, row.formerUses, row.formerFailures] as const;
  const [uses, failures, formerUses, formerFailures] = row.found ?? now;
  return { candidate: { uses, failures }, former: { uses: formerUses, failures: formerFailures } };
}

function failingEvent(row: ComparedVersion): SkillEvent {
  const { candidate, former } = outcomesOf(row);
  const data = {
    ...{ skill_id: row.skillId, name: row.name, version_id: row.candidateId, version: row.candidateLabel },
    ...{ uses: candidate.uses, failures: candidate.failures },
    former: { version_id: row.formerId, version: row.formerLabel, uses: former.uses, failures: former.failures },
  };
  return { type: "version.failing", scope: row.scope === PUBLIC_SCOPE ? GATEWAY_SCOPE : row.scope, data };
}

/** Returns the versions that fail more often than the version before, of skills whose figures the caller can see. */
export async function failingVersions(context: Context, group: string | undefined): Promise<ComparedVersion[]> {
  return readFailing(context.db, figureScopes(context, group), SHOWN);
}
