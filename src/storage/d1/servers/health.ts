// Stores whether MCP servers answer, as calls from conversations observe it. Views do not depend on it, so no counter is raised.

import { and, eq, isNotNull, isNull } from "drizzle-orm";
import type { Database } from "../database";
import { mcpServers, ownServers } from "../schema/access";
import { now } from "../schema/registry";

/** Identifies a server. Servers of the gateway have no scope. */
export interface ServerAt {
  scope: string | null;
  name: string;
}

/** Records since when a server fails. Writes nothing if that is already recorded or the server does not exist. */
export async function recordServerDown(db: Database, { scope, name }: ServerAt): Promise<void> {
  if (scope === null) {
    const theirs = and(eq(mcpServers.name, name), isNull(mcpServers.downSince));
    await db.update(mcpServers).set({ downSince: now }).where(theirs);
  } else {
    const theirs = and(ofOwner(scope, name), isNull(ownServers.downSince));
    await db.update(ownServers).set({ downSince: now }).where(theirs);
  }
}

/** Records that a server answers. Writes nothing if it was not recorded as failing. */
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
