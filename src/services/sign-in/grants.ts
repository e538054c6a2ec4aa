// Lists and revokes a user's grants to MCP hosts.

import * as z from "zod";
import { ABOUT } from "../../domain/access/audit";
import { managesAllKeys } from "../../domain/access/key-scope";
import { decodeCursor, pageOf } from "../../domain/cursor";
import { GatewayError } from "../../domain/errors";
import { endGrant, endGrantsOf, type GrantRow, listGrants, readGrant } from "../../storage/d1/sign-in/grants";
import { audited } from "../audit";
import type { Context } from "../context";

const cursorSchema = z.lazy(() => z.object({ createdAt: z.number(), id: z.string() }));

/** Returns live grants, newest first: everybody's for an admin, otherwise the caller's own. */
export async function readGrants(
  context: Context,
  limit: number,
  cursor: string | undefined,
): Promise<{ rows: GrantRow[]; nextCursor: string | null }> {
  const { principal } = context.caller;
  const whose = managesAllKeys(principal) ? null : principal.userId;
  const rows = await listGrants(context.db, whose, limit + 1, decodeCursor(cursor, cursorSchema));
  const { page, nextCursor } = pageOf(rows, limit, ({ createdAt, id }) => ({ createdAt, id }));
  return { rows: page, nextCursor };
}

/** Ends a grant with all its tokens. */
export async function deleteGrant(context: Context, id: string): Promise<void> {
  const { principal } = context.caller;
  const grant = await readGrant(context.db, id);
  if (grant === null || !(managesAllKeys(principal) || grant.userId === principal.userId)) throw grantNotFound();
  const change = { before: { user_id: ABOUT }, after: { why: "revoked" }, about: grant.userId, when: "was" } as const;
  if (!(await endGrant(audited(context, "grant.end", id, change), id, "revoked"))) throw grantNotFound();
}

/** Ends all grants of the caller. Returns their number. */
export function deleteOwnGrants(context: Context): Promise<number> {
  const recorded = audited(context, "grant.end", "*", { after: { why: "signed_out" } });
  return endGrantsOf(recorded, context.caller.principal.userId, "signed_out");
}

function grantNotFound(): GatewayError {
  return new GatewayError("not_found", "GRANT_NOT_FOUND", "Grant not found. It may have expired or been revoked.");
}
