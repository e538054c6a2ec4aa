// Ghosts: a user's own agent definitions. Saving one checks every skill it names and remembers which skills those were.

import * as z from "zod";
import { visibleScopes } from "../domain/access";
import { decodeCursor, encodeCursor } from "../domain/cursor";
import { GatewayError, type Issue, invalid } from "../domain/errors";
import { checkGhostSpec, type GhostSpec } from "../domain/ghost";
import { REQUEST_LIMITS } from "../domain/limits";
import { foldName } from "../domain/path";
import { parseReference } from "../domain/reference";
import type { JsonObject } from "../domain/skill";
import { isConstraintFailure } from "../storage/database";
import {
  deleteGhostRows,
  type GhostContent,
  type GhostRow,
  insertGhost,
  listGhosts,
  readGhostById,
  readGhostByName,
  updateGhost,
} from "../storage/ghosts";
import { findNamed } from "../storage/skills";
import { audited } from "./audit";
import type { Context } from "./context";
import { type PageQuery, pick } from "./listing";
import { preloadIssues } from "./preload";
import { requireRoom } from "./quota";
import { scopeNamed } from "./skills";

export interface GhostRequest {
  namespace: string;
  name: string;
  spec: GhostSpec;
}

const ghostCursor = z.object({ namespace: z.string(), folded: z.string() });

function ghostNotFound(): GatewayError {
  return new GatewayError("not_found", "GHOST_NOT_FOUND", "There is no such ghost.");
}

/** One of the caller's ghosts. */
export async function findGhost(context: Context, id: string): Promise<GhostRow> {
  const ghost = await readGhostById(context.db, context.caller.principal.userId, id);
  if (ghost === null) throw ghostNotFound();
  return ghost;
}

/** The caller's ghosts, by namespace and name. */
export async function readGhosts(
  context: Context,
  query: PageQuery & { namespace?: string | undefined; name?: string | undefined },
): Promise<{ ghosts: GhostRow[]; nextCursor: string | null }> {
  const { principal } = context.caller;
  if (query.namespace !== undefined) scopeNamed(principal, query.namespace);
  const limit = query.limit ?? REQUEST_LIMITS.listLimit;
  const filter = { namespace: query.namespace, name: query.name?.normalize("NFC") };
  const after = decodeCursor(query.cursor, ghostCursor);
  const rows = await listGhosts(context.db, principal.userId, filter, {
    after,
    skip: query.skip ?? 0,
    limit: limit + 1,
  });
  const ghosts = rows.slice(0, limit);
  const last = ghosts.at(-1);
  const more = rows.length > limit && last !== undefined;
  return { ghosts, nextCursor: more ? encodeCursor({ namespace: last.namespace, folded: last.folded }) : null };
}

/** Makes a ghost; its name must be free in its namespace. */
export async function createGhost(context: Context, request: GhostRequest): Promise<GhostRow> {
  const content = await contentOf(context, request);
  return orNameConflict(request.name, insert(context, content));
}

/** Replaces a ghost, its name included. */
export async function replaceGhost(context: Context, id: string, request: GhostRequest): Promise<GhostRow> {
  await findGhost(context, id);
  const content = await contentOf(context, request);
  const ghost = await orNameConflict(request.name, update(context, id, content));
  if (ghost === null) throw ghostNotFound();
  return ghost;
}

/** Makes the ghost of this name, or replaces it. */
export async function upsertGhost(
  context: Context,
  request: GhostRequest,
): Promise<{ created: boolean; ghost: GhostRow }> {
  const { userId } = context.caller.principal;
  const content = await contentOf(context, request);
  // Twice is enough for two upserts at once, or one beside a delete: the second look sees what the other has done.
  for (let round = 0; round < 3; round++) {
    const known = await readGhostByName(context.db, userId, content.namespace, content.folded);
    if (known !== null) {
      if (known.name !== content.name) throw nameConflict(known.name);
      const ghost = await update(context, known.id, content);
      if (ghost !== null) return { created: false, ghost };
      continue;
    }
    try {
      return { created: true, ghost: await insert(context, content) };
    } catch (error) {
      if (!isConstraintFailure(error)) throw error;
    }
  }
  throw new GatewayError("conflict", "CONCURRENT_CHANGE", "The ghost is being changed by others just now. Try again.");
}

