// Lists and ends console sessions.

import * as z from "zod";
import { ABOUT } from "../../domain/access/audit";
import { managesAllKeys } from "../../domain/access/key-scope";
import { decodeCursor, pageOf } from "../../domain/cursor";
import { GatewayError } from "../../domain/errors";
import { endSession, listSessions, readSession, type SessionRow } from "../../storage/d1/console/sessions";
import { audited } from "../audit";
import type { Context } from "../context";

const cursorSchema = z.lazy(() => z.object({ createdAt: z.number(), id: z.string() }));

/** Returns live sessions, newest first: everybody's for an admin, otherwise the caller's own. */
export async function readSessions(
  context: Context,
  limit: number,
  cursor: string | undefined,
): Promise<{ rows: SessionRow[]; nextCursor: string | null }> {
  const { principal } = context.caller;
  const whose = managesAllKeys(principal) ? null : principal.userId;
  const rows = await listSessions(context.db, whose, limit + 1, decodeCursor(cursor, cursorSchema));
  const { page, nextCursor } = pageOf(rows, limit, ({ createdAt, id }) => ({ createdAt, id }));
  return { rows: page, nextCursor };
}

/** Ends a session immediately. */
export async function deleteSession(context: Context, id: string): Promise<void> {
  const { principal } = context.caller;
  const session = await readSession(context.db, id);
  if (session === null || !(managesAllKeys(principal) || session.userId === principal.userId)) throw sessionNotFound();
  const change = { before: { user_id: ABOUT }, about: session.userId, when: "was" } as const;
  if (!(await endSession(audited(context, "session.end", id, change), id))) throw sessionNotFound();
}

/** Ends the session of the request. */
export async function signOut(context: Context): Promise<void> {
  const { session } = context.caller.principal;
  if (session === undefined) throw sessionNotFound();
  await endSession(audited(context, "session.end", session.id, { when: "was" }), session.id);
}

function sessionNotFound(): GatewayError {
  return new GatewayError("not_found", "SESSION_NOT_FOUND", "Session not found. It may have expired.");
}
