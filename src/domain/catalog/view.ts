// A conversation's view of the registry: its catalog, its selection, and the ghost's prompt. Plain data, stored in the conversation and
// validated on reading.

import * as z from "zod";
import { newestSchema } from "../access/newest-identity";
import { jsonObject } from "../json";
import { approvedSchema } from "../servers/owner";
import { catalogEntrySchema } from "./catalog";
import { predictSchema, retentionSchema } from "./ghost";
import { pinSchema } from "./pin";

const selectionSchema = z.lazy(() =>
  z.object({
    all: z.boolean(),
    skills: z.array(
      z.object({
        name: z.string(),
        range: z.string(),
        skill_id: z.string().nullable(),
        /** Which skill with this name is required. */
        pin: pinSchema.nullable().default(null),
      }),
    ),
    /** The scope of a shared ghost: then only skills of that scope are selected, the same for everybody. */
    shared: z.string().nullable().default(null),
    /** Skills that the user added, from everything the user sees. */
    added: z.array(z.object({ name: z.string(), range: z.string(), pin: pinSchema.nullable() })).default([]),
  }),
);

export const viewSchema = z.lazy(() =>
  z.object({
    /** The view is valid while this key is unchanged. */
    key: z.string(),
    /** The newest identity when it was read. Applies to callers with an older one, also after an eviction. */
    newest: newestSchema.nullable().default(null),
    catalog: z.object({
      entries: z.array(catalogEntrySchema),
      total: z.number(),
      static_tokens: z.number(),
      /** Views of earlier gateways have none and are read again. */
      list_tokens: z.number().default(2_000),
    }),
    /** Candidates of rollouts that this conversation uses, in place of the current versions. */
    candidates: z.array(catalogEntrySchema.unwrap().extend({ current_id: z.string() })).default([]),
    selection: selectionSchema,
    shell: z.string(),
    system_prompt: z.string(),
    preload: z.array(z.string()),
    /** Skills that the user added and that exist: selected in every turn. */
    added: z.array(z.string()).default([]),
    /** The ghost's name; `null` if there is none. */
    ghost: z.string().nullable().default(null),
    /** The id of a stored ghost; `null` if there is none. */
    ghost_id: z.string().nullable().default(null),
    /** MCP server entries by name, as written. */
    servers: z
      .object({
        gateway: z.record(z.string(), jsonObject),
        /** Approved tools of the gateway's servers, by server. */
        approved: z.record(z.string(), approvedSchema).default({}),
        /** Servers of the user and of groups, first wins. */
        own: z.array(z.object({ scope: z.string(), name: z.string(), entry: jsonObject })).default([]),
        ghost: jsonObject,
      })
      .default({ gateway: {}, approved: {}, own: [], ghost: {} }),
    retention: retentionSchema.nullable(),
    /** The ghost's setting for predictions; `null` if it has none. */
    predict: predictSchema.nullable().default(null),
    warnings: z.array(z.object({ code: z.string(), message: z.string(), path: z.string().optional() })),
  }),
);

/** Valid while its `key` is. */
export type View = z.infer<typeof viewSchema>;

/** The skills a ghost selects: all, or these. `range`: its version range; `skill_id`: what a saved ghost resolved. */
export type Selection = z.infer<typeof selectionSchema>;
