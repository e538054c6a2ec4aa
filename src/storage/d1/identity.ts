// What a request must know of its caller, in one round trip: its key, its user's memberships, and the change counters of all it may see.

import * as z from "zod";
import { GROUP_ROLES, type GroupRole, groupOfScope, type Membership } from "../../domain/access/access";
import { type ConsoleSignInMethod, SESSION_TIMES } from "../../domain/console/session";
import { ACCESS_LIMITS } from "../../domain/limits";
import type { GuardedSession } from "./database";
import type { Counters, KeyRow } from "./keys";

/** Whom a request is about. */
export interface Identity {
  /** The key it brought; of an access token or a session its mark (`TOKEN_OF_GRANT`, `SESSION`) and its id; empty when it brought none of ours. */
  keyId: string;
  /** The user it speaks for; `null`: the key's own. */
  userId: string | null;
  /** Groups that the user's token claims. Those that do not exist do not count. */
  claimed: readonly Membership[];
}

const scopesSchema = z.array(z.string());
const claimedSchema = z.array(z.object({ group: z.string(), role: z.enum(GROUP_ROLES) }));

/** Stands before the id of an access token, where a key's would be. */
export const TOKEN_OF_GRANT = "sga_";

/** The same before the id of a session of the console. */
export const SESSION = "sgb_";

/** What a request needs of a stored key; an access token is as good as one at its grant's URL, a session at the console's edge. */
export type KeyCredential = Readonly<Pick<KeyRow, "id" | "hash" | "userId" | "role" | "expiresAt" | "lastUsedAt">> & {
  readonly scopes: readonly string[];
  /** What the issuer claimed of the user, where a grant or a session comes from there. */
  readonly claimed?: readonly Membership[];
  /** The grant of an access token. */
  readonly grant?: GrantCredential;
  /** What is held of a session besides. */
  readonly session?: SessionCredential;
};

export interface SessionCredential {
  readonly name: string | null;
  /** When its user signed in. */
  readonly signedInAt: number;
  /** When it ends at the latest. */
  readonly endsAt: number;
  readonly via: ConsoleSignInMethod;
  /** The stored key that it ends with. */
  readonly keyId: string | null;
  /** What the settings must still say of where it comes from. */
  readonly mark: string | null;
}

export interface GrantCredential {
  readonly id: string;
  /** The URL that it opens. */
  readonly resource: string;
  readonly generation: number;
}

/** A scope the user sees, and beside each of them the key. */
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
}

/** When one came to be a member by a token's claim: after all others. */
const CLAIMED = Number.MAX_SAFE_INTEGER;

/** Written out since every request runs it: to have drizzle build it takes longer than to run it. ?1 key, ?2 user, ?3 claims. */
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

/** When what `made` holds ends with the key `signer` that it was made with: never, where it was made with none. */
const ENDS_WITH_KEY = `CASE WHEN made.key_id IS NULL THEN ${CLAIMED} ELSE coalesce(signer.revoked_at, signer.expires_at,
      CASE WHEN signer.id IS NULL THEN 0 ELSE ${CLAIMED} END) END`;

/** What the user of `held` sees, with the groups that an issuer has claimed. */
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
 * The same for an access token: ?1 token. Its user is its grant's, and so are the claims; it ends with its grant, and with the key that
 * the grant dies with. A use is due to be noted where its generation has not arrived yet.
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

/**
 * The same for a session: ?1 session. It ends with the key that it comes from, with its own time, and an hour after it was last used.
 */
const IDENTITY_BY_SESSION = `WITH held AS (
  SELECT made.*, min(made.expires_at, made.last_used_at + ${SESSION_TIMES.idle}, ${ENDS_WITH_KEY}) AS usable_until
  FROM console_sessions AS made LEFT JOIN keys AS signer ON signer.id = made.key_id
  WHERE made.id = ?1
)
SELECT seen.scope, seen.role, seen.since, counters.value,
  held.id, held.hash, held.user_id, held.role AS key_role, held.scopes, held.usable_until AS expires_at, held.last_used_at,
  held.created_at AS signed_in_at, held.expires_at AS ends_at, held.name, held.via, held.key_id, held.mark, held.claimed
${SEEN_BY_HELD}`;

const MARKED = [
  { mark: TOKEN_OF_GRANT, statement: IDENTITY_BY_TOKEN },
  { mark: SESSION, statement: IDENTITY_BY_SESSION },
] as const;

/**
 * One round trip: the key (`null` when there is none, or it is revoked), the user's memberships in rank order, and the change
 * counters of public, the user's scope and the groups'. Whether the key may speak for that user is for the caller to decide.
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
  if (signedInAt === undefined) return key;
  const { name, via, key_id: keyId, mark, ends_at: endsAt } = row;
  return { ...key, id: SESSION + key.id, claimed, session: { name, signedInAt, endsAt, via, keyId, mark } };
}

/** Older memberships first, so that a group one is added to never hides what one's other groups have; claims come last. */
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
