// Passive health: what calls find out of a server is noted once, for those who see it in a list. Nobody asks a server for that.

import { groupScope, userScope } from "../../domain/access/access";
import type { ServerRef } from "../../domain/conversation/servers";
import { DURATIONS } from "../../domain/durations";
import { metricLabelFor } from "../../domain/metrics/families";
import { Recent } from "../../domain/recent";
import type { UpstreamMemory } from "../../domain/servers/memory";
import type { ToolResult } from "../../domain/tool";
import { recordServerDown, recordServerUp, type ServerAt } from "../../storage/d1/servers/health";
import type { Context } from "../context";

/** When this isolate last noted that a server answers. Another one, or a conversation that is gone, may have noted that it does not. */
const up = new Recent<string, number>(1_000);

/**
 * Notes how an operation on a server went, behind the request: that it is down, with the first that fails, since somebody who looks should
 * not hear of it later than who calls; that it is not, when it answers after failures, and every `DURATIONS.serverUp` at most otherwise.
 * Servers of ghosts and skills are in no list.
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

/** Counts a call that took so long: `error` where the server answers so, `failed` where it does not answer. */
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
