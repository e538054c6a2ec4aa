// Reads a caller's identity in one round trip: the key, the user's memberships, and the change counters of all visible scopes.

import * as z from "zod";
import { GROUP_ROLES, type GroupRole, groupOfScope, type Membership } from "../../domain/access/access";
import { PUBLISHING } from "../../domain/access/key-scope";
import { type Provenance, provenanceSchema } from "../../domain/access/provenance";
import type { PublisherRights } from "../../domain/access/publisher";
import { type ConsoleSignInMethod, SESSION_TIMES } from "../../domain/console/session";
import { ACCESS_LIMITS } from "../../domain/limits";
import type { GuardedSession } from "./database";
import type { Counters, KeyRow } from "./keys";

/** The credential and user of a request. */
export interface Identity {
  /**
   * Id of the key. For an access token, a console session or a key of a publisher, its prefix (`TOKEN_OF_GRANT`, `SESSION`,
   * `KEY_OF_PUBLISHER`) and id. Empty without a credential of the gateway.
   */
  keyId: string;
  /** The user the request acts for; `null`: the key's own user. */
  userId: string | null;
  /** Groups that the user's token claims. Groups that do not exist are ignored. */
  claimed: readonly Membership[];
}

const scopesSchema = z.array(z.string());
const claimedSchema = z.array(z.object({ group: z.string(), role: z.enum(GROUP_ROLES) }));

/** Prefix of access token ids in `keyId`. */
export const TOKEN_OF_GRANT = "sga_";

/** Prefix of console session ids in `keyId`. */
export const SESSION = "sgb_";

/** Prefix of the ids of publishers' keys in `keyId`. */
export const KEY_OF_PUBLISHER = "sgp_";

/** The facts of a stored key that a request needs. An access token is accepted at the URL of its grant, a session at the console's edge. */
export type KeyCredential = Readonly<Pick<KeyRow, "id" | "hash" | "userId" | "role" | "expiresAt" | "lastUsedAt">> & {
  readonly scopes: readonly string[];
  /** The issuer's claims about the user, if a grant or session comes from an external issuer. */
  readonly claimed?: readonly Membership[];
  /** The grant of an access token. */
  readonly grant?: GrantCredential;
  /** Further facts of a session. */
  readonly session?: SessionCredential;
  /** What the key of a trusted publisher can publish. */
  readonly publisher?: PublisherRights;
};

export interface SessionCredential {
  readonly name: string | null;
  /** Time of the user's sign-in. */
  readonly signedInAt: number;
  /** Latest end of the session. */
  readonly endsAt: number;
  readonly via: ConsoleSignInMethod;
  /** The stored key whose end also ends the session. */
  readonly keyId: string | null;
  /** The digest of the settings that the session depends on. */
  readonly mark: string | null;
}

export interface GrantCredential {
  readonly id: string;
  /** The URL that the token is valid for. */
  readonly resource: string;
  readonly generation: number;
}

/** A scope that the user sees, with the key's columns repeated in each row. */
interface Row {
  scope: string | null;
  role: GroupRole | null;
  since: number;
  value: number | null;
  id: string | null;
  hash: string;
  user_id: string;
  key_role: KeyRow["role"];
  scopes: string;
  expires_at: number | null;
  last_used_at: number | null;
  claimed?: string;
  grant_id?: string;
  resource: string;
  generation: number;
  signed_in_at?: number;
  ends_at: number;
  name: string | null;
  via: ConsoleSignInMethod;
  key_id: string | null;
  mark: string | null;
  publisher_scope?: string;
  skills: string;
  provenance: string;
}

/** Rank of memberships that come from a token's claim: after all others. */
const CLAIMED = Number.MAX_SAFE_INTEGER;

