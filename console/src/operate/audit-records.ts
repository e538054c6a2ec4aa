// Queries for filtered records of the audit log, page by page.

import type { AuditRecord } from "../../../sdk/src/generated/operations";
import { type RequestOf, type Slice, slice } from "../gateway/call";

const ROWS = 50;
type Query = NonNullable<RequestOf<"audit.list">["query"]>;
type Action = NonNullable<Query["action"]>;

/** Filters by their names in the address. `since` and `until` are days, such as `2026-11-23`. */
export interface AuditFilters {
  actor?: string;
  action?: string;
  type?: string;
  id?: string;
  since?: string;
  until?: string;
}

/** Queries one page, newest first. The gateway reports invalid filters. */
export function recordsOf(
  { actor, action, type, id, since, until }: AuditFilters,
  cursor: string | undefined,
  signal?: AbortSignal,
  limit = ROWS,
): Promise<Slice<AuditRecord>> {
  const query: Query = {
    limit,
    ...(actor === undefined ? {} : { actor }),
    // The gateway rejects an unknown action with the list of valid ones.
    ...(action === undefined ? {} : { action: action as Action }),
    ...(type === undefined ? {} : { resource_type: type }),
    ...(id === undefined ? {} : { resource_id: id }),
    ...(since === undefined ? {} : { since: midnight(since) }),
    ...(until === undefined ? {} : { until: midnight(until) }),
    ...(cursor === undefined ? {} : { cursor }),
  };
  return slice("audit.list", { query }, signal);
}

const midnight = (day: string) => (/^\d{4}-\d\d-\d\d$/.test(day) ? `${day}T00:00:00.000Z` : day);
