// Passive health checks: results of calls are recorded for server lists. No extra request is sent.

import { GATEWAY_SCOPE, groupScope, userScope } from "../../domain/access/access";
import type { ServerRef } from "../../domain/conversation/servers";
import { DURATIONS } from "../../domain/durations";
import { metricLabelFor } from "../../domain/metrics/families";
import { Recent } from "../../domain/recent";
import type { UpstreamMemory } from "../../domain/servers/memory";
import type { ToolResult } from "../../domain/tool";
import { recordServerDown, recordServerUp, type ServerAt } from "../../storage/d1/servers/health";
import type { Context } from "../context";

/** Times at which this isolate last recorded that a server answers. */
const up = new Recent<string, number>(1_000);

/**
 * Records the result of an operation on a server after the response: the first failure immediately; a success after failures, and otherwise
 * at most every `DURATIONS.serverUp`. Servers of ghosts and skills are in no list.
 */
export function noteHealth(context: Context, ref: ServerRef, before: UpstreamMemory, after: UpstreamMemory): void {
  const at = placeOf(context, ref);
  if (at === null) return;
  const key = JSON.stringify([at.scope, at.name]);
  if (after.breaker.failures > 0) {
    if (before.breaker.failures > 0) return;
    up.delete(key);
    context.later(recordServerDown(context.db, at));
    return;
  }
  const now = context.now();
  const noted = up.get(key);
  if (before.breaker.failures === 0 && noted !== undefined && now - noted < DURATIONS.serverUp) return;
  up.set(key, now);
  context.later(recordServerUp(context.db, at));
}

/** Counts a call with its duration: `error` if the server returned an error, `failed` if it did not answer. */
export function countUpstream(
  { count }: Context,
  { name, source }: ServerRef,
  ms: number,
  { isError }: ToolResult,
  { breaker }: UpstreamMemory,
): void {
  const server = metricLabelFor(source.kind, name);
  count("upstream_calls", [server, breaker.failures > 0 ? "failed" : isError ? "error" : "ok"]);
  count("upstream_seconds", [server], ms / 1_000);
}

/** Returns the scope and name of a server that is in a list; `null` for servers of ghosts and skills. */
export function storedServer(context: Context, ref: ServerRef): { scope: string; name: string } | null {
  const at = placeOf(context, ref);
  return at === null ? null : { scope: at.scope ?? GATEWAY_SCOPE, name: at.name };
}

function placeOf({ caller }: Context, { name, source }: ServerRef): ServerAt | null {
  switch (source.kind) {
    case "gateway":
      return { scope: null, name };
    case "group":
      return { scope: groupScope(source.group), name };
    case "user":
      return { scope: userScope(caller.principal.userId), name };
    default:
      return null;
  }
}
