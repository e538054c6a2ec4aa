// Recording changes, and reading what was recorded.

import * as z from "zod";
import {
  type AuditAction,
  type AuditEntry,
  type Condition,
  RESOURCE_TYPES,
  type ResourceType,
} from "../domain/access/audit";
import { decodeCursor, pageOf } from "../domain/cursor";
import { sha256Hex } from "../domain/digest";
import type { JsonObject } from "../domain/json";
import { type Actor, type AuditFilter, type AuditRow, listAudit, recording, recordOnly } from "../storage/d1/audit";
import type { Database } from "../storage/d1/database";
import { requireAdmin } from "./admin";
import type { Context } from "./context";

interface Told {
  before?: JsonObject | null;
  after?: JsonObject | null;
  /** A user that is not who acts; stands in `before` and `after` as `ABOUT`. */
  about?: string;
  /** In short for the resource itself, by its id. */
  when?: "was" | "is" | "gone" | Condition;
}

/** The context's database for one change: its batch records who made it. */
export function audited(context: Context, action: AuditAction, resourceId: string, told: Told = {}): Database {
  return recording(context.db, actorOf(context), entryOf(action, resourceId, told));
}

/** Records what changes nothing in the database. */
export function recordAct(context: Context, action: AuditAction, resourceId: string, told: Told = {}): Promise<void> {
  return recordOnly(context.db, actorOf(context), entryOf(action, resourceId, told));
}

/** Records newest first. Admins only. */
export async function readAudit(
  context: Context,
  filter: AuditFilter,
  limit: number,
  cursor: string | undefined,
): Promise<{ rows: AuditRow[]; nextCursor: string | null }> {
  requireAdmin(context.caller.principal);
  const found = await listAudit(context.db, filter, limit + 1, decodeCursor(cursor, z.int()));
  const { page, nextCursor } = pageOf(found, limit, ({ seq }) => seq);
  return { rows: page, nextCursor };
}

function actorOf(context: Context): Actor {
  const { principal, requestId } = context.caller;
  return {
    userId: principal.userId,
    keyId: principal.keyId,
    requestId,
    pseudonym: context.newId("usr"),
    otherPseudonym: context.newId("usr"),
  };
}

function entryOf(action: AuditAction, resourceId: string, told: Told): AuditEntry {
  const { before = null, after = null, about = null, when = null } = told;
  const resourceType = typeOf(action);
  const entry = { action, resourceType, resourceId, before, after, about };
  if (typeof when !== "string") return { ...entry, when };
  if (resourceType === "settings" || resourceType === "user") throw new Error(`${action} is about no row`);
  return { ...entry, when: { thing: when, type: resourceType, id: resourceId } };
}

/** A conversation as the log has it: its id is the user's own words, so the log has a digest. */
export async function conversationInLog({ userId, id }: { userId: string; id: string }): Promise<string> {
  return `con_${(await sha256Hex(JSON.stringify([userId, id]))).slice(0, 24)}`;
}

/** A scope as the log has it: whose it is is told by who acts. */
export function scopeInLog(scope: string): string {
  return scope.startsWith("user:") ? "user" : scope;
}

/** What stands before the verb. */
function typeOf(action: AuditAction): ResourceType {
  const type = RESOURCE_TYPES.find((known) => action.startsWith(`${known}.`));
  if (type === undefined) throw new Error(`${action} is about no resource`);
  return type;
}
