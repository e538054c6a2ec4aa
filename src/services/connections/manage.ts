// Lists, confirms and deletes the caller's connections to MCP servers.

import * as z from "zod";
import { decodeCursor, pageOf } from "../../domain/cursor";
import { sha256Hex } from "../../domain/digest";
import { GatewayError } from "../../domain/errors";
import {
  activateConnection,
  type ConnectionRow,
  deleteConnection,
  deleteMisproved,
  listConnections,
  readConnection,
} from "../../storage/d1/servers/connections";
import { audited } from "../audit";
import type { Context } from "../context";
import { revokeConnection, revokeConnections } from "./revoke";

/** Returns a page of the caller's connections, oldest first. */
export async function readConnections(
  context: Context,
  limit: number,
  cursor: string | undefined,
): Promise<{ rows: ConnectionRow[]; nextCursor: string | null }> {
  const after = decodeCursor(cursor, z.string());
  const rows = await listConnections(context.db, context.caller.principal.userId, limit + 1, after);
  const { page, nextCursor } = pageOf(rows, limit, ({ id }) => id);
  return { rows: page, nextCursor };
}

/**
 * Activates a connection with the proof that the browser brought to the page which asked for it. A user who brings the proof of another
 * user's connection was sent through a foreign link: that connection is deleted and its tokens are revoked.
 */
export async function confirmConnection(context: Context, id: string, proof: string): Promise<ConnectionRow> {
  const { userId } = context.caller.principal;
  const shown = { id, userId, proof: await sha256Hex(proof) };
  const found = await activateConnection(context.db, shown);
  if (found !== null) {
    context.later(revokeConnections(context, found.before));
    return found.row;
  }
  const foreign = await deleteMisproved(context.db, shown);
  if (foreign !== null) context.later(revokeConnection(context, foreign));
  throw connectionNotFound();
}

/** Deletes a connection, and revokes its tokens after the response. */
export async function removeConnection(context: Context, id: string): Promise<void> {
  const { userId } = context.caller.principal;
  if ((await readConnection(context.db, userId, id)) === null) throw connectionNotFound();
  const recorded = audited(context, "connection.end", id, { after: { why: "deleted" }, when: "was" });
  const row = await deleteConnection(recorded, userId, id);
  if (row === null) throw connectionNotFound();
  context.later(revokeConnection(context, row));
}

function connectionNotFound(): GatewayError {
  return new GatewayError("not_found", "CONNECTION_NOT_FOUND", "Connection not found. Check the id.");
}
