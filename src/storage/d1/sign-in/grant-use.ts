// Records the use of grants in D1. In a module of its own because every request with a token loads it.

import { and, eq, isNull, lt, or, sql } from "drizzle-orm";
import type { Database } from "../database";
import { grants } from "../schema/sign-in";

/** Records the use of an access token of this generation, unless a recent use is recorded. */
export async function noteGrantUse(
  db: Database,
  { id, generation }: { id: string; generation: number },
  now: number,
  since: number,
): Promise<void> {
  await db
    .update(grants)
    .set({ lastUsedAt: now, arrived: sql`max(${grants.arrived}, ${generation})` })
    .where(
      and(
        eq(grants.id, id),
        or(isNull(grants.lastUsedAt), lt(grants.lastUsedAt, since), lt(grants.arrived, generation)),
      ),
    );
}
