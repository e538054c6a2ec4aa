// Settings of a conversation.

import * as z from "zod";
import { ghostSpecSchema, type Predict, predictSchema, type Retention, retentionSchema } from "../catalog/ghost";
import { pickedSkillSchema } from "../catalog/pin";
import { jsonObject } from "../json";
import { CONVERSATION_LIMITS } from "../limits";
import { PLACES, type Settings } from "../settings/settings";
import { FORMATS, type Format } from "../tools/formats";
import { TOOL_LISTS } from "../tools/listing";
import { bytesFor } from "./budget";
import { deliverySchema, type Policy } from "./event";

/** Callers choose the ids of conversations, usually those of their chats. */
export const CONVERSATION_ID = /^[A-Za-z0-9._:-]{1,128}$/;

const metadata = z.lazy(() =>
  jsonObject.refine(
    (value) => JSON.stringify(value).length <= CONVERSATION_LIMITS.metadataBytes,
    "too large (limit 16 KiB as JSON)",
  ),
);

/** Settings as a caller sends them. They apply from the next turn on. */
export const conversationSettingsSchema = z.lazy(() =>
  z
    .strictObject({
      ghost: z
        .string()
        .min(1)
        .max(200)
        .optional()
        .describe(
          "An agent (ghost) by id or name. Your own comes before a group's, and a group's before a public one.",
        ),
      spec: ghostSpecSchema
        .optional()
        .describe(
          "An inline agent spec. Without `ghost` and `spec`, or with a spec without `skills`, every visible skill is available.",
        ),
      additional_skills: z
        .array(pickedSkillSchema)
        .max(CONVERSATION_LIMITS.addedSkills)
        .optional()
        .describe(
          "Skills added to those of the agent, as names or as objects that select a skill by reference. They are selected in every turn.",
        ),
      shell: z.string().min(1).max(64).optional(),
      retention_turns: retentionSchema.optional(),
      delivery: deliverySchema
        .optional()
        .describe(
          "Where instructions are placed. Default: `auto`, or `system` with `tool_mode: dynamic` or `tool_style: skill`. `auto` puts them into tool results and never changes sent messages, so the provider's prompt cache stays valid.",
        ),
      format: z.enum(FORMATS).optional(),
      tool_mode: z.enum(["dynamic", "fixed"]).optional(),
      tool_style: z.enum(["load_skill", "skill"]).optional(),
      tool_list: z
        .enum(TOOL_LISTS)
        .optional()
        .describe(
          "How tools of MCP servers are offered: all in the list, or through `find_tool` and `call_skill_tool`. `auto` (default) uses search for more than 40 tools or more than 6 000 tokens of definitions. It is decided in the first turn, and again when the provider's cache has expired.",
        ),
      max_active_skills: z.int().min(1).max(CONVERSATION_LIMITS.activeSkills).optional(),
      max_skill_tokens: z.int().min(1).max(10_000_000).optional(),
      predict: predictSchema
        .optional()
        .describe(
          "Predictive loading, for turns with a `message`. `shadow` only compares predictions with what the model loads. `on` appends the instructions of a likely skill (delivery `auto`). Default: that of the agent, otherwise `shadow`.",
        ),
      region: z
        .enum(PLACES)
        .optional()
        .describe(
          "The region where the conversation is created, instead of `CONVERSATION_REGION`. It cannot be changed later.",
        ),
      title: z.string().trim().min(1).max(200).optional().describe("The title for lists. Models do not see it."),
      metadata: metadata.optional(),
    })
    .refine((settings) => settings.ghost === undefined || settings.spec === undefined, {
      message: "`ghost` and `spec` exclude each other: send one of them",
      path: ["spec"],
    })
    .refine((settings) => settings.delivery !== "auto" || keepsTools(settings), {
      message: "delivery `auto` cannot be combined with `tool_mode: dynamic` or `tool_style: skill`: remove them",
      path: ["delivery"],
    }),
);

/** Whether these settings are compatible with a fixed list of tools. */
function keepsTools(settings: {
  tool_mode?: Policy["tool_mode"] | undefined;
  tool_style?: Policy["tool_style"] | undefined;
}): boolean {
  return settings.tool_mode !== "dynamic" && settings.tool_style !== "skill";
}

export type ConversationSettings = z.infer<typeof conversationSettingsSchema>;

export const DEFAULT_SHELL = "Chat";

/** Returns the settings with the given fields changed. A ghost replaces a spec, and a spec replaces a ghost. */
export function mergeSettings(old: ConversationSettings, change: ConversationSettings): ConversationSettings {
  const { ghost, spec, ...rest } = old;
  const source = change.ghost !== undefined || change.spec !== undefined ? {} : { ghost, spec };
  return { ...rest, ...source, ...change };
}

/** Returns the settings with the region in which the conversation was created, because it cannot move. */
export function withSamePlace(
  old: ConversationSettings,
  { region: _, ...next }: ConversationSettings,
): ConversationSettings {
  return old.region === undefined ? next : { ...next, region: old.region };
}

/** Returns whether skills are predicted. The conversation's setting overrides the agent's. */
export function predictOf({ predict }: ConversationSettings, ghost: Predict | null): Predict {
  return predict ?? ghost ?? "shadow";
}

type GatewayPolicy = Pick<Settings, "SKILL_RETENTION_TURNS" | "SKILL_TOKENS_MAX">;

/** What decides the delivery of a conversation whose settings name none. */
export interface DeliveryDefaults {
  format: Format;
  /** False for conversations made before 2026-11-25: their default is `auto` only in format `anthropic`. */
  defaultsToAuto: boolean;
}

/**
 * Returns the policy of the next turn. The conversation's retention overrides the ghost's, and that the gateway's. The budget never exceeds
 * the gateway's current limit.
 */
export function policyOf(
  settings: ConversationSettings,
  ghost: Retention | null,
  gateway: GatewayPolicy,
  { format, defaultsToAuto }: DeliveryDefaults,
): Policy {
  const ceiling = gateway.SKILL_TOKENS_MAX;
  const isAuto = keepsTools(settings) && (defaultsToAuto || format === "anthropic");
  const delivery = settings.delivery ?? (isAuto ? "auto" : "system");
  const auto = delivery === "auto";
  return {
    retention: settings.retention_turns ?? ghost ?? gateway.SKILL_RETENTION_TURNS,
    delivery,
    tool_mode: auto ? "fixed" : (settings.tool_mode ?? "dynamic"),
    tool_style: auto ? "load_skill" : (settings.tool_style ?? "load_skill"),
    max_active_skills: settings.max_active_skills ?? CONVERSATION_LIMITS.activeSkills,
    max_skill_tokens: Math.min(settings.max_skill_tokens ?? ceiling, ceiling),
    max_skill_bytes: bytesFor(ceiling),
  };
}

/** Whether the result of `load_skill` contains the instructions, so that the prompt does not need them. */
export function deliversInAnswer(policy: Policy): boolean {
  return policy.delivery === "tool_result" || policy.delivery === "auto" || policy.tool_style === "skill";
}
