// Schemas of a conversation's responses: they describe the wire format, validate stored responses, and define the types. They are
// functions, so that the Worker's start does not build them.

import * as z from "zod";
import { conversationSettingsSchema } from "../../domain/conversation/settings";
import { jsonObject, jsonValue } from "../../domain/json";
import type { ServerLog } from "../../domain/servers/log";
import { PLACES } from "../../domain/settings/settings";
import { questionItemSchema } from "../questions/views";
import { traceSchema } from "./trace";

const issueSchema = () =>
  z.object({
    code: z.string(),
    message: z.string(),
    path: z.string().optional(),
    line: z.int().optional(),
  });

const activeSkillSchema = () =>
  z.object({
    skill: z.string(),
    version: z.string().nullable(),
    /** Turns left after the one in which it was loaded. 0: it leaves after this turn; `null`: no limit. */
    remaining: z.int().nullable(),
    reason: z.enum(["loaded", "preloaded", "selected", "predicted", "dependency"]),
    loaded_in_turn: z.int(),
    tokens: z.int(),
    /** True if the version is the candidate of a rollout. */
    candidate: z.boolean().optional(),
  });

/** Prompt tokens for skills so far: `static` if every skill were pasted, and `actual`. */
const tokensSchema = () =>
  z.object({ static: z.int(), actual: z.int(), saved_percent: z.number(), billed: billedSchema() });

/**
 * Billed cost of all prompts, in tokens at the price of an ordinary input token: actual, with every skill pasted, and with skills appended.
 */
const billedSchema = () =>
  z.object({
    actual: z.int(),
    paste: z.int(),
    append_only: z.int(),
    /** True if the size of any request is an estimate, because neither `usage` nor `history_tokens` was reported. */
    estimated: z.boolean(),
    saved_percent: z.number(),
    saved_over_append_percent: z.number(),
    /** The row of the price table and its check date, or `no price known`, in which case each token costs one. */
    price: z.string(),
  });

/** An MCP server of the conversation. `open`: it failed several times in a row and is not called for a while. */
const serverSchema = () =>
  z.object({
    server: z.string(),
    /** `gateway`, `ghost`, or the name of the skill that provides it. */
    source: z.string(),
    state: z.enum(["connecting", "connected", "failed", "open", "sign_in", "unsupported"]),
    /** The names under which its tools are offered. */
    tools: z.array(z.string()),
    error: z.string().optional(),
    /** Duration of the last connect, list or call. */
    latency_ms: z.number().optional(),
  });

export const statusSchema = () =>
  z.object({
    id: z.string(),
    turn: z.int(),
    ghost: z.string().nullable(),
    settings: conversationSettingsSchema,
    /** The requested region of the Durable Object; `auto`: near its first caller. */
    region: z.enum(PLACES).default("auto"),
    active: z.array(activeSkillSchema()),
    pending: z.array(questionItemSchema),
    mcp: z.array(serverSchema()),
    tokens: tokensSchema(),
    warnings: z.array(issueSchema()),
  });

export const putReplySchema = () => z.object({ created: z.boolean(), status: statusSchema() });

export const promptSchema = () => z.object({ system: z.string(), messages: z.array(jsonObject) });

/** The prompt and tools to send to the model now. `etag` changes exactly when they do. */
const offerSchema = () => z.object({ prompt: promptSchema(), tools: z.array(jsonObject), etag: z.string() });

/** A message of the caller's history whose content must be replaced before the model is called. */
const contextEditSchema = () =>
  z.object({
    /** Id of the call whose result it is, or of the message that an earlier turn asked to append. */
    call_id: z.string().optional(),
    append_id: z.string().optional(),
    content: z.string(),
    /** True if the skill can no longer be used. Such an edit must be applied whatever it costs. */
    required: z.boolean().optional(),
  });

const cacheControl = () => z.object({ type: z.literal("ephemeral") });

/** What a turn returns with delivery `auto`. */
const autoReplySchema = () =>
  z.object({
    /** Messages to store in the history after this turn's user message. `have` can refer to them by `append_id`. */
    append: z.array(jsonObject).optional(),
    append_id: z.string().optional(),
    context_edits: z.array(contextEditSchema()).optional(),
    /** Format `anthropic`: earlier messages changed, so thinking blocks before this turn's user message must be removed. */
    drop_thinking_before: z.literal("new_user_message").optional(),
    /** Format `anthropic`: the cache markers to send at the end of the tools, the system prompt and the conversation. */
    cache_control: z.object({ tools: cacheControl(), system: cacheControl(), conversation: cacheControl() }).optional(),
    /** OpenAI formats: equal for all conversations with the same beginning. */
    prompt_cache_key: z.string().optional(),
  });

