// The routing report as validating and publishing answer it.

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
        "How search finds the skill by its example prompts among what its publisher sees. `rank`: its place once it is published, " +
        "`rank_without_examples`: its place if example prompts were not searched, `null` beyond the 20th; `ahead`: the first who stand " +
        "before it then; `neighbours`: for how many prompts each of them does.",
    });
