// Ghosts in the format of Wegent's resources.

import { kindOfScope } from "../../domain/access/access";
import { ghostSpecSchema, specWarnings } from "../../domain/catalog/ghost";
import { withoutCredentials } from "../../domain/package/credentials";
import { instant, issueSchema } from "../../edge/schemas";
import * as z from "../../edge/zod";
import type { GhostRow } from "../../storage/d1/ghosts";
import { API_VERSION, metadataSchema } from "./resources";

export const ghostSchema = () =>
  z
    .object({
      apiVersion: z.literal(API_VERSION),
      kind: z.literal("Ghost"),
      metadata: metadataSchema().extend({
        labels: z.object({ id: z.string(), user_id: z.string(), scope: z.enum(["user", "group", "public"]) }),
      }),
      spec: ghostSpecSchema,
      status: z.object({
        state: z.literal("available"),
        created_at: z.string(),
        updated_at: z.string(),
        warnings: z.array(issueSchema()),
      }),
    })
    .openapi("Ghost");

/** Older ghosts of groups and public ghosts can contain credentials, which are not shown. */
function shownSpec({ scope, spec }: GhostRow): GhostRow["spec"] {
  if (kindOfScope(scope) === "user" || spec.mcpServers === undefined) return spec;
  return { ...spec, mcpServers: withoutCredentials(spec.mcpServers) };
}

export function ghostResource(ghost: GhostRow): z.infer<ReturnType<typeof ghostSchema>> {
  return {
    apiVersion: API_VERSION,
    kind: "Ghost",
    metadata: {
      name: ghost.name,
      namespace: ghost.namespace,
      labels: { id: ghost.id, user_id: ghost.userId, scope: kindOfScope(ghost.scope) },
    },
    spec: shownSpec(ghost),
    status: {
      state: "available",
      created_at: instant(ghost.createdAt),
      updated_at: instant(ghost.updatedAt),
      warnings: specWarnings(ghost.spec),
    },
  };
}
