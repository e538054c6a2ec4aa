// Manages ghosts (agent definitions) of a user, a group, or public. Saving resolves every skill in the ghost's scope and stores which
// skills they were.

import * as z from "zod";
import {
  canRead,
  DEFAULT_NAMESPACE,
  groupOfScope,
  PUBLIC_SCOPE,
  PUBLIC_USER,
  scopeOfGhosts,
  userScope,
  visibleScopes,
} from "../../domain/access/access";
import { placeOf } from "../../domain/catalog/ghost";
import { decodeCursor, pageOf } from "../../domain/cursor";
import { GatewayError, invalid } from "../../domain/errors";
import type { JsonObject } from "../../domain/json";
import { REQUEST_LIMITS } from "../../domain/limits";
import { foldName } from "../../domain/package/path";
import { isConstraintFailure } from "../../storage/d1/database";
import {
  deleteGhostRows,
  type GhostContent,
  type GhostRow,
  insertGhost,
  listGhosts,
  readGhostById,
  readGhostByName,
  updateGhost,
} from "../../storage/d1/ghosts";
import { audited, scopeInLog } from "../audit";
import type { Context } from "../context";
import { requireRoomForGhost } from "../quota";
import { contentOf, type GhostRequest } from "./ghost-content";
import type { PageQuery } from "./listing";
import { namespaceNotFound, requireRight } from "./skills";

const ghostCursor = z.object({ namespace: z.string(), folded: z.string(), shared: z.string().default("") });

function ghostNotFound(): GatewayError {
  return new GatewayError("not_found", "GHOST_NOT_FOUND", "Agent (ghost) not found. Check the id or name.");
}

/** Returns a ghost that the caller can read. Others are reported as not found. */
export async function findGhost(context: Context, id: string): Promise<GhostRow> {
  const ghost = await readGhostById(context.db, id);
  if (ghost === null || !canRead(context.caller.principal, ghost.scope)) throw ghostNotFound();
  return ghost;
}

/** Returns a ghost that the caller can change. */
export async function findOwnGhost(context: Context, id: string): Promise<GhostRow> {
  const ghost = await findGhost(context, id);
  requireRight(context.caller.principal, "define", ghost.scope);
  return ghost;
}

/** Returns the ghosts that the caller can read, by namespace and name. */
export async function readGhosts(
  context: Context,
  query: PageQuery & { namespace?: string | undefined; name?: string | undefined; q?: string | undefined },
): Promise<{ ghosts: GhostRow[]; nextCursor: string | null }> {
  const { principal } = context.caller;
  if (query.namespace !== undefined) scopeNamed(context, query.namespace);
  const limit = query.limit ?? REQUEST_LIMITS.listLimit;
  const q = query.q === undefined ? undefined : foldName(query.q.trim());
  const filter = { namespace: query.namespace, name: query.name?.normalize("NFC"), q };
  const after = decodeCursor(query.cursor, ghostCursor);
  const rows = await listGhosts(context.db, visibleScopes(principal), filter, {
    after,
    skip: query.skip ?? 0,
    limit: limit + 1,
  });
  const { page, nextCursor } = pageOf(rows, limit, placeOf);
  return { ghosts: page, nextCursor };
}

/** Creates a ghost. The name must be free in its namespace. */
export async function createGhost(context: Context, request: GhostRequest): Promise<GhostRow> {
  const scope = writableScope(context, request.namespace);
  const content = await contentOf(context, scope, request);
  return orNameConflict(request.name, insert(context, scope, content));
}

/**
 * Replaces a ghost, including its name. Its owner stays the same, so that access and secrets do not change.
 *
 * @param isMeant whether the stored ghost is the one the caller has read; prevents lost updates
 */
export async function replaceGhost(
  context: Context,
  id: string,
  request: Omit<GhostRequest, "namespace"> & { namespace?: string | undefined },
  isMeant: ((ghost: GhostRow) => Promise<boolean>) | null = null,
): Promise<GhostRow> {
  const known = await findOwnGhost(context, id);
  const { scope, namespace: current } = known;
  if (isMeant !== null && !(await isMeant(known))) throw ghostChanged();
  const namespace = request.namespace ?? current;
  if (namespace !== current && !(namespace === DEFAULT_NAMESPACE && scope === ownScope(context)))
    throw namespaceFixed(current, namespace);
  const content = await contentOf(context, scope, { ...request, namespace });
  const seen = isMeant === null ? null : known.updatedAt;
  const ghost = await orNameConflict(request.name, update(context, id, scope, content, seen)).catch(async (error) => {
    const now = seen === null ? null : await readGhostById(context.db, id);
    throw now !== null && now.updatedAt !== seen ? ghostChanged() : error;
  });
  if (ghost === null) throw ghostNotFound();
  return ghost;
}

