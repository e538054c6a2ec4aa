// Schemas of the gateway's responses, limited to the fields that commands read.

import * as z from "zod";
import { skillSource } from "../../src/domain/catalog/source";
import { issuesSchema } from "./gateway";

const verdict = z.looseObject({
  path: z.string(),
  runs: z.string(),
  reason: z.string().optional(),
  line: z.number().optional(),
});
export const routingSchema = z.looseObject({
  prompts: z.array(
    z.looseObject({
      prompt: z.string(),
      rank: z.number().nullable(),
      rank_without_examples: z.number().nullable(),
      ahead: z.array(z.string()),
    }),
  ),
  neighbours: z.array(z.looseObject({ skill: z.string(), prompts: z.number() })),
});
export type Routing = z.infer<typeof routingSchema>;
export type Verdict = z.infer<typeof verdict>;

/** A source that this machine can check. Those of MCP servers can only be checked by the gateway. */
const checkedSource = skillSource.transform(({ type, ...source }) =>
  type === "mcp" ? undefined : { ...source, type },
);

export const skillSchema = z.looseObject({
  metadata: z.looseObject({
    name: z.string(),
    namespace: z.string().optional(),
    labels: z.looseObject({ id: z.string(), user_id: z.string().optional() }),
  }),
  spec: z.looseObject({
    description: z.string().optional(),
    version: z.string().optional(),
    author: z.string().optional(),
    tags: z.array(z.string()).optional(),
    dependencies: z.array(z.string()).optional(),
  }),
  status: z.looseObject({
    version_id: z.string(),
    fileHash: z.string().optional(),
    fileSize: z.number().optional(),
    warnings: issuesSchema.default([]),
    scripts: z.array(verdict).optional(),
    routing: routingSchema.optional(),
    tokens: z.looseObject({ line: z.number(), instructions: z.number(), files: z.number() }).optional(),
    state: z.string().optional(),
    updated_at: z.string().optional(),
    source: checkedSource.optional(),
    provenance: z
      .looseObject({ subject: z.string(), repository: z.string().optional(), commit: z.string().optional() })
      .optional(),
  }),
});
export type SkillResource = z.infer<typeof skillSchema>;
export const skillsSchema = z.looseObject({ items: z.array(skillSchema), next_cursor: z.string().nullable() });

export const unifiedSchema = z.array(
  z.looseObject({
    id: z.string(),
    name: z.string(),
    namespace: z.string(),
    description: z.string(),
    version: z.string().nullable(),
    is_public: z.boolean(),
  }),
);

export const versionsSchema = z.looseObject({
  items: z.array(
    z.looseObject({
      version_id: z.string(),
      version: z.string().nullable(),
      is_current: z.boolean(),
      created_at: z.string(),
      created_by: z.string().optional(),
      yanked_at: z.string().nullable(),
      fileSize: z.number().optional(),
      fileHash: z.string().optional(),
    }),
  ),
  next_cursor: z.string().nullable(),
});
export type VersionItem = z.infer<typeof versionsSchema>["items"][number];

export const draftSchema = z.looseObject({
  reference: z.string(),
  name: z.string(),
  author: z.string(),
  version: z.string().nullable(),
  version_id: z.string(),
  tokens: z.number(),
  expires_at: z.string(),
  warnings: issuesSchema.default([]),
  scripts: z.array(verdict).optional(),
  routing: routingSchema.optional(),
});
export const draftsSchema = z.looseObject({ items: z.array(draftSchema) });

export const inspectionSchema = z.looseObject({
  valid: z.boolean(),
  issues: issuesSchema,
  warnings: issuesSchema,
  tokens: z.looseObject({ line: z.number(), instructions: z.number(), files: z.number() }).nullable(),
  routing: routingSchema.nullable(),
  scripts: z.array(verdict).nullable(),
});

const counts = { loads: z.number(), calls: z.number(), failures: z.number(), tokens: z.number() };
export const usageSchema = z.looseObject({
  skill_name: z.string(),
  since: z.string(),
  until: z.string(),
  totals: z.looseObject(counts),
  days: z.array(z.looseObject({ day: z.string(), ...counts })),
  versions: z.array(z.looseObject({ version: z.string().nullable(), version_id: z.string(), ...counts })),
});

export const taskSkillsSchema = z.looseObject({
  skills: z.array(z.string()),
  preload_skills: z.array(z.string()).default([]),
  user_selected_skills: z.array(z.string()).default([]),
  skill_refs: z
    .record(z.string(), z.looseObject({ skill_id: z.string(), content_hash: z.string().nullable().optional() }))
    .default({}),
});

export const meSchema = z.looseObject({ user_id: z.string(), role: z.string().optional() });

export const networkSchema = z.looseObject({
  declared: z.array(z.string()),
  approved: z.array(z.string()),
  waiting: z.array(z.string()),
});

export const skillVariablesSchema = z.looseObject({
  skill_id: z.string(),
  network: z.array(z.string()),
  env: z.array(z.string()),
  values: z.array(
    z.looseObject({ name: z.string(), shared: z.boolean(), hosts: z.array(z.string()), updated_at: z.string() }),
  ),
  missing: z.array(z.string()),
});
export type SkillVariables = z.infer<typeof skillVariablesSchema>;

const problemSchema = z.looseObject({ code: z.string(), message: z.string() }).nullable();

export const importSchema = z.looseObject({
  id: z.string(),
  source: z.looseObject({ type: z.string(), url: z.string() }),
  namespace: z.string(),
  mirror: z.boolean(),
  state: z.string(),
  problem: problemSchema,
  cursor: z.string().nullable(),
  total: z.number().nullable(),
  next_at: z.string().nullable(),
});
export const importsSchema = z.looseObject({ items: z.array(importSchema) });

const ofRun = z.number();
export const importReportSchema = importSchema.extend({
  counts: z
    .object({ created: ofRun, updated: ofRun, unchanged: ofRun, refused: ofRun, failed: ofRun, removed: ofRun })
    .catchall(ofRun),
  items: z.array(
    z.looseObject({
      name: z.string(),
      state: z.string(),
      problem: problemSchema,
      removed_at: z.string().nullable(),
    }),
  ),
  next_cursor: z.string().nullable(),
});
export type ImportReport = z.infer<typeof importReportSchema>;
