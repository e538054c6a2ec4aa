// The plan of a run for each skill, as its Durable Object stores it.

import * as z from "zod";

const importProblemSchema = z.object({ code: z.string(), message: z.string() });

/** How to download a skill from its source; `none`: impossible, with the reason. */
const fetchableSchema = z.discriminatedUnion("how", [
  z.object({ how: z.literal("artifact"), url: z.string(), isMarkdown: z.boolean() }),
  z.object({ how: z.literal("files"), base: z.string(), paths: z.array(z.string()) }),
  z.object({ how: z.literal("archive"), root: z.string(), bytes: z.int() }),
  z.object({ how: z.literal("none"), problem: importProblemSchema }),
]);

/** `digest` identifies the content at the source; `null`: unknown until downloaded. */
export const plannedSchema = z.object({ name: z.string(), digest: z.string().nullable(), get: fetchableSchema });

export type Fetchable = z.infer<typeof fetchableSchema>;
export type Planned = z.infer<typeof plannedSchema>;
