// Skills in the format of Wegent's resources. Schemas are functions, used for the OpenAPI document only.

import { kindOfScope, PUBLIC_SCOPE } from "../../domain/access/access";
import { RUNS } from "../../domain/code/check/verdict";
import type { Issue } from "../../domain/errors";
import { countFindings } from "../../domain/inspection/finding";
import { jsonObject } from "../../domain/json";
import { withoutCredentials } from "../../domain/package/credentials";
import { instant, issueSchema } from "../../edge/schemas";
import * as z from "../../edge/zod";
import { CONTENTS, type SkillContent } from "../../storage/d1/skill-lists";
import type { SkillRecord, SkillSummary } from "../../storage/d1/skills";
import type { VersionSummary } from "../../storage/d1/versions";
import { leftOutSchema } from "./excluded-clients";
import { provenanceInResponse, sourceSchema } from "./source";

export const API_VERSION = "agent.wecode.io/v1";

const NUMBERED = "1, 2, … in the order of publication. Numbers are not reused.";

export const metadataSchema = () =>
  z.object({
    name: z.string(),
    namespace: z.string(),
    labels: z.object({ id: z.string(), user_id: z.string() }),
  });

const toolSchema = () =>
  z.object({
    name: z.string(),
    provider: z.string().optional(),
    description: z.string().optional(),
    config: jsonObject.optional(),
  });

export const tokensSchema = () =>
  z
    .object({ description: z.int(), line: z.int(), instructions: z.int(), files: z.int() })
    .openapi({ description: "Counted with `o200k_base`. `files` is estimated from the file sizes." });

/** Analysis of scripts; absent for versions without one. */
export const verdictsSchema = () =>
  z
    .array(
      z
        .object({
          path: z.string(),
          runs: z.enum(RUNS),
          reason: z.string().optional(),
          line: z.int().optional(),
          needs: z
            .object({
              modules: z.array(z.string()).optional(),
              requirements: z.array(z.string()).optional(),
              commands: z.array(z.string()).optional(),
            })
            .optional()
            .openapi({ description: "What it needs that isolates do not have." }),
          missing: z.array(z.string()).optional().openapi({
            description: "What the executor lacks. Returned by publishing and validation if there is an executor.",
          }),
        })
        .openapi("ScriptVerdict"),
    )
    .openapi({ description: "Whether each script of the package can run, with the reason. See docs/skill-code.md." });

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

export const skillSchema = () =>
  z
    .object({
      apiVersion: z.literal(API_VERSION),
      kind: z.literal("Skill"),
      metadata: metadataSchema(),
      spec: z.object({
        description: z.string(),
        displayName: z.string().optional(),
        prompt: z.string(),
        version: z.string().optional(),
        author: z.string().optional(),
        tags: z.array(z.string()),
        bindShells: z.array(z.string()).optional(),
        config: jsonObject,
        tools: z.array(toolSchema()),
        provider: z.object({ module: z.string().optional(), class: z.string().optional() }),
        mcpServers: jsonObject,
        dependencies: z.array(z.string()),
        preload: z.boolean(),
        license: z.string().optional(),
        compatibility: z.string().optional(),
        metadata: jsonObject,
        allowedTools: z.array(z.string()),
      }),
      status: z.object({
        state: z.enum(["available", "yanked"]),
        fileSize: z.int(),
        fileHash: z.string(),
        uploadHash: z.string(),
        version_id: z.string(),
        version_number: z.int().openapi({ description: NUMBERED }),
        tokens: tokensSchema(),
        created_at: z.string(),
        updated_at: z.string(),
        warnings: z.array(issueSchema()),
        scripts: verdictsSchema().optional(),
        left_out: leftOutSchema().optional(),
        source: sourceSchema().optional(),
        provenance: provenanceInResponse().optional(),
        routing: routingSchema().optional(),
      }),
    })
    .openapi("Skill");

export const skillItemSchema = () =>
  z
    .object({
      id: z.string(),
      name: z.string(),
      namespace: z.string(),
      description: z.string(),
      displayName: z.string().nullable(),
      version: z.string().nullable(),
      author: z.string().nullable(),
      tags: z.array(z.string()),
      bindShells: z.array(z.string()).nullable(),
      is_public: z.boolean(),
      is_active: z.boolean(),
      user_id: z.string(),
      created_at: z.string(),
      updated_at: z.string(),
      /** Findings of the inspection by severity. */
      findings: z.object({ high: z.int(), low: z.int(), info: z.int() }),
      contents: z
        .array(z.enum(CONTENTS))
        .optional()
        .openapi({ description: "What the skill contains. Only with `contents=true`." }),
    })
    .openapi("SkillItem");

