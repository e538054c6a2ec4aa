// The newest known identity of a conversation's user. Isolates cache identities of different age; the newest one that any request brought
// applies to all, so that a conversation never goes back in time.

import * as z from "zod";
import { DURATIONS } from "../durations";
import { ACCESS_LIMITS } from "../limits";
import { GROUP_ROLES, type Membership, type Principal, visibleScopes } from "./access";

/** The identity of a request: principal and counters, as of a D1 bookmark. Bookmarks sort as text. */
export interface UserFacts {
  principal: Principal;
  counters: Record<string, number>;
  /** `null` if nothing was read. */
  asOf: string | null;
}

const membershipsSchema = z.array(
  z.object({ group: z.string(), role: z.enum(GROUP_ROLES), claimed: z.literal(true).optional() }),
);

export const newestSchema = z.object({
  as_of: z.string(),
  /** Time of the request, in milliseconds since the epoch. */
  at: z.number(),
  /** The user's groups in rank order, independent of the caller. */
  groups: membershipsSchema,
  counters: z.record(z.string(), z.number()),
  /** Groups claimed by one token; they apply to that token only. */
  claimed: z.object({ by: z.string(), as_of: z.string(), groups: membershipsSchema }).nullable(),
});

/** The newest identity that reached a conversation. */
export type Newest = z.infer<typeof newestSchema>;

/** Updates it with a request's identity, where that is newer. */
export function joined(newest: Newest | null, { principal, counters, asOf }: UserFacts, now: number): Newest | null {
  const before = counting(newest, now);
  if (asOf === null) return before;
  const own = claimsOf(principal);
  const known = before?.claimed ?? null;
  const isClaim = own.length > 0 || known?.by === principal.keyId;
  const claimed = isClaim && (known?.as_of ?? "") <= asOf ? { by: principal.keyId, as_of: asOf, groups: own } : known;
  if (before !== null && before.as_of > asOf) return claimed === known ? before : { ...before, claimed };
  const groups = principal.groups.filter((one) => one.claimed !== true);
  return { as_of: asOf, at: now, groups, counters, claimed };
}

/** Returns the identity, or `null` if it is older than every cache of identities can be. */
function counting(newest: Newest | null, now: number): Newest | null {
  return newest !== null && now - newest.at <= DURATIONS.newest ? newest : null;
}

/**
 * Returns the identity that applies to a request: its own, or the newest if that is newer. Groups and counters come from the newest; role,
 * scopes and claimed groups always come from the caller.
 */
export function effectiveFacts(known: Newest | null, told: UserFacts, now: number): UserFacts {
  const newest = counting(known, now);
  const asOf = told.asOf ?? "";
  if (newest === null || newest.as_of <= asOf) return told;
  const { claimed } = newest;
  const isOld = claimed?.by === told.principal.keyId && claimed.as_of > asOf;
  const groups = [...newest.groups];
  const members = new Set(groups.map(({ group }) => group));
  for (const one of isOld ? claimed.groups : claimsOf(told.principal)) if (!members.has(one.group)) groups.push(one);
  const principal = { ...told.principal, groups: groups.slice(0, ACCESS_LIMITS.groupsOfUser) };
  const counters: Record<string, number> = {};
  for (const scope of visibleScopes(principal)) {
    const value = newest.counters[scope] ?? told.counters[scope];
    if (value !== undefined) counters[scope] = value;
  }
  return { principal, counters, asOf: newest.as_of };
}

function claimsOf({ groups }: Principal): Membership[] {
  return groups.filter(({ claimed }) => claimed === true);
}
