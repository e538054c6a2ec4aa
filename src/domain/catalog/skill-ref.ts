// A reference to a skill at one version, as the event log stores it. The schema is part of a storage format.

import * as z from "zod";

/** A skill at one version, with the facts needed to compute the state. */
export const skillRefSchema = z.lazy(() =>
  z.object({
    name: z.string(),
    skill_id: z.string(),
    version_id: z.string(),
    version: z.string().nullable(),
    /** Tokens and bytes of the instructions. Logs of earlier gateways have no bytes. */
    tokens: z.number(),
    bytes: z.number().optional(),
    /** Names of required skills. */
    dependencies: z.array(z.string()),
    /** The version was the candidate of a rollout. */
    candidate: z.boolean().optional(),
  }),
);

export type SkillRef = z.infer<typeof skillRefSchema>;