export const versionSchema = () =>
  z
    .object({
      version_id: z.string(),
      number: z.int().openapi({ description: NUMBERED }),
      version: z.string().nullable(),
      is_current: z.boolean(),
      fileSize: z.int(),
      fileHash: z.string(),
      uploadHash: z.string(),
      created_by: z.string(),
      created_at: z.string(),
      /** `null`: names and ranges can resolve to it. */
      yanked_at: z.string().nullable(),
      /** The reason for which an admin blocked it. */
      blocked_for: z.string().nullable(),
      warnings: z.array(issueSchema()),
      source: sourceSchema().optional(),
      provenance: provenanceInResponse().optional(),
      review: z
        .object({ id: z.string(), reviewers: z.int() })
        .optional()
        .openapi({ description: "The review that approved it, and how many people besides the author did." }),
    })
    .openapi("SkillVersion");

/** Ghosts, as references to them. */
export const ghostRefSchema = () =>
  z.object({ id: z.string(), name: z.string(), namespace: z.string() }).openapi("GhostRef");

export function skillResource(skill: SkillRecord): z.infer<ReturnType<typeof skillSchema>> {
  const { manifest } = skill;
  return {
    apiVersion: API_VERSION,
    kind: "Skill",
    metadata: {
      name: skill.name,
      namespace: skill.namespace,
      labels: { id: skill.id, user_id: skill.userId },
    },
    spec: {
      description: manifest.description,
      displayName: manifest.displayName,
      prompt: skill.instructions,
      // The label can differ from the version in the files.
      version: skill.label ?? undefined,
      author: manifest.author,
      tags: manifest.tags,
      bindShells: manifest.bindShells,
      config: manifest.config,
      tools: manifest.tools,
      provider: manifest.provider ?? {},
      // Users see credentials in their own skills. Older shared versions may contain some that others must not see.
      mcpServers: kindOfScope(skill.scope) === "user" ? manifest.mcpServers : withoutCredentials(manifest.mcpServers),
      dependencies: manifest.dependencies,
      preload: manifest.preload,
      license: manifest.license,
      compatibility: manifest.compatibility,
      metadata: manifest.metadata,
      allowedTools: manifest.allowedTools,
    },
    status: {
      state: skill.yankedAt === null ? "available" : "yanked",
      fileSize: skill.zipSize,
      fileHash: skill.zipSha256,
      uploadHash: skill.uploadSha256,
      version_id: skill.versionId,
      version_number: skill.number,
      tokens: {
        description: skill.tokensDescription,
        line: skill.tokensLine,
        instructions: skill.tokensInstructions,
        files: skill.tokensFiles,
      },
      created_at: instant(skill.createdAt),
      updated_at: instant(skill.updatedAt),
      warnings: [...skill.warnings, ...notCurrent(skill)],
      ...(skill.scripts === null || skill.scripts.length === 0 ? {} : { scripts: skill.scripts }),
      ...(skill.source === null ? {} : { source: skill.source }),
      ...(skill.provenance === null ? {} : { provenance: skill.provenance }),
    },
  };
}

export function skillItem(
  skill: SkillSummary,
  contents?: readonly SkillContent[],
): z.infer<ReturnType<typeof skillItemSchema>> {
  return {
    id: skill.id,
    name: skill.name,
    namespace: skill.namespace,
    description: skill.description,
    displayName: skill.displayName,
    version: skill.label,
    author: skill.author,
    tags: skill.tags,
    bindShells: skill.bindShells,
    is_public: skill.scope === PUBLIC_SCOPE,
    is_active: true,
    user_id: skill.userId,
    created_at: instant(skill.createdAt),
    updated_at: instant(skill.updatedAt),
    findings: countFindings(skill.warnings),
    ...(contents === undefined ? {} : { contents: [...contents] }),
  };
}

export function versionItem(version: VersionSummary, currentId: string): z.infer<ReturnType<typeof versionSchema>> {
  return {
    version_id: version.id,
    number: version.number,
    version: version.label,
    is_current: version.id === currentId,
    fileSize: version.zipSize,
    fileHash: version.zipSha256,
    uploadHash: version.uploadSha256,
    created_by: version.createdBy,
    created_at: instant(version.createdAt),
    yanked_at: version.yankedAt === null ? null : instant(version.yankedAt),
    blocked_for: version.blockedFor,
    warnings: version.warnings,
    ...(version.source === null ? {} : { source: version.source }),
    ...(version.provenance === null ? {} : { provenance: version.provenance }),
    ...(version.review === null ? {} : { review: version.review }),
  };
}

/** Returns a warning if the upload equals an earlier version, because it was not activated. */
function notCurrent(skill: SkillRecord): Issue[] {
  if (skill.yankedAt !== null) {
    const message = `Version ${skill.versionId} is yanked. Only its id finds it; names and version ranges do not.`;
    return [{ code: "YANKED", message }];
  }
  if (skill.versionId === skill.currentId) return [];
  const message = `Version ${skill.versionId} has this content, but the current version is ${skill.currentId}. Activate ${skill.versionId} to use it.`;
  return [{ code: "NOT_CURRENT", message }];
}
