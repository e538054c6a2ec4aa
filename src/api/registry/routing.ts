// The routing report of validating and publishing.

import * as z from "../../edge/zod";

export const routingSchema = () =>
  z
    .object({
      prompts: z.array(
        z.object({
          prompt: z.string(),
          rank: z.int().nullable(),
          rank_without_examples: z.int().nullable(),
          ahead: z.array(z.string()),
        }),
      ),
      neighbours: z.array(z.object({ skill: z.string(), prompts: z.int() })),
    })
    .openapi({
      description:
        "How search ranks the skill for its example prompts. `rank`: position after publishing; `rank_without_examples`: position if " +
        "example prompts were not indexed; `null` below position 20. `ahead`: skills that rank higher. `neighbours`: for how many prompts " +
        "each of them ranks higher.",
    });
