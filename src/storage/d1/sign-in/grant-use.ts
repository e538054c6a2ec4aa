// The use of grants in D1, apart from all else of them: each request with a token may note one.

import { and, eq, isNull, lt, or, sql } from "drizzle-orm";
import type { Database } from "../database";
import { grants } from "../schema/sign-in";

/** Notes that an access token of this generation was used, unless that was noted since. */
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
