// Passive health: what calls find out of a server is noted once, for those who see it in a list. Nobody asks a server for that.

import { groupScope, userScope } from "../../domain/access/access";
import type { ServerRef } from "../../domain/conversation/servers";
import { DURATIONS } from "../../domain/durations";
import { Recent } from "../../domain/recent";
import { breakerState } from "../../domain/servers/breaker";
import type { UpstreamMemory } from "../../domain/servers/memory";
import { noteDown, noteUp, type ServerAt } from "../../storage/d1/servers/health";
import type { Context } from "../context";

/** When this isolate last noted that a server answers. Another one, or a conversation that is gone, may have noted that it does not. */
const up = new Recent<string, number>(1_000);

/**
 * Notes how an operation on a server went, behind the request: that it is down, with a conversation's first failure and when its circuit
 * opens; that it is not, when it answers after failures, and every `DURATIONS.serverUp` at most otherwise. Servers of ghosts and skills
 * are in no list.
 */
export function noteHealth(context: Context, ref: ServerRef, before: UpstreamMemory, after: UpstreamMemory): void {
  const at = placeOf(context, ref);
  if (at === null) return;
  const key = JSON.stringify([at.scope, at.name]);
  const now = context.now();
  if (after.breaker.failures > 0) {
    const opens = breakerState(after.breaker, now) === "open" && breakerState(before.breaker, now) !== "open";
    if (before.breaker.failures > 0 && !opens) return;
    up.delete(key);
    context.later(noteDown(context.db, at));
    return;
  }
  const noted = up.get(key);
  if (before.breaker.failures === 0 && noted !== undefined && now - noted < DURATIONS.serverUp) return;
  up.set(key, now);
  context.later(noteUp(context.db, at));
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
