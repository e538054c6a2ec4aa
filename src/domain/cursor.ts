// Cursors of lists: opaque to callers, and checked when they are sent back. base64url of JSON, without secrets.

import type * as z from "zod";
import { decodeBase64Url, encodeBase64Url } from "./base64";
import { GatewayError } from "./errors";
import { utf8Text } from "./text";

export function encodeCursor(value: unknown): string {
  return encodeBase64Url(new TextEncoder().encode(JSON.stringify(value)));
}

/**
 * Returns a page of a list and the cursor of the next page, if any.
 *
 * @param rows read with a limit of one more than the page, which shows whether there is more
 * @param keyOf returns the position of a row, which becomes the cursor
 */
export function pageOf<R>(
  rows: readonly R[],
  limit: number,
  keyOf: (last: R) => unknown,
): { page: R[]; nextCursor: string | null } {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const isMore = rows.length > limit && last !== undefined;
  return { page, nextCursor: isMore ? encodeCursor(keyOf(last)) : null };
}

/** Returns the value inside a cursor. Throws `invalid` if this list did not create it. Absent: `null`. */
export function decodeCursor<T>(cursor: string | undefined, schema: z.ZodType<T>): T | null {
  if (cursor === undefined) return null;
  try {
    const bytes = decodeBase64Url(cursor);
    // Text that cannot be decoded is not JSON.
    return schema.parse(JSON.parse(bytes === null ? "" : (utf8Text(bytes) ?? "")));
  } catch {
    throw new GatewayError(
      "invalid",
      "INVALID_REQUEST",
      "The cursor does not belong to this list. Request the first page again.",
      {
        issues: [
          {
            code: "INVALID_CURSOR",
            message: "Unknown cursor. Send `next_cursor` of the previous page unchanged.",
            path: "cursor",
          },
        ],
      },
    );
  }
}
