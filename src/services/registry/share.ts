// Shares a skill with a group by publishing its current version there. Later changes are independent.

import type { Context } from "../context";
import { type Published, publish } from "./publish";
import { findPackage, openBytes, publishScope } from "./skills";

/** Publishes the current version of a readable skill into a group where the caller can publish. */
export async function shareSkill(
  context: Context,
  id: string,
  group: string,
  idempotencyKey: string | null,
): Promise<Published> {
  const found = await findPackage(context, id);
  const scope = publishScope(context.caller.principal, group);
  const body = await openBytes(context, found.versionId, 0, found.zipSize);
  return publish(context, {
    upload: new Uint8Array(await new Response(body).arrayBuffer()),
    fileName: undefined,
    name: undefined,
    source: found.source,
    label: found.label ?? undefined,
    target: { scope, namespace: group, userId: context.caller.principal.userId },
    idempotencyKey,
  });
}
