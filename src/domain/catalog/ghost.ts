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
      .describe(
        "What the model is told first, in every turn: who it is and how it works. Skills say the rest when they are loaded.",
      ),
    mcpServers: jsonObject
      .optional()
      .describe(
        `MCP servers that it brings, by name: each with its \`url\`, and \`headers\` if need be. A credential is written as \`\${{secrets.NAME}}\`. They are connected in every conversation with it.`,
      ),
    skills: z
      .array(referenceText)
      .max(CATALOG_LIMITS.ghostSkills)
      .optional()
      .describe(
        "What the model may load: names, each with `@range` if need be; `*`: all of the ghost's scope. What they need must be among them. A stored ghost without this has no skills, an inline spec every visible one. `null`: none.",
      ),
    preload_skills: z
      .array(referenceText)
      .max(CATALOG_LIMITS.listedSkills)
      .optional()
      .describe(
        "Names among `skills` whose instructions are in the prompt from the first turn on, and stay. Each costs its tokens in every turn.",
      ),
    /** Chooses one of several skills with the same name. */
    skill_refs: pinnedRefsSchema
      .optional()
      .describe(
        "By name, where several have it: which skill is meant. A reference chooses among what is visible, and lets nothing in.",
      ),
    preload_skill_refs: pinnedRefsSchema.optional(),
    retentionTurns: retentionSchema
      .optional()
      .describe(
        "How many turns a loaded skill stays; `conversation`: to the end. Without it the gateway's `SKILL_RETENTION_TURNS`.",
      ),
    model: z
      .string()
      .min(1)
      .max(64)
      .optional()
      .describe(
        "The model of the chat endpoint that runs it, by the name that its user has for it, where one asks for `ghost/<name>`.",
      ),
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
    const message = "The servers take more than 64 KiB as JSON.";
    issues.push({ code: "MCP_SERVERS_TOO_LARGE", message, path: "spec.mcpServers" });
  } else if (utf8Bytes(JSON.stringify(spec)) > ROW_LIMITS.specBytes) {
    issues.push({ code: "SPEC_TOO_LARGE", message: "The spec takes more than 512 KiB as JSON.", path: "spec" });
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
      issues.push({ code: "BAD_REFERENCE", message: `'${entry}' is not a skill name or name@range.`, path });
    } else if (names.has(reference.name)) {
      issues.push({ code: "DUPLICATE_SKILL", message: `'${reference.name}' is listed twice.`, path });
    } else {
      names.add(reference.name);
    }
  }
  for (const [position, name] of (spec.preload_skills ?? []).entries()) {
    if (names.has("*") || names.has(name)) continue;
    issues.push({
      code: "PRELOAD_NOT_IN_SKILLS",
      message: `'${name}' is preloaded but not among 'skills'.`,
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
        message: `'${name}' has a reference but is not among 'skills': it does nothing.`,
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
