// Who looks through a door at what: everybody at the open list, and a caller at one of the scopes that it may read.

import { canRead, groupScope, ownsScope, PUBLIC_SCOPE, userScope, visibleScopes } from "../../domain/access/access";
import type { SharedLinkRow } from "../../storage/d1/compat/links";
import type { Context } from "../context";
import { notInIndex, type Viewer } from "./published-index";

/** Whose skills a door is about, as its address says it. */
export type ViewerScope = { kind: "own" } | { kind: "public" } | { kind: "group"; group: string } | { kind: "all" };

/** Anybody: sees what is open, as the nearest replica has it. */
export function openViewer(context: Pick<Context, "nearest" | "settings" | "packages" | "timings">): Viewer {
  const { settings, packages, timings } = context;
  return {
    // Opened when it is first asked: an archive that is known is answered without it.
    get db() {
      return context.nearest;
    },
    ...{ settings, packages, timings },
    ...{ scopes: [PUBLIC_SCOPE], openOnly: true, ids: null, owns: () => false },
  };
}

/** A caller. A group that it is not in does not exist for it. */
export function callersView(context: Context, whose: ViewerScope): Viewer {
  const { principal } = context.caller;
  const scopes = scopesOf(whose, principal.userId) ?? visibleScopes(principal);
  if (!scopes.every((scope) => canRead(principal, scope))) throw notInIndex();
  const { db, settings, packages, timings } = context;
  const owns = (scope: string) => ownsScope(principal, scope);
  return { db, settings, packages, timings, scopes, openOnly: false, ids: null, owns };
}

function scopesOf(whose: ViewerScope, userId: string): string[] | null {
  if (whose.kind === "all") return null;
  if (whose.kind === "own") return [userScope(userId)];
  return [whose.kind === "public" ? PUBLIC_SCOPE : groupScope(whose.group)];
}

/** Who comes by a link. What is withheld from others is withheld here, also of its maker's own: a link is not its maker. */
export function linkViewer(context: Context, { reads, skills }: Pick<SharedLinkRow, "reads" | "skills">): Viewer {
  const { principal } = context.caller;
  const scopes =
    reads === "own" ? [userScope(principal.userId)] : reads === "skills" ? visibleScopes(principal) : [reads];
  if (!scopes.every((scope) => canRead(principal, scope))) throw notInIndex();
  const { db, settings, packages, timings } = context;
  const ids = reads === "skills" ? skills : null;
  return { db, settings, packages, timings, scopes, openOnly: false, ids, owns: () => false };
}
