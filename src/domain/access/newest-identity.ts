// What is known of a user, and as of when. A conversation is asked from isolates that remember different moments: what one of them was
// told later holds for all of them, so that nobody takes a conversation back in time.

import * as z from "zod";
import { DURATIONS } from "../durations";
import { ACCESS_LIMITS } from "../limits";
import { GROUP_ROLES, type Membership, type Principal, visibleScopes } from "./access";

/** What a request comes with: who calls and the counters of what the caller sees, as of a D1 bookmark. Bookmarks sort as text. */
export interface UserFacts {
  principal: Principal;
  counters: Record<string, number>;
  /** `null` where nothing was read. */
  asOf: string | null;
}

const membershipsSchema = z.array(
  z.object({ group: z.string(), role: z.enum(GROUP_ROLES), claimed: z.literal(true).optional() }),
);

export const newestSchema = z.object({
  as_of: z.string(),
  /** When it was told, in milliseconds since the epoch. */
  at: z.number(),
  /** Groups that the user is in, whoever asks for the user, in rank order. */
  groups: membershipsSchema,
  counters: z.record(z.string(), z.number()),
  /** What the claims of one token came to: they are that token's alone. */
  claimed: z.object({ by: z.string(), as_of: z.string(), groups: membershipsSchema }).nullable(),
});

/** The newest that a conversation was told of its user. */
export type Newest = z.infer<typeof newestSchema>;

/** The same with what a request comes with, as far as that is newer. */
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

/** Nobody remembers for so long: whoever still comes with something older reads another database than whoever told this. */
function counting(newest: Newest | null, now: number): Newest | null {
  return newest !== null && now - newest.at <= DURATIONS.newest ? newest : null;
}

/**
 * What a request goes by: what it came with, or the newest where that is newer. The newest tells which groups the user is in and what has
 * changed; role, scopes and the groups that a token claims are the caller's own and never another's.
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
