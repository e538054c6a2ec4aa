// Determines the viewer and scope of a request from its URL and key.

import type { Context as HonoContext } from "hono";
import { groupOfScope, PUBLIC_SCOPE } from "../../domain/access/access";
import { anonymousContext, nobody } from "../../edge/anonymous";
import { identityStoresOf, makeContext, primaryDatabase } from "../../edge/context";
import type { HttpEnv } from "../../edge/edge";
import { openSharedLink } from "../../services/compat/link-access";
import { notInIndex, type Viewer } from "../../services/compat/published-index";
import { callersView, linkViewer, openViewer, type ViewerScope } from "../../services/compat/viewers";
import { noteLinkUse } from "../../storage/d1/compat/links";

/** The caller's view of a published index. */
export interface ViewRequest {
  viewer: Viewer;
  /** The viewer is anonymous, so the response can be cached publicly. */
  isOpen: boolean;
  /** The only skill, if the base URL is for one skill. */
  skill: string | undefined;
  /** Returns the path of a scope's skills, without the origin. */
  placeOf(scope: string): string;
}

/** Returns a view of the open list. */
export function viewOpenly(c: HonoContext<HttpEnv>, skill?: string): ViewRequest {
  return { viewer: openViewer(anonymousContext(c)), isOpen: true, skill, placeOf };
}

/** Returns the view with the request's key; without a key only of open skills. */
export function viewWithKey(c: HonoContext<HttpEnv>, whose: ViewerScope, skill?: string): ViewRequest {
  const context = c.get("context");
  if (context !== undefined) return { viewer: callersView(context, whose), isOpen: false, skill, placeOf };
  if (whose.kind === "public" || whose.kind === "all") return viewOpenly(c, skill);
  throw notInIndex();
}

/** Returns a view by link. A token that never existed counts as a guessed key. */
export async function viewByLink(c: HonoContext<HttpEnv>, token: string, skill?: string): Promise<ViewRequest> {
  const later = (work: Promise<void>) => c.executionCtx.waitUntil(work);
  const primary = () => primaryDatabase(c.env, timings);
  const timings = { storage: 0 };
  const { nearest } = makeContext(c.env, { caller: nobody, timings, later });
  const opened = await openSharedLink({ ...identityStoresOf(c.env, timings, later), nearest, certain: primary }, token);
  if (opened === "guessed") c.set("unauthenticated", true);
  if (opened === null || opened === "guessed") throw notInIndex();
  const { link, caller } = opened;
  later(noteLinkUse(primary(), link.id, Date.now()));
  const context = makeContext(c.env, { caller: { ...caller, requestId: c.get("requestId") }, timings, later });
  return { viewer: linkViewer(context, link), isOpen: false, skill, placeOf: () => `/t/${token}` };
}

function placeOf(scope: string): string {
  if (scope === PUBLIC_SCOPE) return "/s/public";
  const group = groupOfScope(scope);
  return group === null ? "/s/own" : `/s/group/${group}`;
}
