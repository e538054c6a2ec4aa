// Queries and permission checks for ghosts.

import { queryOptions } from "@tanstack/react-query";
import type { Ghost } from "../../../sdk/src/generated/operations";
import { callTagged, slice } from "../gateway/call";
import { Refusal } from "../gateway/refusal";
import type { Somebody } from "../gateway/session";

/** Query for a ghost with its tag, by id or name. The result is never cached, because the user is about to edit it. */
export const ghostAt = (which: string) =>
  queryOptions({
    queryKey: ["ghost", which],
    gcTime: 0,
    refetchOnWindowFocus: false,
    queryFn: async ({ signal }) => callTagged("ghosts.get", { path: { id: await idOf(which, signal) } }, { signal }),
  });

async function idOf(which: string, signal: AbortSignal): Promise<string> {
  if (/^gho_/.test(which)) return which;
  // A ghost of the user takes precedence.
  const { items } = await slice("ghosts.list", { query: { name: which, limit: 100 } }, signal);
  const found = items.find(({ metadata }) => metadata.labels.scope === "user") ?? items[0];
  if (found === undefined) throw new Refusal(404, "GHOST_NOT_FOUND", "There is no such ghost.");
  return found.metadata.labels.id;
}

/** Whether the user can change ghosts in this namespace. The namespace of their own ghosts counts as `default`. */
export const mayDefine = ({ rights }: Somebody, namespace: string): boolean =>
  rights.namespaces.some((one) => one.namespace === namespace && one.define);

export const mayChange = (me: Somebody, { metadata: { namespace, labels } }: Ghost): boolean =>
  mayDefine(me, labels.scope === "user" ? "default" : namespace);
