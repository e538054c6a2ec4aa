// Asks the provider of a new version for its tools after the response. The code for it is loaded lazily.

import { canRunCodeInScope } from "../catalog/can-run";
import type { Context } from "../context";

/** Asks the provider of a version that was just published for its tools, if it has one that runs. */
export function describeLater(
  context: Context,
  skill: {
    name: string;
    scope: string;
    versionId: string;
    manifest: { provider?: { module?: string | undefined } | undefined };
  },
): void {
  const { loader, slots } = context;
  if (loader === undefined || !canRunCodeInScope(context, skill.scope) || skill.manifest.provider?.module === undefined)
    return;
  const asked = import("./describe").then(({ describePublished }) =>
    describePublished(context, { loader, slots }, skill),
  );
  context.later(asked);
}
