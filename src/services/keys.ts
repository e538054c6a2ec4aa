// Making, listing and revoking API keys. A key is shown once; what is stored cannot be turned back into it.

import * as z from "zod";
import type { Principal } from "../domain/access";
import { decodeCursor, encodeCursor } from "../domain/cursor";
import { sha256Hex } from "../domain/digest";
import { GatewayError } from "../domain/errors";
import { insertKey, type KeyRow, listKeys, revokeKey } from "../storage/keys";
import type { Context } from "./context";

export interface KeyRequest {
  user_id: string;
  role: "user" | "admin";
  name?: string | undefined;
  scopes: string[];
  groups: string[];
  expires_at?: number | undefined;
}

const cursorSchema = z.object({ createdAt: z.number(), id: z.string() });

/** Makes a key for the named user. Returns its row and the key itself, which nobody can read again. */
export async function createKey(context: Context, request: KeyRequest): Promise<{ row: KeyRow; key: string }> {
  const creator = requireAdmin(context.caller.principal);
  const id = context.newId("k").slice(2);
  const secret = Array.from(crypto.getRandomValues(new Uint8Array(32)), (byte) => byte.toString(16).padStart(2, "0"));
  const key = `sgw_${id}_${secret.join("")}`;
  const row = await insertKey(context.db, {
    id,
    hash: await sha256Hex(key),
    userId: request.user_id,
    role: request.role,
    name: request.name ?? null,
    scopes: request.scopes,
    groups: request.groups,
    expiresAt: request.expires_at ?? null,
    createdBy: creator.userId,
  });
  return { row, key };
}

/** Live keys, newest first. */
export async function readKeys(
  context: Context,
  limit: number,
  cursor: string | undefined,
): Promise<{ rows: KeyRow[]; nextCursor: string | null }> {
  requireAdmin(context.caller.principal);
  const rows = await listKeys(context.db, limit + 1, decodeCursor(cursor, cursorSchema));
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const more = rows.length > limit && last !== undefined;
  return { rows: page, nextCursor: more ? encodeCursor({ createdAt: last.createdAt, id: last.id }) : null };
}

/** Revokes a key; the next request with it is refused. */
export async function deleteKey(context: Context, id: string): Promise<void> {
  requireAdmin(context.caller.principal);
  const found = await revokeKey(context.db, id, context.now());
  if (!found) throw new GatewayError("not_found", "KEY_NOT_FOUND", "There is no such key.");
}

function requireAdmin(principal: Principal): Principal {
  if (principal.role === "admin") return principal;
  throw new GatewayError("forbidden", "ADMIN_ONLY", "Only an admin may do this.");
}
