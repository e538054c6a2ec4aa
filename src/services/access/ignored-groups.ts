// Logs claimed groups that have no effect, so that an operator can find out why a user sees too little.

import type { Membership } from "../../domain/access/access";
import type { Bearer } from "../../domain/access/token";

/** Limits: names logged per isolate (each once), names per token, and characters per name. */
const MOST = 1_000;
const MOST_AT_ONCE = 20;
const MOST_CHARS = 100;

const reported = new Set<string>();

/** Logs the claimed groups that have no effect, unless they were logged before. */
export function logIgnoredGroups({ claimed, unread }: Bearer, counting: readonly Membership[]): void {
  const names = [
    ...claimed.filter(({ group }) => !counting.some((one) => one.group === group)).map(({ group }) => group),
    ...unread,
  ];
  const fresh = names
    .map((name) => name.slice(0, MOST_CHARS))
    .filter((name) => !reported.has(name))
    .slice(0, Math.min(MOST_AT_ONCE, MOST - reported.size));
  if (fresh.length === 0) return;
  for (const name of fresh) reported.add(name);
  const why =
    "Groups of a token were ignored: the group does not exist (create it with POST /api/v1/groups), it is not written `name` or " +
    "`name:Role`, or the user has reached the group limit.";
  console.warn(JSON.stringify({ event: "claimed_groups_ignored", groups: fresh, why }));
}
