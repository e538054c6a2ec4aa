// Creates, lists and revokes read-only links. A link is returned once; only its digest is stored.

import { canRead, groupOfScope } from "../../domain/access/access";
import { managesAllKeys } from "../../domain/access/key-scope";
import { COMPAT_LIMITS } from "../../domain/compat/limits";
import { type LinkReads, writeLinkToken } from "../../domain/compat/link";
import { sha256Hex } from "../../domain/digest";
import { GatewayError } from "../../domain/errors";
import {
  insertSharedLink,
  listLinks,
  readScopesOf,
  readSharedLink,
  revokeLink,
  type SharedLinkRow,
} from "../../storage/d1/compat/links";
import { lastingCredential } from "../access/credential";
import { audited } from "../audit";
import type { Context } from "../context";
import { requireRight, scopeNamed, skillNotFound } from "../registry/skills";

export interface LinkRequest {
  name?: string | undefined;
  /** A group's name, or skill ids; neither: the caller's own skills. */
  group?: string | undefined;
  skills?: string[] | undefined;
  expiresAt?: number | undefined;
}

/** Creates a link to what the caller can read. Only Maintainers can create links to a group's skills, because a link admits non-members. */
export async function createSharedLink(
  context: Context,
  request: LinkRequest,
): Promise<{ row: SharedLinkRow; token: string }> {
  const { principal } = context.caller;
  const credential = await lastingCredential(context.settings, principal);
  if (credential === null) {
    const message =
      "Links cannot be created with a sign-in token, because a link ends with its credential. Use an API key.";
    throw new GatewayError("forbidden", "LINK_NEEDS_KEY", message);
  }
  const reads = await readsOf(context, request);
  const expiresAt = request.expiresAt ?? context.now() + COMPAT_LIMITS.linkMs;
  const id = context.newId("l").slice(2);
  const token = writeLinkToken(id, crypto.getRandomValues(new Uint8Array(32)));
  const after = { name: request.name ?? null, reads, skills: request.skills ?? [], expires_at: expiresAt };
  const row = await insertSharedLink(
    audited(context, "link.create", id, { after, when: "is" }),
    {
      ...{ id, hash: await sha256Hex(token), userId: principal.userId, name: request.name ?? null, reads, expiresAt },
      credential,
      skills: request.skills ?? [],
    },
    context.now(),
    COMPAT_LIMITS.links,
  );
  if (row !== null) return { row, token };
  const message = `Link limit reached (${COMPAT_LIMITS.links}). Delete a link first.`;
  throw new GatewayError("conflict", "TOO_MANY_LINKS", message, { limit: COMPAT_LIMITS.links });
}

async function readsOf(context: Context, { group, skills }: LinkRequest): Promise<LinkReads> {
  const { principal } = context.caller;
  if (group !== undefined) {
    requireRight(principal, "define", scopeNamed(principal, group));
    return `group:${group}`;
  }
  if (skills === undefined) return "own";
  const scopes = await readScopesOf(context.db, skills);
  for (const id of skills) {
    const scope = scopes.get(id);
    if (scope === undefined || !canRead(principal, scope)) throw skillNotFound();
    if (groupOfScope(scope) !== null) requireRight(principal, "define", scope);
  }
  return "skills";
}

/** Returns the caller's live links, newest first. */
export function readLinks(context: Context): Promise<SharedLinkRow[]> {
  return listLinks(context.db, context.caller.principal.userId, context.now());
}

/** Revokes a link of the caller, or any link for an admin. */
export async function deleteLink(context: Context, id: string): Promise<void> {
  const { principal } = context.caller;
  const link = await readSharedLink(context.db, id);
  if (link === null || (link.userId !== principal.userId && !managesAllKeys(principal))) throw linkNotFound();
  const change = { before: { reads: link.reads }, when: "was" } as const;
  const about = link.userId === principal.userId ? {} : { about: link.userId };
  if (!(await revokeLink(audited(context, "link.revoke", id, { ...change, ...about }), id))) throw linkNotFound();
}

function linkNotFound(): GatewayError {
  return new GatewayError("not_found", "LINK_NOT_FOUND", "Link not found. Check the id.");
}
