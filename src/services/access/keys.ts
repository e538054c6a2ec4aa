// Creates, lists, rotates and revokes API keys. A key is returned once; only its digest is stored.

import * as z from "zod";
import { ABOUT } from "../../domain/access/audit";
import { writeKey } from "../../domain/access/key";
import { canRevokeKey, canRotateKey, managesAllKeys } from "../../domain/access/key-scope";
import { SESSION_TIMES } from "../../domain/console/session";
import { decodeCursor, pageOf } from "../../domain/cursor";
import { sha256Hex } from "../../domain/digest";
import { DURATIONS } from "../../domain/durations";
import { GatewayError } from "../../domain/errors";
import { noteSessionUse } from "../../storage/d1/console/sessions";
import { constraintOf, type Database } from "../../storage/d1/database";
import { type KeyCredential, SESSION } from "../../storage/d1/identity";
import { insertKey, type KeyRow, listKeys, noteKeyUse, readKey, replaceKey, revokeKey } from "../../storage/d1/keys";
import { noteGrantUse } from "../../storage/d1/sign-in/grant-use";
import { requireAdmin } from "../admin";
import { audited } from "../audit";
import type { Context } from "../context";
import { countToday, requireRoomForKey } from "../quota";
import { isUsable } from "./credential";

export interface KeyRequest {
  user_id: string;
  role: "user" | "admin";
  name?: string | undefined;
  scopes: string[];
  groups: string[];
  expires_at?: number | undefined;
}

/** A key's row, and the key itself, which is returned only here. */
export interface MadeKey {
  row: KeyRow;
  key: string;
}

const cursorSchema = z.object({ createdAt: z.number(), id: z.string() });

/** Creates a key for the named user. */
export async function createKey(context: Context, request: KeyRequest): Promise<MadeKey> {
  const { principal } = context.caller;
  requireAdmin(principal);
  await countToday(context, "keys", request.user_id);
  await requireRoomForKey(context, request.user_id);
  const { id, key, hash } = await draftKey(context);
  try {
    const { user_id: about, role, scopes, groups } = request;
    const after = { user_id: ABOUT, role, scopes, groups, expires_at: request.expires_at ?? null };
    const row = await insertKey(audited(context, "key.create", id, { after, about }), {
      id,
      hash,
      userId: request.user_id,
      role: request.role,
      name: request.name ?? null,
      scopes: request.scopes,
      groups: request.groups,
      expiresAt: request.expires_at ?? null,
      createdBy: principal.userId,
    });
    return { row, key };
  } catch (error) {
    if (constraintOf(error) === null) throw error;
    throw new GatewayError(
      "conflict",
      "GROUP_EXISTS",
      "The name of a group differs from an existing group only in case. Use the existing name.",
    );
  }
}

/** Returns live keys, newest first: everybody's for an admin, otherwise the caller's own. */
export async function readKeys(
  context: Context,
  limit: number,
  cursor: string | undefined,
): Promise<{ rows: KeyRow[]; nextCursor: string | null }> {
  const { principal } = context.caller;
  const whose = managesAllKeys(principal) ? null : principal.userId;
  const rows = await listKeys(context.db, whose, limit + 1, decodeCursor(cursor, cursorSchema));
  const { page, nextCursor } = pageOf(rows, limit, ({ createdAt, id }) => ({ createdAt, id }));
  return { rows: page, nextCursor };
}

/** Revokes a key. Requests that use it fail from now on. */
export async function deleteKey(context: Context, id: string): Promise<void> {
  const key = await readKey(context.db, id);
  if (key === null || !canRevokeKey(context.caller.principal, key)) throw keyNotFound();
  const change = { before: { user_id: ABOUT }, about: key.userId, when: "was" } as const;
  if (!(await revokeKey(audited(context, "key.revoke", id, change), id, context.now()))) throw keyNotFound();
}

/** Creates a successor of a key with the same rights and expiry. The old key stays valid for `overlap` milliseconds. */
export async function rotateKey(context: Context, id: string, overlap: number): Promise<MadeKey> {
  const { principal } = context.caller;
  const old = await readKey(context.db, id);
  if (!isUsable(old, context.now()) || !canRevokeKey(principal, old)) throw keyNotFound();
  if (!canRotateKey(principal, old)) {
    throw new GatewayError(
      "forbidden",
      "KEY_TOO_STRONG",
      "The key has more rights than the key of this request. Use a stronger key.",
    );
  }
  await countToday(context, "keys", old.userId);
  const { id: next, key, hash } = await draftKey(context);
  const until = context.now() + overlap;
  const change = { before: { id: old.id, user_id: ABOUT }, about: old.userId, when: "is" } as const;
  const row = await replaceKey(
    audited(context, "key.rotate", next, change),
    old,
    { id: next, hash, createdBy: principal.userId },
    until,
  );
  if (row !== null) return { row, key };
  throw new GatewayError("conflict", "KEY_REPLACED", "The key was already rotated. Rotate or revoke its successor.");
}

/** Whether a use of the key should be recorded. The known time may be older than this isolate's last record. */
export function isUseDue(key: KeyCredential, notedAt: number | null, now: number): boolean {
  return Math.max(key.lastUsedAt ?? 0, notedAt ?? 0) < now - sampleOf(key);
}

/** Records a use of the key after the response. If it fails, the next use records it. */
export async function noteUse(db: Database, key: KeyCredential, now: number): Promise<void> {
  try {
    const since = now - sampleOf(key);
    const { id, grant, session, publisher } = key;
    // The publisher's last exchange is recorded instead.
    if (publisher !== undefined) return;
    if (grant !== undefined) await noteGrantUse(db, grant, now, since);
    else if (session !== undefined) await noteSessionUse(db, id.slice(SESSION.length), now, since);
    else await noteKeyUse(db, id, now, since);
  } catch (error) {
    // A storage failure is logged already.
    if (!(error instanceof GatewayError)) throw error;
  }
}

/** Sessions end when idle, so their uses are recorded more often. */
function sampleOf({ session }: KeyCredential): number {
  return session === undefined ? DURATIONS.keyUse : SESSION_TIMES.noted;
}

async function draftKey(context: Context): Promise<{ id: string; key: string; hash: string }> {
  const id = context.newId("k").slice(2);
  const key = writeKey(id, crypto.getRandomValues(new Uint8Array(32)));
  return { id, key, hash: await sha256Hex(key) };
}

function keyNotFound(): GatewayError {
  return new GatewayError("not_found", "KEY_NOT_FOUND", "Key not found. Check the id.");
}
