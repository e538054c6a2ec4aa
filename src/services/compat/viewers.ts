// Determines the viewer of a published index: anybody for the open list, or a caller for a readable scope.

import { canRead, groupScope, ownsScope, PUBLIC_SCOPE, userScope, visibleScopes } from "../../domain/access/access";
import type { SharedLinkRow } from "../../storage/d1/compat/links";
import type { Context } from "../context";
import { notInIndex, type Viewer } from "./published-index";

/** The scope that an index URL names. */
export type ViewerScope = { kind: "own" } | { kind: "public" } | { kind: "group"; group: string } | { kind: "all" };

/** Returns the anonymous viewer, who sees the open list at the nearest replica. */
export function openViewer(context: Pick<Context, "nearest" | "settings" | "packages" | "timings">): Viewer {
  const { settings, packages, timings } = context;
  return {
    // Opened on first use: a cached archive is served without D1.
    get db() {
      return context.nearest;
    },
    ...{ settings, packages, timings },
    ...{ scopes: [PUBLIC_SCOPE], openOnly: true, ids: null, owns: () => false },
  };
}

/** Returns the caller as a viewer. A group without the caller is reported as not found. */
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

/** Returns the viewer of a link. Restricted files are excluded, even the creator's own, because a link is not its creator. */
export function linkViewer(context: Context, { reads, skills }: Pick<SharedLinkRow, "reads" | "skills">): Viewer {
  const { principal } = context.caller;
  const scopes =
    reads === "own" ? [userScope(principal.userId)] : reads === "skills" ? visibleScopes(principal) : [reads];
  if (!scopes.every((scope) => canRead(principal, scope))) throw notInIndex();
  const { db, settings, packages, timings } = context;
  const ids = reads === "skills" ? skills : null;
  return { db, settings, packages, timings, scopes, openOnly: false, ids, owns: () => false };
}
