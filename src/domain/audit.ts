// What the audit log records: who did what to which thing. Never what a secret, a prompt or a file says.

import type { JsonObject } from "./skill";

/** Every action there is, as `<resource>.<verb>`. */
export const AUDIT_ACTIONS = [
  "conversation.delete",
  "ghost.create",
  "ghost.update",
  "ghost.delete",
  "group.create",
  "group.update",
  "group.delete",
  "group.member.put",
  "group.member.remove",
  "key.create",
  "key.rotate",
  "key.revoke",
  "mcp_server.put",
  "mcp_server.delete",
  "secret.put",
  "secret.delete",
  "secret.rotate",
  "settings.change",
  "skill.publish",
  "skill.share",
  "skill.activate",
  "skill.delete",
  "skill.remove_references",
  "user.export",
  "user.erase",
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

export const RESOURCE_TYPES = [
  "conversation",
  "ghost",
  "group",
  "key",
  "mcp_server",
  "secret",
  "settings",
  "skill",
  "user",
] as const;
export type ResourceType = (typeof RESOURCE_TYPES)[number];

/** A change as the log has it. `before` and `after` hold names, roles, versions, hosts: what a reviewer needs, nothing secret. */
export interface AuditEntry {
  action: AuditAction;
  resourceType: ResourceType;
  resourceId: string;
  before: JsonObject | null;
  after: JsonObject | null;
  /** Recorded only if the thing was there before the change, is there after it, or is gone; `null`: whenever it is made. */
  when: "was" | "is" | "gone" | null;
}
