// Whether servers of the gateway, groups and users answer, as calls of conversations find out. No view goes by it, so no counter is raised.

import { and, eq, isNotNull, isNull } from "drizzle-orm";
import type { Database } from "../database";
import { mcpServers, ownServers } from "../schema/access";
import { now } from "../schema/registry";

/** A server in its table: the gateway's have no scope. */
export interface ServerAt {
  scope: string | null;
  name: string;
}

/** Notes since when a server fails. Where that is noted, or there is no such server, nothing is written. */
export async function recordServerDown(db: Database, { scope, name }: ServerAt): Promise<void> {
  if (scope === null) {
    const theirs = and(eq(mcpServers.name, name), isNull(mcpServers.downSince));
    await db.update(mcpServers).set({ downSince: now }).where(theirs);
  } else {
    const theirs = and(ofOwner(scope, name), isNull(ownServers.downSince));
    await db.update(ownServers).set({ downSince: now }).where(theirs);
  }
}

/** Notes that a server answers. Where it was not noted as down, nothing is written. */
export async function recordServerUp(db: Database, { scope, name }: ServerAt): Promise<void> {
  if (scope === null) {
    const theirs = and(eq(mcpServers.name, name), isNotNull(mcpServers.downSince));
    await db.update(mcpServers).set({ downSince: null }).where(theirs);
  } else {
    const theirs = and(ofOwner(scope, name), isNotNull(ownServers.downSince));
    await db.update(ownServers).set({ downSince: null }).where(theirs);
  }
}

function ofOwner(scope: string, name: string) {
  return and(eq(ownServers.scope, scope), eq(ownServers.name, name));
}