/** Written as text because every request runs it, and building it with drizzle takes longer than running it. ?1 key, ?2 user, ?3 claims. */
const IDENTITY = `WITH asked AS (SELECT coalesce(?2, (SELECT user_id FROM keys WHERE id = ?1)) AS user_id)
SELECT seen.scope, seen.role, seen.since, counters.value,
  held.id, held.hash, held.user_id, held.role AS key_role, held.scopes, held.expires_at, held.last_used_at
FROM (
  SELECT 'public' AS scope, NULL AS role, 0 AS since
  UNION ALL SELECT 'user:' || user_id, NULL, 0 FROM asked
  UNION ALL SELECT 'group:' || group_name, role, created_at FROM group_members WHERE user_id = (SELECT user_id FROM asked)
  UNION ALL SELECT 'group:' || groups.name, claim.value ->> 'role', ${CLAIMED}
    FROM json_each(?3) AS claim CROSS JOIN groups ON groups.name = claim.value ->> 'group'
) AS seen
LEFT JOIN counters ON counters.scope = seen.scope
LEFT JOIN keys AS held ON held.id = ?1 AND held.revoked_at IS NULL`;

/** SQL: the time at which `made` ends with the key `signer` that created it; never, if no key created it. */
const ENDS_WITH_KEY = `CASE WHEN made.key_id IS NULL THEN ${CLAIMED} ELSE coalesce(signer.revoked_at, signer.expires_at,
      CASE WHEN signer.id IS NULL THEN 0 ELSE ${CLAIMED} END) END`;

/** SQL: the scopes that the user of `held` sees, including groups claimed by an issuer. */
const SEEN_BY_HELD = `FROM (
  SELECT 'public' AS scope, NULL AS role, 0 AS since
  UNION ALL SELECT 'user:' || user_id, NULL, 0 FROM held
  UNION ALL SELECT 'group:' || group_name, role, created_at FROM group_members WHERE user_id = (SELECT user_id FROM held)
  UNION ALL SELECT 'group:' || groups.name, claim.value ->> 'role', ${CLAIMED}
    FROM held CROSS JOIN json_each(held.claimed) AS claim CROSS JOIN groups ON groups.name = claim.value ->> 'group'
) AS seen
LEFT JOIN counters ON counters.scope = seen.scope
LEFT JOIN held ON true`;

/**
 * The same for an access token: ?1 token. User and claims come from the grant. The token ends with its grant and with the key that the
 * grant depends on. A use is recorded if its generation was not recorded yet.
 */
const IDENTITY_BY_TOKEN = `WITH held AS (
  SELECT token.id, token.hash, token.generation, made.user_id, made.id AS grant_id, made.resource, made.claimed,
    min(token.expires_at, made.expires_at, coalesce(made.ended_at, ${CLAIMED}), ${ENDS_WITH_KEY}) AS expires_at,
    CASE WHEN made.arrived >= token.generation THEN made.last_used_at END AS last_used_at
  FROM grant_tokens AS token JOIN grants AS made ON made.id = token.grant_id LEFT JOIN keys AS signer ON signer.id = made.key_id
  WHERE token.id = ?1
)
SELECT seen.scope, seen.role, seen.since, counters.value,
  held.id, held.hash, held.user_id, 'user' AS key_role, '["mcp"]' AS scopes, held.expires_at, held.last_used_at,
  held.grant_id, held.resource, held.generation, held.claimed
${SEEN_BY_HELD}`;

/** The same for a session: ?1 session. It ends with the key it comes from, at its own end, and one hour after its last use. */
const IDENTITY_BY_SESSION = `WITH held AS (
  SELECT made.*, min(made.expires_at, made.last_used_at + ${SESSION_TIMES.idle}, ${ENDS_WITH_KEY}) AS usable_until
  FROM console_sessions AS made LEFT JOIN keys AS signer ON signer.id = made.key_id
  WHERE made.id = ?1
)
SELECT seen.scope, seen.role, seen.since, counters.value,
  held.id, held.hash, held.user_id, held.role AS key_role, held.scopes, held.usable_until AS expires_at, held.last_used_at,
  held.created_at AS signed_in_at, held.expires_at AS ends_at, held.name, held.via, held.key_id, held.mark, held.claimed
${SEEN_BY_HELD}`;

/**
 * The same for a key of a trusted publisher: ?1 key. It acts for the user who registered the publisher, and ends when the publisher is
 * changed or deleted.
 */