/** Deletes one of the caller's ghosts. */
export async function deleteGhost(context: Context, id: string): Promise<void> {
  const { userId } = context.caller.principal;
  const found = await deleteGhostRows(audited(context, "ghost.delete", id, { when: "was" }), id, userId);
  if (!found) throw ghostNotFound();
}

async function insert(context: Context, content: GhostContent): Promise<GhostRow> {
  await requireRoom(context, "ghosts");
  const id = context.newId("gho");
  const recorded = audited(context, "ghost.create", id, { after: told(content) });
  return insertGhost(recorded, id, context.caller.principal.userId, content);
}

function update(context: Context, id: string, content: GhostContent): Promise<GhostRow | null> {
  const recorded = audited(context, "ghost.update", id, { after: told(content), when: "was" });
  return updateGhost(recorded, id, context.caller.principal.userId, content);
}

/** What the audit log says of a ghost: not its prompt. */
function told({ namespace, name, spec }: GhostContent): JsonObject {
  const { skills = [], preload_skills = [], mcpServers = {} } = spec;
  return { namespace, name, skills, preload_skills, mcp_servers: Object.keys(mcpServers) };
}

/** The rows of a ghost, with its skills resolved for the caller; refuses with everything that is wrong with the spec. */
async function contentOf(context: Context, { namespace, name, ...given }: GhostRequest): Promise<GhostContent> {
  scopeNamed(context.caller.principal, namespace);
  const spec = canonical(given.spec);
  const { skills, unresolved } = await resolveSkills(context, spec);
  const issues = [...checkGhostSpec(spec), ...unresolved, ...(await preloadIssues(context, spec))];
  if (issues.length > 0) throw invalid(issues, "The ghost's spec is not valid.");
  return { namespace, name, folded: foldName(name), spec, skills };
}

async function resolveSkills(
  context: Context,
  spec: GhostSpec,
): Promise<{ skills: GhostContent["skills"]; unresolved: Issue[] }> {
  const wanted = [...(spec.skills ?? []).entries()].flatMap(([position, text]) => {
    const reference = text === "*" ? null : parseReference(text);
    return reference === null ? [] : [{ position, ...reference }];
  });
  const scopes = visibleScopes(context.caller.principal);
  const names = wanted.map(({ name }) => name);
  const which = wanted.every(({ range }) => range === "*") ? "current" : "all";
  const rows = Map.groupBy(await findNamed(context.db, scopes, names, which), (row) => row.name);
  const skills: GhostContent["skills"] = [];
  const unresolved: Issue[] = [];
  for (const { position, name, range } of wanted) {
    const path = `spec.skills[${position}]`;
    const found = pick(rows.get(name) ?? [], scopes, [range]);
    if (found !== null) {
      skills.push({ position, name, range, skill_id: found.id });
    } else if (rows.has(name)) {
      unresolved.push({ code: "RANGE_UNSATISFIED", message: `No version of '${name}' satisfies '${range}'.`, path });
    } else {
      unresolved.push({ code: "UNKNOWN_SKILL", message: `There is no skill '${name}'.`, path });
    }
  }
  return { skills, unresolved };
}

/** References as names are stored, and without blanks, so that a name can be found in them by comparing text. */
function canonical(spec: GhostSpec): GhostSpec {
  const skills = spec.skills?.map((text) => {
    const reference = text === "*" ? null : parseReference(text.normalize("NFC"));
    if (reference === null) return text;
    return text.includes("@") ? `${reference.name}@${reference.range}` : reference.name;
  });
  const preload = spec.preload_skills?.map((name) => name.normalize("NFC").trim());
  return {
    ...spec,
    ...(skills === undefined ? {} : { skills }),
    ...(preload === undefined ? {} : { preload_skills: preload }),
  };
}

async function orNameConflict<T>(name: string, change: Promise<T>): Promise<T> {
  try {
    return await change;
  } catch (error) {
    throw isConstraintFailure(error) ? nameConflict(name) : error;
  }
}

function nameConflict(name: string): GatewayError {
  return new GatewayError("conflict", "NAME_CONFLICT", `There is a ghost '${name}' in this namespace already.`, {
    name,
  });
}
