// What a conversation answers, as schemas: the wire's description, the check of stored answers, and the types, all in one.
// They are functions, made when the OpenAPI document or a stored answer needs them, so that no start of the Worker pays.

import * as z from "zod";
import { conversationSettingsSchema } from "../../domain/conversation/settings";
import { jsonObject, jsonValue } from "../../domain/json";
import type { ServerLog } from "../../domain/servers/log";
import { PLACES } from "../../domain/settings/settings";
import { questionItemSchema } from "../questions/views";

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
    /** Turns after that of its loading that are not over. 0: it leaves with this turn; `null`: no end. */
    remaining: z.int().nullable(),
    reason: z.enum(["loaded", "preloaded", "selected", "dependency"]),
    loaded_in_turn: z.int(),
    tokens: z.int(),
  });

/** Prompt tokens spent on skills so far: by static injection of the whole catalog, and as it was. */
const tokensSchema = () =>
  z.object({ static: z.int(), actual: z.int(), saved_percent: z.number(), billed: billedSchema() });

/** What all prompts are billed, in tokens at the price of an ordinary input token: as they were, with everything pasted, and appended. */
const billedSchema = () =>
  z.object({
    actual: z.int(),
    paste: z.int(),
    append_only: z.int(),
    /** Whether the size of some request is a guess: neither `usage` nor `history_tokens` told it. */
    estimated: z.boolean(),
    saved_percent: z.number(),
    saved_over_append_percent: z.number(),
    /** The row of the price table, and when it was checked; or `no price known`: then each token costs one. */
    price: z.string(),
  });

/** An MCP server of the conversation. `open`: it failed several times in a row and is left alone for a while. */
const serverSchema = () =>
  z.object({
    server: z.string(),
    /** `gateway`, `ghost`, or the name of the skill that offers it. */
    source: z.string(),
    state: z.enum(["connecting", "connected", "failed", "open", "unsupported"]),
    /** The tools, by the names they are offered under. */
    tools: z.array(z.string()),
    error: z.string().optional(),
    /** Of the last connecting, listing or call. */
    latency_ms: z.number().optional(),
  });

export const statusSchema = () =>
  z.object({
    id: z.string(),
    turn: z.int(),
    ghost: z.string().nullable(),
    settings: conversationSettingsSchema,
    /** Where it was asked to be made; `auto`: near its first caller. */
    region: z.enum(PLACES).default("auto"),
    active: z.array(activeSkillSchema()),
    pending: z.array(questionItemSchema),
    mcp: z.array(serverSchema()),
    tokens: tokensSchema(),
    warnings: z.array(issueSchema()),
  });

export const putReplySchema = () => z.object({ created: z.boolean(), status: statusSchema() });

export const promptSchema = () => z.object({ system: z.string(), messages: z.array(jsonObject) });

/** The prompt and the tools to send to the model now. `etag` changes exactly when they do. */
const offerSchema = () => z.object({ prompt: promptSchema(), tools: z.array(jsonObject), etag: z.string() });

/** A message of the caller's history whose content is to be replaced, before the model is called. */
const contextEditSchema = () =>
  z.object({
    /** The call whose result it is, or the message that an earlier turn asked to append. */
    call_id: z.string().optional(),
    append_id: z.string().optional(),
    content: z.string(),
    /** The skill may not be used any more: this one is no question of money. */
    required: z.boolean().optional(),
  });

const cacheControl = () => z.object({ type: z.literal("ephemeral") });

/** What a turn says under delivery `auto`. */
const autoReplySchema = () =>
  z.object({
    /** To keep in the history, behind the user's message of this turn. `have` may name them by `append_id`. */
    append: z.array(jsonObject).optional(),
    append_id: z.string().optional(),
    context_edits: z.array(contextEditSchema()).optional(),
    /** Format `anthropic`: what came before has changed, so that thinking blocks before this turn's user message must go. */
    drop_thinking_before: z.literal("new_user_message").optional(),
    /** Format `anthropic`: the marks to send at the end of the tools, of the system prompt and of the conversation. */
    cache_control: z.object({ tools: cacheControl(), system: cacheControl(), conversation: cacheControl() }).optional(),
    /** OpenAI's formats: the same for all conversations that begin alike. */
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
    warnings: z.array(issueSchema()),
  });

export const eventsReplySchema = () =>
  z.object({
    events: z.array(z.object({ seq: z.int(), at: z.string(), type: z.string(), turn: z.int() }).catchall(jsonValue)),
    next_cursor: z.int().nullable(),
  });

/** The state in one turn, as it was in the latest pass over it. */
export const pastSchema = () =>
  z.object({ turn: z.int(), active: z.array(activeSkillSchema()), tokens: tokensSchema() });

const taskSkillRefSchema = () =>
  z.object({
    skill_id: z.string(),
    namespace: z.string(),
    is_public: z.boolean(),
    version_id: z.string(),
    /** The `fileHash` of this version, and with `sha256-` before it the ETag of its download; `null` while the registry is away. */
    content_hash: z.string().nullable(),
  });

/** `GET /api/tasks/{id}/skills`, in the form of the predecessor system. */
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
/** What of it is stored, and not worked out for whoever asks. */
export type ConversationRecord = Omit<ConversationStatus, "mcp" | "warnings">;
export type ServerStatus = z.infer<ReturnType<typeof serverSchema>>;
export type OfferReply = z.infer<ReturnType<typeof offerSchema>>;
export type AutoReply = z.infer<ReturnType<typeof autoReplySchema>>;
export type TurnReply = z.infer<ReturnType<typeof turnReplySchema>>;
/**
 * For MCP hosts alone: `logs` is what servers logged, where the host asked for it and is not told in a stream; `things_changed`, that
 * servers have said that they have other resources or prompts.
 */
export type ToolCallsReply = z.infer<ReturnType<typeof toolCallsReplySchema>> & {
  logs?: ServerLog[];
  things_changed?: boolean | undefined;
};
export type EventsReply = z.infer<ReturnType<typeof eventsReplySchema>>;
export type PastReply = z.infer<ReturnType<typeof pastSchema>>;
export type TaskSkillRef = z.infer<ReturnType<typeof taskSkillRefSchema>>;
export type TaskSkills = z.infer<ReturnType<typeof taskSkillsSchema>>;

/** The part of an offer that is told. */
export function offerReply({ prompt, tools, etag }: OfferReply): OfferReply {
  return { prompt, tools, etag };
}