/** Creates or replaces the ghost with this name. */
export async function upsertGhost(
  context: Context,
  request: GhostRequest,
): Promise<{ created: boolean; ghost: GhostRow }> {
  const scope = await upsertScope(context, request);
  const content = await contentOf(context, scope, request);
  // Two rounds suffice for two concurrent upserts, or an upsert and a deletion.
  for (let round = 0; round < 3; round++) {
    const known = await readGhostByName(context.db, scope, content.namespace, content.folded);
    if (known !== null) {
      if (known.name !== content.name) throw nameConflict(known.name);
      const ghost = await update(context, known.id, scope, content);
      if (ghost !== null) return { created: false, ghost };
      continue;
    }
    try {
      return { created: true, ghost: await insert(context, scope, content) };
    } catch (error) {
      if (!isConstraintFailure(error)) throw error;
    }
  }
  throw new GatewayError(
    "conflict",
    "CONCURRENT_CHANGE",
    "The agent (ghost) is being changed by another request. Try again.",
  );
}

/** Deletes a ghost. Conversations that use it show a warning. */
export async function deleteGhost(context: Context, id: string): Promise<void> {
  const { scope, ...ghost } = await findOwnGhost(context, id);
  const recorded = audited(context, "ghost.delete", id, { before: auditFields(scope, ghost), when: "was" });
  if (!(await deleteGhostRows(recorded, id, scope))) throw ghostNotFound();
}

async function insert(context: Context, scope: string, content: GhostContent): Promise<GhostRow> {
  await requireRoomForGhost(context, scope);
  const id = context.newId("gho");
  const recorded = audited(context, "ghost.create", id, { after: auditFields(scope, content) });
  const userId = scope === PUBLIC_SCOPE ? PUBLIC_USER : context.caller.principal.userId;
  return insertGhost(recorded, id, { scope, userId }, content);
}

function update(
  context: Context,
  id: string,
  scope: string,
  content: GhostContent,
  seen: number | null = null,
): Promise<GhostRow | null> {
  const recorded = audited(context, "ghost.update", id, { after: auditFields(scope, content), when: "was" });
  return updateGhost(recorded, id, scope, content, seen);
}

/** Returns what the audit log records of a ghost: everything but its prompt. */
function auditFields(
  scope: string,
  { namespace, name, spec }: Pick<GhostContent, "namespace" | "name" | "spec">,
): JsonObject {
  const { skills = [], preload_skills = [], mcpServers = {} } = spec;
  const lists = { skills, preload_skills, mcp_servers: Object.keys(mcpServers) };
  return { namespace, name, scope: scopeInLog(scope), ...lists };
}

function ownScope(context: Context): string {
  return userScope(context.caller.principal.userId);
}

/** Returns the scope of a namespace. A group without the caller is reported as not found. */
function scopeNamed(context: Context, namespace: string): string {
  const scope = scopeOfGhosts(context.caller.principal, namespace);
  if (scope === null) throw namespaceNotFound();
  return scope;
}

/** Returns the scope of a namespace where the caller can write ghosts. */
export function writableScope(context: Context, namespace: string): string {
  const scope = scopeNamed(context, namespace);
  requireRight(context.caller.principal, "define", scope);
  return scope;
}

/**
 * Returns the scope for an upsert by name. Before groups had ghosts, a user's own ghost could be in a group's namespace. Such a ghost stays
 * private: a script that saves it again must not share it with the group.
 */
async function upsertScope(context: Context, { namespace, name }: GhostRequest): Promise<string> {
  const [scope, own] = [scopeNamed(context, namespace), ownScope(context)];
  if (groupOfScope(scope) === null) return writableScope(context, namespace);
  const known = await readGhostByName(context.db, own, namespace, foldName(name));
  return known === null ? writableScope(context, namespace) : own;
}

function namespaceFixed(current: string, namespace: string): GatewayError {
  const message = `An agent (ghost) cannot be moved from '${current}' to '${namespace}'. Create a new one there, and delete this one.`;
  return invalid([{ code: "NAMESPACE_FIXED", message, path: "metadata.namespace" }]);
}

function ghostChanged(): GatewayError {
  const message = "The agent (ghost) was changed after you read it. Read it again and merge the changes.";
  return new GatewayError("outdated", "GHOST_CHANGED", message);
}

async function orNameConflict<T>(name: string, change: Promise<T>): Promise<T> {
  try {
    return await change;
  } catch (error) {
    throw isConstraintFailure(error) ? nameConflict(name) : error;
  }
}

function nameConflict(name: string): GatewayError {
  return new GatewayError(
    "conflict",
    "NAME_CONFLICT",
    `An agent (ghost) '${name}' already exists in this namespace. Choose another name.`,
    {
      name,
    },
  );
}