const IDENTITY_BY_PUBLISHER = `WITH held AS (
  SELECT made.id, made.hash, made.expires_at, made.created_at, made.provenance, publisher.created_by AS user_id, '[]' AS claimed,
    publisher.scope AS publisher_scope, publisher.skills AS skills
  FROM publishing_keys AS made JOIN publishers AS publisher
    ON publisher.id = made.publisher_id AND publisher.revision = made.revision
  WHERE made.id = ?1
)
SELECT seen.scope, seen.role, seen.since, counters.value,
  held.id, held.hash, held.user_id, 'user' AS key_role, '["${PUBLISHING}"]' AS scopes, held.expires_at,
  held.created_at AS last_used_at, held.claimed, held.publisher_scope, held.skills, held.provenance
${SEEN_BY_HELD}`;

const MARKED = [
  { mark: TOKEN_OF_GRANT, statement: IDENTITY_BY_TOKEN },
  { mark: SESSION, statement: IDENTITY_BY_SESSION },
  { mark: KEY_OF_PUBLISHER, statement: IDENTITY_BY_PUBLISHER },
] as const;

/**
 * Reads in one round trip: the key (`null` if missing or revoked), the user's memberships in rank order, and the change counters of public,
 * the user's scope and the groups. The caller decides whether the key can act for that user.
 */
export async function readIdentity(
  session: GuardedSession,
  { keyId, userId, claimed }: Identity,
): Promise<{ key: KeyCredential | null; groups: Membership[]; counters: Counters }> {
  const marked = MARKED.find(({ mark }) => keyId.startsWith(mark));
  const asked =
    marked === undefined
      ? session.prepare(IDENTITY).bind(keyId, userId, JSON.stringify(claimed))
      : session.prepare(marked.statement).bind(keyId.slice(marked.mark.length));
  const { results } = await asked.all<Row>();
  const counters: Counters = {};
  for (const { scope, value } of results) if (scope !== null && value !== null) counters[scope] = value;
  return { key: keyIn(results[0]), groups: ranked(results), counters };
}

function keyIn(row: Row | undefined): KeyCredential | null {
  if (row === undefined || row.id === null) return null;
  const key = {
    id: row.id,
    hash: row.hash,
    userId: row.user_id,
    role: row.key_role,
    scopes: scopesSchema.parse(JSON.parse(row.scopes)),
    expiresAt: row.expires_at,
    lastUsedAt: row.last_used_at,
  };
  if (row.claimed === undefined) return key;
  const claimed = claimedSchema.parse(JSON.parse(row.claimed));
  const { grant_id: id, signed_in_at: signedInAt } = row;
  if (id !== undefined) {
    const { resource, generation } = row;
    return { ...key, id: TOKEN_OF_GRANT + key.id, claimed, grant: { id, resource, generation } };
  }
  const { publisher_scope: scope } = row;
  if (scope !== undefined) {
    const skills = z.array(z.string()).parse(JSON.parse(row.skills));
    const provenance: Provenance = provenanceSchema.parse(JSON.parse(row.provenance));
    return { ...key, id: KEY_OF_PUBLISHER + key.id, publisher: { scope, skills, provenance } };
  }
  if (signedInAt === undefined) return key;
  const { name, via, key_id: keyId, mark, ends_at: endsAt } = row;
  return { ...key, id: SESSION + key.id, claimed, session: { name, signedInAt, endsAt, via, keyId, mark } };
}

/** Older memberships rank first, so that joining a group never hides skills of the user's other groups. Claimed groups rank last. */
function ranked(rows: readonly { scope: string | null; role: GroupRole | null; since: number }[]): Membership[] {
  const found = new Map<string, { membership: Membership; since: number }>();
  for (const { scope, role, since } of rows) {
    const group = scope === null ? null : groupOfScope(scope);
    if (group === null || role === null || (found.get(group)?.since ?? Number.POSITIVE_INFINITY) <= since) continue;
    found.set(group, { membership: { group, role, ...(since === CLAIMED ? { claimed: true } : {}) }, since });
  }
  const ordered = [...found.values()].sort(
    (a, b) => a.since - b.since || (a.membership.group < b.membership.group ? -1 : 1),
  );
  return ordered.slice(0, ACCESS_LIMITS.groupsOfUser).map(({ membership }) => membership);
}
