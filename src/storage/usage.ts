// Exact counts for quotas: of what a user has, and of what a user did in a day.

import { and, eq, lt, sql } from "drizzle-orm";
import { userScope } from "../domain/access";
import type { Owned } from "../domain/quota";
import type { Database } from "./database";
import { ghosts, keys, skills } from "./schema";
import { usage } from "./schema-access";

/** Counts one more, and returns how many that makes in this window. */
export async function countUse(db: Database, subject: string, kind: string, windowStart: number): Promise<number> {
  const [row] = await db
    .insert(usage)
    .values({ subject, kind, windowStart, count: 1 })
    .onConflictDoUpdate({
      target: [usage.subject, usage.kind, usage.windowStart],
      set: { count: sql`${usage.count} + 1` },
    })
    .returning({ count: usage.count });
  return row?.count ?? 0;
}

/** Forgets windows that ended. */
export async function forgetUsage(db: Database, before: number): Promise<void> {
  await db.delete(usage).where(lt(usage.windowStart, before));
}

/** How many a user has. Each is one walk along an index. */
export async function countOwned(db: Database, userId: string, what: Owned): Promise<number> {
  const count = { count: sql<number>`count(*)` };
  const [row] =
    what === "skills"
      ? await db
          .select(count)
          .from(skills)
          .where(eq(skills.scope, userScope(userId)))
      : what === "ghosts"
        ? await db.select(count).from(ghosts).where(eq(ghosts.userId, userId))
        : await db
            .select(count)
            .from(keys)
            .where(and(eq(keys.userId, userId), sql`${keys.revokedAt} IS NULL`));
  return row?.count ?? 0;
}
