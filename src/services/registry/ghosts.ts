// Ghosts: agent definitions, a user's own, a group's, or public. Saving one checks every skill it names in the ghost's own scope,
// and remembers which skills those were.

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

/** A ghost that the caller may read; another's is as absent as one that never was. */
export async function findGhost(context: Context, id: string): Promise<GhostRow> {
  const ghost = await readGhostById(context.db, id);
  if (ghost === null || !canRead(context.caller.principal, ghost.scope)) throw ghostNotFound();
  return ghost;
}

/** A ghost that the caller may write. */
export async function findOwnGhost(context: Context, id: string): Promise<GhostRow> {
  const ghost = await findGhost(context, id);
  requireRight(context.caller.principal, "define", ghost.scope);
  return ghost;
}

/** The ghosts that the caller may read, by namespace and name. */
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

/** Makes a ghost; its name must be free in its namespace. */
export async function createGhost(context: Context, request: GhostRequest): Promise<GhostRow> {
  const scope = writableScope(context, request.namespace);
  const content = await contentOf(context, scope, request);
  return orNameConflict(request.name, insert(context, scope, content));
}

/**
 * Replaces a ghost, its name included. It stays whose it is: who may use it, and whose secrets, do not change by the way.
 *
 * @param isMeant whether it is still what the caller has read; what else was saved since then is not written over
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

/** Makes the ghost of this name, or replaces it. */
export async function upsertGhost(
  context: Context,
  request: GhostRequest,
): Promise<{ created: boolean; ghost: GhostRow }> {
  const scope = await upsertScope(context, request);
  const content = await contentOf(context, scope, request);
  // Twice is enough for two upserts at once, or one beside a delete: the second look sees what the other has done.
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

/** Deletes a ghost. Conversations on it warn of its absence. */
export async function deleteGhost(context: Context, id: string): Promise<void> {
  const { scope, ...ghost } = await findOwnGhost(context, id);
  const recorded = audited(context, "ghost.delete", id, { before: told(scope, ghost), when: "was" });
  if (!(await deleteGhostRows(recorded, id, scope))) throw ghostNotFound();
}

async function insert(context: Context, scope: string, content: GhostContent): Promise<GhostRow> {
  await requireRoomForGhost(context, scope);
  const id = context.newId("gho");
  const recorded = audited(context, "ghost.create", id, { after: told(scope, content) });
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
  const recorded = audited(context, "ghost.update", id, { after: told(scope, content), when: "was" });
  return updateGhost(recorded, id, scope, content, seen);
}

/** What the audit log says of a ghost: not its prompt. */
function told(scope: string, { namespace, name, spec }: Pick<GhostContent, "namespace" | "name" | "spec">): JsonObject {
  const { skills = [], preload_skills = [], mcpServers = {} } = spec;
  const lists = { skills, preload_skills, mcp_servers: Object.keys(mcpServers) };
  return { namespace, name, scope: scopeInLog(scope), ...lists };
}

function ownScope(context: Context): string {
  return userScope(context.caller.principal.userId);
}

/** The scope whose ghosts a namespace has; one that the caller is not in does not exist for it. */
function scopeNamed(context: Context, namespace: string): string {
  const scope = scopeOfGhosts(context.caller.principal, namespace);
  if (scope === null) throw namespaceNotFound();
  return scope;
}

/** The scope that a namespace stands for, where the caller may write ghosts. */
export function writableScope(context: Context, namespace: string): string {
  const scope = scopeNamed(context, namespace);
  requireRight(context.caller.principal, "define", scope);
  return scope;
}

/**
 * Whose ghost an upsert by name means. Before groups had ghosts a user's own could stand in a group's namespace; such a one stays
 * meant, so that what nobody else saw is not handed to the group by a script that saves it again.
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
