// Records changes in the audit log and reads it.

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
import type { SkillEvent } from "../domain/webhooks/webhooks";
import { type Actor, type AuditFilter, type AuditRow, listAudit, recording, recordOnly } from "../storage/d1/audit";
import type { Database } from "../storage/d1/database";
import { requireAdmin } from "./admin";
import type { Context } from "./context";

interface Told {
  before?: JsonObject | null;
  after?: JsonObject | null;
  /** A user other than the actor. Replaced by `ABOUT` in `before` and `after`. */
  about?: string;
  /** Condition on the resource itself, or an explicit condition. */
  when?: "was" | "is" | "gone" | Condition;
  /** An event for webhooks. It is queued if the entry is recorded. */
  event?: SkillEvent;
}

/** Returns the context's database for one change: its batch also writes the audit entry. */
export function audited(context: Context, action: AuditAction, resourceId: string, told: Told = {}): Database {
  const { event } = told;
  const recorded =
    event === undefined
      ? null
      : {
          event,
          onQueued: () => context.later(context.sendEvents(event.scope)),
          onStored: (seq: number) => context.later(context.announceEvent(seq)),
        };
  return recording(context.db, actorOf(context), entryOf(action, resourceId, told), recorded);
}

/** Records an action that changes nothing in the database. */
export function recordAct(context: Context, action: AuditAction, resourceId: string, told: Told = {}): Promise<void> {
  return recordOnly(context.db, actorOf(context), entryOf(action, resourceId, told));
}

/** Returns entries, newest first. Admins only. */
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

/** Returns the digest that stands for a conversation in the log, because its id is chosen by the user. */
export async function conversationInLog({ userId, id }: { userId: string; id: string }): Promise<string> {
  return `con_${(await sha256Hex(JSON.stringify([userId, id]))).slice(0, 24)}`;
}

/** Returns how the log names a scope. A user's scope is written without the id, because the entry names the actor. */
export function scopeInLog(scope: string): string {
  return scope.startsWith("user:") ? "user" : scope;
}

/** Returns the part of an action before the verb. */
function typeOf(action: AuditAction): ResourceType {
  const type = RESOURCE_TYPES.find((known) => action.startsWith(`${known}.`));
  if (type === undefined) throw new Error(`${action} is about no resource`);
  return type;
}
