// After a publish: a provider is asked for its tools beside the request, by what few publishes need and is loaded then.

import { canRunCodeInScope } from "../catalog/can-run";
import type { Context } from "../context";

/** Has the provider of a version that was published just now asked for its tools, where it has one that will run. */
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
  if (loader === undefined || !canRunCodeInScope(skill.scope) || skill.manifest.provider?.module === undefined) return;
  const asked = import("./describe").then(({ describePublished }) =>
    describePublished(context, { loader, slots }, skill),
  );
  context.later(asked);
}
