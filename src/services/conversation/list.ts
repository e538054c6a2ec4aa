// A user's list of conversations.

import * as z from "zod";
import { decodeCursor, pageOf } from "../../domain/cursor";
import { REQUEST_LIMITS } from "../../domain/limits";
import { type ConversationRow, listConversationRows } from "../../storage/d1/conversations";
import type { Context } from "../context";

const cursorSchema = z.object({ createdAt: z.number(), id: z.string() });

/** A page of the caller's conversations, newest first. */
export async function listConversations(
  context: Context,
  limit: number = REQUEST_LIMITS.listLimit,
  cursor: string | undefined,
): Promise<{ rows: ConversationRow[]; nextCursor: string | null }> {
  const { userId } = context.caller.principal;
  const rows = await listConversationRows(context.db, userId, limit + 1, decodeCursor(cursor, cursorSchema));
  const { page, nextCursor } = pageOf(rows, limit, ({ createdAt, id }) => ({ createdAt, id }));
  return { rows: page, nextCursor };
}
