// Defines what the audit log records: actor, action and resource. Never the content of a secret, prompt or file.

import type { JsonObject } from "../json";

/** All actions, as `<resource>.<verb>`. */
export const AUDIT_ACTIONS = [
  "connection.create",
  "connection.end",
  "conversation.delete",
  "ghost.create",
  "ghost.update",
  "ghost.delete",
  "grant.create",
  "grant.end",
  "group.create",
  "group.update",
  "group.delete",
  "group.member.put",
  "group.member.remove",
  "import.run",
  "import.cancel",
  "import.delete",
  "key.create",
  "key.rotate",
  "key.revoke",
  "link.create",
  "link.revoke",
  "mcp_server.put",
  "mcp_server.approve",
  "mcp_server.delete",
  "own_server.put",
  "own_server.delete",
  "model.put",
  "model.delete",
  "oauth_client.put",
  "oauth_client.delete",
  "publisher.put",
  "publisher.delete",
  "publisher.exchange",
  "publisher.refuse",
  "rating.hide",
  "rating.show",
  "report.decide",
  "review.submit",
  "review.change",
  "review.comment",
  "review.approve",
  "review.bypass",
  "review.request_changes",
  "review.reject",
  "review.withdraw",
  "secret.put",
  "secret.delete",
  "secret.rotate",
  "session.create",
  "session.end",
  "settings.change",
  "skill.open",
  "skill.close",
  "sign_in.create",
  "sign_in.approve",
  "skill.draft.put",
  "skill.draft.delete",
  "skill.publish",
  "skill.share",
  "skill.activate",
  "skill.yank",
  "skill.unyank",
  "skill.verdict",
  "skill.delete",
  "skill.rollout.put",
  "skill.rollout.stop",
  "skill.network.put",
  "skill.env.put",
  "skill.env.delete",
  "skill.request",
  "skill.remove_references",
  "user.export",
  "user.erase",
  "webhook.put",
  "webhook.rotate",
  "webhook.delete",
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/**
 * Members of `before` and `after` that stay when the user an entry is about is erased: ids created by the gateway, closed lists of words,
 * numbers and dates. Everything else may be a text of the user and is removed.
 */
export const KEPT_AFTER_ERASURE: Readonly<Record<AuditAction, readonly string[]>> = {
  // The scope can be a group's, and the issuer can be one that the user chose.
  "connection.create": [],
  "connection.end": ["why"],
  "conversation.delete": [],
  "ghost.create": ["scope"],
  "ghost.update": ["scope"],
  "ghost.delete": ["scope"],
  "grant.create": ["at", "via"],
  "grant.end": ["user_id", "why"],
  "group.create": [],
  "group.update": ["review"],
  "group.delete": [],
  "group.member.put": ["user_id", "role"],
  "group.member.remove": ["user_id"],
  "import.run": ["type", "scope", "mirror"],
  "import.cancel": ["type", "user_id"],
  "import.delete": ["type", "user_id"],
  "key.create": ["user_id", "role", "scopes", "groups", "expires_at"],
  "key.rotate": ["id", "user_id"],
  "key.revoke": ["user_id"],
  "link.create": ["reads", "skills", "expires_at"],
  "link.revoke": ["reads"],
  "mcp_server.put": ["type"],
  "mcp_server.approve": ["tools"],
  "mcp_server.delete": [],
  "own_server.put": ["type"],
  "own_server.delete": [],
  "model.put": ["api"],
  "model.delete": [],
  "oauth_client.put": [],
  "oauth_client.delete": [],
  // Users choose issuers, claims and names.
  "publisher.put": [],
  "publisher.delete": [],
  "publisher.exchange": ["expires_at"],
  "publisher.refuse": [],
  "rating.hide": ["skill_id", "user_id"],
  "rating.show": ["skill_id", "user_id"],
  "report.decide": ["skill_id", "rating_id", "decision"],
  // Authors choose the names of skills. Submissions go to a group or to public.
  "review.submit": ["scope", "zip_sha256"],
  "review.change": ["scope", "zip_sha256"],
  "review.comment": [],
  "review.approve": ["version_id", "zip_sha256"],
  "review.bypass": ["version_id", "zip_sha256"],
  "review.request_changes": ["zip_sha256"],
  "review.reject": ["zip_sha256"],
  "review.withdraw": [],
  "secret.put": [],
  "secret.delete": [],
  "secret.rotate": ["rotated"],
  "session.create": ["via"],
  "session.end": ["user_id"],
  // Belongs to the deployment, not to a user.
  "settings.change": [],
  "skill.open": [],
  "skill.close": [],
  "sign_in.create": ["user_id", "purpose"],
  "sign_in.approve": ["at", "via"],
  "skill.draft.put": ["target", "version_id", "digest", "users"],
  "skill.draft.delete": ["target", "version_id"],
  "skill.publish": ["scope", "version_id", "digest"],
  "skill.share": [],
  "skill.activate": ["version_id"],
  "skill.yank": ["version_id", "current_version_id"],
  "skill.unyank": ["version_id"],
  "skill.verdict": ["version_id", "blocked"],
  "skill.delete": ["scope", "user_id", "force", "moderated"],
  // Authors choose the names of hosts and variables.
  "skill.rollout.put": ["version_id", "percent"],
  "skill.rollout.stop": [],
  "skill.network.put": [],
  "skill.env.put": ["scope"],
  "skill.env.delete": ["scope"],
  "skill.remove_references": ["ghost_id"],
  // The author of the skill chose the host and the name, which can be the user.
  "skill.request": ["version_id"],
  "user.export": [],
  "user.erase": [],
  "webhook.put": ["events", "enabled"],
  "webhook.rotate": [],
  "webhook.delete": [],
};

/** Actions whose entries can name another user's resource. Their `user_id` is its owner. */
export const NAMES_ANOTHERS_THING: readonly AuditAction[] = ["import.cancel", "import.delete", "skill.delete"];

/** Replaces removed values in an entry. */
export const ERASED = "erased";

export const RESOURCE_TYPES = [
  "connection",
  "conversation",
  "ghost",
  "grant",
  "group",
  "import",
  "key",
  "link",
  "mcp_server",
  "model",
  "oauth_client",
  "own_server",
  "publisher",
  "rating",
  "report",
  "review",
  "secret",
  "session",
  "settings",
  "sign_in",
  "skill",
  "user",
  "webhook",
] as const;
export type ResourceType = (typeof RESOURCE_TYPES)[number];

/** Placeholder in `before` and `after` for the user an entry is about, who is stored as a pseudonym only. */
export const ABOUT = "@user";

/** A change in the log. `before` and `after` contain names, roles, versions and hosts, and nothing secret. */
export interface AuditEntry {
  action: AuditAction;
  resourceType: ResourceType;
  resourceId: string;
  before: JsonObject | null;
  after: JsonObject | null;
  /** The user it is about, if not the actor. */
  about: string | null;
  when: Condition | null;
}

/**
 * A condition for recording an entry, so that nothing is recorded that did not happen: the resource existed before the change, exists after
 * it, or is gone; a sign-in page was shown to a user who could approve it; a version is or is not yanked after it; a skill's variable had or
 * has this ciphertext; a publisher's key exists after it; a submission has a state and a digest after it; a member has a role after it, or could leave before it. `null`: always.
 */
export type Condition =
  | { thing: "was" | "is" | "gone"; type: Exclude<ResourceType, "settings" | "user">; id: string }
  | { page: string; shownTo: string }
  | { version: string; yanked: boolean }
  | { sealed: string; skill: string; at: "before" | "after" }
  | { exchanged: string }
  | { review: string; zipSha256: string; state: string }
  | { joined: string; group: string; role: string }
  | { left: string; group: string; from: readonly string[] };
