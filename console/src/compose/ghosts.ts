// Contains the queries for ghosts.

import { queryOptions } from "@tanstack/react-query";
import type { Ghost } from "../../../sdk/src/generated/operations";
import { callTagged, slice } from "../gateway/call";
import { Refusal } from "../gateway/refusal";
import type { Somebody } from "../gateway/session";
import { t } from "../text/text";

/**
 * Queries a ghost with its tag, by its id or by the name that selects it. The result is never cached, because the user is about to change
 * it.
 */
export const ghostAt = (which: string) =>
  queryOptions({
    queryKey: ["ghost", which],
    gcTime: 0,
    refetchOnWindowFocus: false,
    queryFn: async ({ signal }) => callTagged("ghosts.get", { path: { id: await idOf(which, signal) } }, { signal }),
  });

async function idOf(which: string, signal: AbortSignal): Promise<string> {
  if (/^gho_/.test(which)) return which;
  // The user's own ghost comes first.
  const { items } = await slice("ghosts.list", { query: { name: which, limit: 100 } }, signal);
  const found = items.find(({ metadata }) => metadata.labels.scope === "user") ?? items[0];
  if (found === undefined) throw new Refusal(404, "GHOST_NOT_FOUND", t("Agent not found."));
  return found.metadata.labels.id;
}

/** Whether the user can change a ghost of this namespace. Users can always change their own ghosts. */
export const mayDefine = ({ rights }: Somebody, namespace: string): boolean =>
  rights.namespaces.some((one) => one.namespace === namespace && one.define);

export const mayChange = (me: Somebody, { metadata: { namespace, labels } }: Ghost): boolean =>
  mayDefine(me, labels.scope === "user" ? "default" : namespace);
