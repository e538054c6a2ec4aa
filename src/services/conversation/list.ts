// Lists a user's conversations.

import * as z from "zod";
import { decodeCursor, pageOf } from "../../domain/cursor";
import { REQUEST_LIMITS } from "../../domain/limits";
import { type ConversationFilter, type ConversationRow, listConversationRows } from "../../storage/d1/conversations";
import type { Context } from "../context";

const cursorSchema = z.object({ createdAt: z.number(), id: z.string() });

/** Returns a page of the caller's conversations, newest first, as far as they match the filter. */
export async function listConversations(
  context: Context,
  {
    limit = REQUEST_LIMITS.listLimit,
    cursor,
    q,
    ...filter
  }: Omit<ConversationFilter, "words"> & {
    limit?: number | undefined;
    cursor?: string | undefined;
    q?: string | undefined;
  },
): Promise<{ rows: ConversationRow[]; nextCursor: string | null }> {
  const { userId } = context.caller.principal;
  const after = decodeCursor(cursor, cursorSchema);
  const rows = await listConversationRows(context.db, userId, limit + 1, after, { words: q, ...filter });
  const { page, nextCursor } = pageOf(rows, limit, ({ createdAt, id }) => ({ createdAt, id }));
  return { rows: page, nextCursor };
}