export const turnReplySchema = () =>
  autoReplySchema().extend({
    turn: z.int(),
    prompt: promptSchema(),
    tools: z.array(jsonObject),
    active: z.array(activeSkillSchema()),
    loaded_skills: z.array(z.string()),
    etag: z.string(),
    warnings: z.array(issueSchema()),
  });

export const resultSchema = () =>
  z.object({
    id: z.string(),
    name: z.string(),
    content: z.array(z.object({ type: z.string() }).catchall(jsonValue)),
    structuredContent: jsonObject.optional(),
    isError: z.boolean().optional(),
    _meta: jsonObject.optional(),
  });

const signInSchema = () =>
  z.object({ call_id: z.string(), server: z.string(), url: z.string(), expires_at: z.string() });

export const toolCallsReplySchema = () =>
  z.object({
    results: z.array(resultSchema()),
    messages: z.array(jsonObject),
    unhandled: z.array(jsonObject),
    loaded_skills: z.array(z.string()),
    active: z.array(activeSkillSchema()),
    changed: z.boolean(),
    /** Whether these calls changed the list of tools. */
    tools_changed: z.boolean(),
    etag: z.string(),
    prompt: promptSchema().optional(),
    tools: z.array(jsonObject).optional(),
    /** Links for calls that failed because the user must sign in to their server. */
    sign_ins: z.array(signInSchema()).optional(),
    warnings: z.array(issueSchema()),
  });

export const eventsReplySchema = () =>
  z.object({
    events: z.array(z.object({ seq: z.int(), at: z.string(), type: z.string(), turn: z.int() }).catchall(jsonValue)),
    next_cursor: z.int().nullable(),
  });

/** The state in one turn, and what ran in it. If the turn was repeated, of its latest run. */
export const pastSchema = () =>
  z.object({ turn: z.int(), active: z.array(activeSkillSchema()), tokens: tokensSchema(), steps: traceSchema() });

const taskSkillRefSchema = () =>
  z.object({
    skill_id: z.string(),
    namespace: z.string(),
    is_public: z.boolean(),
    version_id: z.string(),
    /**
     * The `fileHash` of this version. With the prefix `sha256-` it is the ETag of its download. `null` while the registry is unavailable.
     */
    content_hash: z.string().nullable(),
  });

/** `GET /api/tasks/{id}/skills`, in Wegent's format. */
export const taskSkillsSchema = () =>
  z.object({
    task_id: z.string(),
    skills: z.array(z.string()),
    preload_skills: z.array(z.string()),
    skill_refs: z.record(z.string(), taskSkillRefSchema()),
    preload_skill_refs: z.record(z.string(), taskSkillRefSchema()),
    user_selected_skills: z.array(z.string()),
  });

export type ActiveSkill = z.infer<ReturnType<typeof activeSkillSchema>>;
export type ConversationStatus = z.infer<ReturnType<typeof statusSchema>>;
/** The stored part of the status, which does not depend on the caller. */
export type ConversationRecord = Omit<ConversationStatus, "mcp" | "warnings">;
export type ServerStatus = z.infer<ReturnType<typeof serverSchema>>;
export type OfferReply = z.infer<ReturnType<typeof offerSchema>>;
export type AutoReply = z.infer<ReturnType<typeof autoReplySchema>>;
export type TurnReply = z.infer<ReturnType<typeof turnReplySchema>>;
/**
 * Additional fields for MCP hosts: `logs` contains server log messages if the host requested them without a stream; `things_changed`
 * reports that servers announced changed resources or prompts.
 */
export type ToolCallsReply = z.infer<ReturnType<typeof toolCallsReplySchema>> & {
  logs?: ServerLog[];
  things_changed?: boolean | undefined;
};
export type EventsReply = z.infer<ReturnType<typeof eventsReplySchema>>;
export type PastReply = z.infer<ReturnType<typeof pastSchema>>;
export type TaskSkillRef = z.infer<ReturnType<typeof taskSkillRefSchema>>;
export type TaskSkills = z.infer<ReturnType<typeof taskSkillsSchema>>;

/** Returns the public part of an offer. */
export function offerReply({ prompt, tools, etag }: OfferReply): OfferReply {
  return { prompt, tools, etag };
}
