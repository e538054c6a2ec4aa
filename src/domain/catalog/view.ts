// A conversation's view of the registry: its catalog, what selected it, and the ghost's own words. Plain data, kept in the
// conversation's store and checked again when it comes out.

import * as z from "zod";
import { newestSchema } from "../access/newest-identity";
import { jsonObject } from "../json";
import { approvedSchema } from "../servers/owner";
import { catalogEntrySchema } from "./catalog";
import { retentionSchema } from "./ghost";
import { pinSchema } from "./pin";

const selectionSchema = z.lazy(() =>
  z.object({
    all: z.boolean(),
    skills: z.array(
      z.object({
        name: z.string(),
        range: z.string(),
        skill_id: z.string().nullable(),
        /** Which skill of the name it must be. */
        pin: pinSchema.nullable().default(null),
      }),
    ),
    /** The scope of the ghost that selects, where it is shared: then only what its scope has counts, for everybody the same. */
    shared: z.string().nullable().default(null),
    /** What the user has added, from all that the user sees. */
    added: z.array(z.object({ name: z.string(), range: z.string(), pin: pinSchema.nullable() })).default([]),
  }),
);

export const viewSchema = z.lazy(() =>
  z.object({
    /** What the view depends on; while it stays the same, so does the view. */
    key: z.string(),
    /** What was known of the user when it was read. Whoever comes with something older goes by this, also after an eviction. */
    newest: newestSchema.nullable().default(null),
    catalog: z.object({
      entries: z.array(catalogEntrySchema),
      total: z.number(),
      static_tokens: z.number(),
      /** Views of earlier gateways have none, and are read again. */
      list_tokens: z.number().default(2_000),
    }),
    selection: selectionSchema,
    shell: z.string(),
    system_prompt: z.string(),
    preload: z.array(z.string()),
    /** What the user has added and is there: selected in every turn. */
    added: z.array(z.string()).default([]),
    /** The ghost's name; `null` where there is none, or it has none. */
    ghost: z.string().nullable().default(null),
    /** Entries of MCP servers by name, as they were written. */
    servers: z
      .object({
        gateway: z.record(z.string(), jsonObject),
        /** What is approved of the gateway's tools, by server. */
        approved: z.record(z.string(), approvedSchema).default({}),
        /** Those of the user and of groups, first wins. */
        own: z.array(z.object({ scope: z.string(), name: z.string(), entry: jsonObject })).default([]),
        ghost: jsonObject,
      })
      .default({ gateway: {}, approved: {}, own: [], ghost: {} }),
    retention: retentionSchema.nullable(),
    warnings: z.array(z.object({ code: z.string(), message: z.string(), path: z.string().optional() })),
  }),
);

/** Valid while `key` is. */
export type View = z.infer<typeof viewSchema>;

/** The skills a ghost takes: all, or these; `range` is what it asks of versions, `skill_id` what a saved ghost resolved. */
export type Selection = z.infer<typeof selectionSchema>;
