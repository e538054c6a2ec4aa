// A ghost: Wegent's word for an agent definition. System prompt, skills, and MCP servers.

import * as z from "zod";
import { kindOfScope } from "../access/access";
import type { Issue } from "../errors";
import { jsonObject, utf8Bytes } from "../json";
import { CATALOG_LIMITS, ROW_LIMITS } from "../limits";
import { parseReference } from "../reference";
import { refusedServers, serverWarnings } from "../servers/entry";
import { pinnedRefsSchema, withoutNulls } from "./pin";
import { byCodePoint } from "./precedence";

/** Number of turns a skill stays after it was loaded; `"conversation"`: always. */
export const retentionSchema = z.union([z.int().min(0).max(10_000), z.literal("conversation")]);
export type Retention = z.infer<typeof retentionSchema>;

/**
 * Whether the gateway predicts the skill of a user's message. `shadow`: predicts and compares with what the model loads; `on`: also appends
 * the instructions if that pays.
 */
export const predictSchema = z.enum(["off", "shadow", "on"]);
export type Predict = z.infer<typeof predictSchema>;

const referenceText = z.string().min(1).max(200);

/**
 * The CRD's `spec`. `skills`: absent or `[]` means none, `["*"]` every skill of the ghost's scope; entries can have `@range`. In a
 * conversation's inline spec, absent means every visible one: see `inlineSpec`.
 */
const specSchema = () =>
  z.strictObject({
    systemPrompt: z
      .string()
      .max(256 * 1024)
      .default("")
      .describe("The system prompt of every turn. Skills add their instructions when they are loaded."),
    mcpServers: jsonObject
      .optional()
      .describe(
        `MCP servers by name, each with \`url\` and optional \`headers\`. Write credentials as \`\${{secrets.NAME}}\`. They are connected in every conversation with this agent.`,
      ),
    skills: z
      .array(referenceText)
      .max(CATALOG_LIMITS.ghostSkills)
      .optional()
      .describe(
        "Skills that the model can load: names with an optional `@range`. `*` means all skills of the agent's scope. Dependencies must be listed, too. Without this field, a stored agent has no skills and an inline spec has every visible skill. `null` means none.",
      ),
    preload_skills: z
      .array(referenceText)
      .max(CATALOG_LIMITS.listedSkills)
      .optional()
      .describe(
        "Names from `skills` whose instructions are always in the prompt. Each costs its tokens in every turn.",
      ),
    /** Chooses one of several skills with the same name. */
    skill_refs: pinnedRefsSchema
      .optional()
      .describe(
        "Selects a skill if several have the same name. A reference gives no access to skills that are not visible.",
      ),
    preload_skill_refs: pinnedRefsSchema.optional(),
    retentionTurns: retentionSchema
      .optional()
      .describe(
        "The number of turns that a loaded skill stays active. `conversation` means until the end. Default: `SKILL_RETENTION_TURNS` of the gateway.",
      ),
    predict: predictSchema
      .optional()
      .describe(
        "Predictive loading for conversations with this agent. `shadow` only compares predictions with what models load. `on` appends the instructions of a likely skill to the user's message. Default: `shadow`.",
      ),
    model: z.string().min(1).max(64).optional().describe("The model that the chat endpoint uses for `ghost/<name>`."),
  });
export const ghostSpecSchema = z.lazy(() => {
  const spec = specSchema();
  const keys = Object.keys(spec.shape);
  return z.preprocess((raw) => withoutNulls(raw, keys), spec);
});
export type GhostSpec = z.infer<typeof ghostSpecSchema>;

/**
 * Returns issues that need no lookup: too large, invalid references, duplicates, a preload that is not among the skills, a server whose URL
 * host comes from a variable.
 */
