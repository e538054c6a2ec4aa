// Publishes a version without activating it.

import { eq } from "drizzle-orm";
import type { Database } from "../database";
import { type NewReply, rememberReply } from "../idempotency";
import { raiseCounters } from "../keys";
import { now, skills, versions } from "../schema/registry";
import type { SkillRecord } from "../skills";
import { keepVerdicts } from "../versions";

import { type NewVersion, numberOf, recordOfBatch } from "./version-batch";

/** Adds a version to a skill without changing the current one. Fails with a constraint error as `insertVersion` does. */
export async function insertInactive(
  db: Database,
  { scope }: { scope: string },
  version: NewVersion,
  answer: NewReply | null,
): Promise<SkillRecord> {
  const [, numbers, rows] = await db.batch([
    db.insert(versions).values(version),
    numberOf(db, version.id),
    db.update(skills).set({ updatedAt: now }).where(eq(skills.id, version.skillId)).returning(),
    ...keepVerdicts(db, version),
    raiseCounters(db, [scope]),
    ...(answer === null ? [] : rememberReply(db, answer)),
  ]);
  return recordOfBatch(rows, numbers, version);
}
