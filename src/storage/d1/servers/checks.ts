// Stores results of scheduled checks of the gateway's MCP servers and of the skills approved from them.

import { and, desc, eq, lt, sql } from "drizzle-orm";
import type { JsonObject } from "../../../domain/json";
import type { Database } from "../database";
import { mcpServers } from "../schema/access";
import { skills } from "../schema/registry";
import { serverChecks, serverSkills } from "../schema/server-checks";

export type ServerCheckRow = typeof serverChecks.$inferSelect;
export type ServerSkillState = typeof serverSkills.$inferSelect;

/** A server whose check is due. `downSince` as in `mcpServers`. */
export interface DueServer {
  name: string;
  entry: JsonObject;
  downSince: number | null;
}

/**
 * Returns servers that are in use and were last checked before these times, the longest ago first.
 *
 * @param before `failing`: for servers that are down; `jitter`: milliseconds by which `working` is later at most, at random for each server
 */
export async function dueServers(
  db: Database,
  before: { working: number; jitter: number; failing: number },
): Promise<DueServer[]> {
  const last = sql<number>`coalesce((SELECT max(${serverChecks.at}) FROM ${serverChecks} WHERE ${serverChecks.server} = ${mcpServers.name}), 0)`;
  const { name, entry, downSince } = mcpServers;
  return db
    .select({ name, entry, downSince })
    .from(mcpServers)
    .where(
      and(
        sql`coalesce(json_extract(${entry}, '$.enabled'), 1) = 1`,
        sql`${last} <= CASE WHEN ${downSince} IS NULL THEN ${before.working} + abs(random() % ${before.jitter + 1}) ELSE ${before.failing} END`,
      ),
    )
    .orderBy(last);
}

/** Adds checks of one server. Adds nothing if the server was deleted meanwhile. */
export async function addServerChecks(db: Database, checks: readonly ServerCheckRow[]): Promise<void> {
  const rows = JSON.stringify(checks.map(({ server, at, url, ms, problem }) => [server, at, url, ms, problem]));
  await db.run(sql`INSERT OR REPLACE INTO ${serverChecks} (server, at, url, ms, problem)
    SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4 FROM json_each(${rows}) AS added
    WHERE EXISTS (SELECT 1 FROM ${mcpServers} WHERE name = value ->> 0)`);
}

/** Returns the newest checks of a server, newest first. */
export function recentServerChecks(db: Database, server: string, limit: number): Promise<ServerCheckRow[]> {
  return db
    .select()
    .from(serverChecks)
    .where(eq(serverChecks.server, server))
    .orderBy(desc(serverChecks.at), serverChecks.url)
    .limit(limit);
}

export async function deleteOldServerChecks(db: Database, before: number): Promise<void> {
  await db.delete(serverChecks).where(lt(serverChecks.at, before));
}

/** Returns what is known of the skills of a server, with their names. */
export function serverSkillStates(db: Database, server: string): Promise<(ServerSkillState & { name: string })[]> {
  const { skillId, uri, state, checkedAt } = serverSkills;
  return db
    .select({ skillId, server: serverSkills.server, uri, state, checkedAt, name: skills.name })
    .from(serverSkills)
    .innerJoin(skills, eq(skills.id, skillId))
    .where(eq(serverSkills.server, server))
    .orderBy(skills.name);
}

/** Stores the state of a skill, unless the skill was deleted meanwhile. */
export async function putServerSkillState(db: Database, found: ServerSkillState): Promise<void> {
  const { skillId, server, uri, state, checkedAt } = found;
  await db
    .insert(serverSkills)
    .select(
      sql`SELECT ${skillId}, ${server}, ${uri}, ${state}, ${checkedAt} WHERE EXISTS (SELECT 1 FROM ${skills} WHERE ${skills.id} = ${skillId})`,
    )
    .onConflictDoUpdate({ target: serverSkills.skillId, set: { server, uri, state, checkedAt } });
}