export function checkGhostSpec(spec: GhostSpec): Issue[] {
  const issues: Issue[] = refusedServers(spec.mcpServers ?? {}, "spec.mcpServers");
  if (utf8Bytes(JSON.stringify(spec.mcpServers ?? {})) > ROW_LIMITS.serversBytes) {
    const message = "MCP servers too large (limit 64 KiB as JSON). Remove servers.";
    issues.push({ code: "MCP_SERVERS_TOO_LARGE", message, path: "spec.mcpServers" });
  } else if (utf8Bytes(JSON.stringify(spec)) > ROW_LIMITS.specBytes) {
    issues.push({
      code: "SPEC_TOO_LARGE",
      message: "Spec too large (limit 512 KiB as JSON). Remove entries or shorten texts.",
      path: "spec",
    });
  }
  const names = new Set<string>();
  for (const [position, entry] of (spec.skills ?? []).entries()) {
    if (entry === "*") {
      names.add("*");
      continue;
    }
    const path = `spec.skills[${position}]`;
    const reference = parseReference(entry);
    if (reference === null) {
      issues.push({
        code: "BAD_REFERENCE",
        message: `'${entry}' is not a valid skill reference. Use a name or \`name@range\`.`,
        path,
      });
    } else if (names.has(reference.name)) {
      issues.push({
        code: "DUPLICATE_SKILL",
        message: `Skill '${reference.name}' is listed twice. Remove one entry.`,
        path,
      });
    } else {
      names.add(reference.name);
    }
  }
  for (const [position, name] of (spec.preload_skills ?? []).entries()) {
    if (names.has("*") || names.has(name)) continue;
    issues.push({
      code: "PRELOAD_NOT_IN_SKILLS",
      message: `Skill '${name}' is preloaded but not listed in \`skills\`. Add it there.`,
      path: `spec.preload_skills[${position}]`,
    });
  }
  return issues;
}

/** Returns a warning about a valid spec; only the first, because lists show it for each ghost. */
export function specWarnings(spec: GhostSpec): Issue[] {
  const all = [...serverWarnings(spec.mcpServers ?? {}, "spec.mcpServers"), ...unusedPins(spec)];
  return all.slice(0, CATALOG_LIMITS.specWarnings);
}

/** Returns warnings for references to skills that the spec does not have. They have no effect. */
function unusedPins(spec: GhostSpec): Issue[] {
  const names = new Set(inlineSpec(spec).skills?.map((text) => parseReference(text)?.name ?? text));
  if (names.has("*")) return [];
  return (["skill_refs", "preload_skill_refs"] as const).flatMap((field) =>
    Object.keys(spec[field] ?? {})
      .filter((name) => !names.has(name.normalize("NFC").trim()))
      .map((name) => ({
        code: "REF_UNUSED",
        message: `The reference for '${name}' has no effect: the skill is not listed in \`skills\`. Add the skill or remove the reference.`,
        path: `spec.${field}.${name}`,
      })),
  );
}

/** Completes a conversation's inline spec: without `skills` it has all visible ones. A stored ghost without `skills` has none. */
export function inlineSpec(spec: GhostSpec): GhostSpec {
  return spec.skills === undefined ? { ...spec, skills: ["*"] } : spec;
}

/** A position in a list. It contains nothing private: another user who sends it continues in their own list. */
export interface GhostPlace {
  namespace: string;
  folded: string;
  /** The scope of a shared ghost; otherwise empty. */
  shared: string;
}

/** Returns the position of a row. */
export function placeOf({
  namespace,
  folded,
  scope,
}: {
  namespace: string;
  folded: string;
  scope: string;
}): GhostPlace {
  return { namespace, folded, shared: sharedPart(scope) };
}

/** Returns the part of a position for a scope. */
export function sharedPart(scope: string): string {
  return kindOfScope(scope) === "user" ? "" : scope;
}

/** Compares by namespace and name; of equal ones, the user's own comes first. */
export function byPlace(a: Parameters<typeof placeOf>[0], b: Parameters<typeof placeOf>[0]): number {
  const [left, right] = [placeOf(a), placeOf(b)];
  const order = byCodePoint(left.namespace, right.namespace) || byCodePoint(left.folded, right.folded);
  return order || (left.shared < right.shared ? -1 : 1);
}
