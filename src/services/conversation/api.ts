// The RPC interface of a conversation's Durable Object. All values are plain data. Refusals are returned as values, because errors lose
// their class between isolates.

import type { PickedSkill } from "../../domain/catalog/pin";
import type { ConversationSettings } from "../../domain/conversation/settings";
import type { Usage } from "../../domain/conversation/usage";
import { type ErrorCode, type ErrorDetails, GatewayError, refusalIn, rootCause } from "../../domain/errors";
import type { JsonObject, JsonValue } from "../../domain/json";
import type { Answer, QuestionState } from "../../domain/questions/question";
import type { LogLevel } from "../../domain/servers/log";
import type { ClientCapabilities, Era } from "../../domain/servers/memory";
import type { TraceContext } from "../../domain/telemetry/trace-context";
import type { Format } from "../../domain/tools/formats";
import type { QuestionOutcome } from "../../upstream/server-questions";
import type { Caller } from "../context";
import type { HostAnswers } from "../host-questions";
import type { Idempotency } from "../idempotency";
import type { TicketRequest } from "../questions/tickets";
import type { QuestionDetail, QuestionList, QuestionReply, QuestionRequest } from "../questions/views";
import type { SeriesReply } from "./billing/series";
import type { FeedbackListReply, FeedbackReply, FeedbackRequest } from "./feedback";
import type {
  ConversationRecord,
  ConversationStatus,
  EventsReply,
  OfferReply,
  PastReply,
  TaskSkills,
  ToolCallsReply,
  TurnReply,
} from "./replies";
import type { CallName } from "./running";

/** The caller and the conversation. User and id determine the object's name. */
export interface Target {
  caller: Caller;
  id: string;
  /** The gateway's public origin, for links; absent in background work. */
  origin?: string | undefined;
  /** The span in which the request runs. */
  trace?: TraceContext | null | undefined;
}

/** Returns the target with another trace. */
export function targetWithTrace(target: Target, trace: TraceContext | null): Target {
  return {
    id: target.id,
    origin: target.origin,
    trace,
    get caller() {
      return target.caller;
    },
  };
}

export interface TurnRequest {
  key: string | null;
  format: Format | null;
  history: JsonValue[] | null;
  history_cut: boolean;
  selected_skills: PickedSkill[];
  /** The beginning of the user's message, for a prediction; `null`: not sent. It is not stored. */
  message: string | null;
  /** Ids of messages with instructions that the caller's history still contains unedited; `null`: not reported. */
  have: string[] | null;
  /** The model to be called, which determines how long the provider caches a prompt. */
  model: string | null;
  /** The caller reports that the provider's cache no longer has this conversation. */
  cache: "cold" | null;
  /** Usage of the last request of the previous turn, as the provider reported it. */
  usage: Usage | null;
  /** Tokens of the messages that the caller sends in this turn, without the prompt. */
  history_tokens: number | null;
}

/** Parameters of an MCP host: it creates the conversation with its first request, and receives instructions only in tool results. */
export interface ClientSetup {
  /** Settings for a new conversation. */
  settings: ConversationSettings;
  /** Skills that are active from the first turn on. */
  preload: string[];
  /** Absent if the host cannot be asked anything. */
  host?: HostSetup | undefined;
}

/** A host that can be asked questions during a call: in its stream, or with an incomplete result. */
export interface HostSetup {
  era: Era;
  abilities: ClientCapabilities;
}

/** MCP requests of a host other than tool calls, with the names used in the conversation. */
export type HostAsk =
  | { method: "resources/list" | "resources/templates/list" | "prompts/list" }
  | { method: "logging/setLevel"; level: LogLevel }
  | { method: "resources/read"; uri: string }
  | {
      method: "completion/complete";
      ref: { type: "ref/prompt"; name: string } | { type: "ref/resource"; uri: string };
      argument: { name: string; value: string };
      context?: { arguments?: Record<string, string> | undefined } | undefined;
    };

export interface ToolCallsRequest {
  calls: JsonObject[];
  format: Format | null;
  etag: string | null;
  /** Usage of the request that produced these calls. */
  usage: Usage | null;
  client: ClientSetup | null;
  /** Continues a call that asked its host something. */
  answers?: HostAnswers | undefined;
  /** Reports in the result whether the list of tools differs from the one the host has. */
  hearsChanges?: boolean;
  /** In a stream: calls that need a sign-in send their link and wait. */
  waitsForSignIn?: boolean | undefined;
  /** Minimum level of server log messages to return; `kept`: the level set earlier; absent: none. */
  logs?: LogLevel | "kept" | undefined;
}

/** An MCP host's request for a prompt of a server, by its name in the conversation. */
export interface PromptRequest {
  /** Id for cancelling and for answers, as tool calls have. */
  id: string;
  name: string;
  arguments: Record<string, string>;
  client: ClientSetup;
  /** Continues a request that asked its host something. */
  answers?: HostAnswers | undefined;
}

export type Reply<T> =
  | { ok: true; value: T; storage_ms: number }
  | { ok: false; error: { code: ErrorCode; reason: string; message: string; details: ErrorDetails } };

export interface ConversationApi {
  /** Creates the conversation, or changes the given settings of an existing one (all of them with `replace`). */
  put(
    target: Target,
    settings: ConversationSettings,
    replace: boolean,
    once: Idempotency | null,
  ): Promise<Reply<{ created: boolean; status: ConversationStatus }>>;
  status(target: Target): Promise<Reply<ConversationStatus>>;
  /** Returns the stored status, for an export. Independent of the caller and without side effects. */
  record(target: Target): Promise<Reply<ConversationRecord>>;
  /** Begins a turn. With settings, first creates or updates the conversation. */
  turn(
    target: Target,
    settings: ConversationSettings | null,
    request: TurnRequest,
    once: Idempotency | null,
  ): Promise<Reply<TurnReply>>;
  prompt(target: Target, format: Format | null): Promise<Reply<OfferReply>>;
  /** Returns the server instructions for an MCP host: what to do, and the list of skills. Does not wait for MCP servers. */
  clientOpening(target: Target, client: ClientSetup): Promise<Reply<string>>;
  /** Returns the tools for an MCP host, whose descriptions include the list of skills. */
  clientTools(target: Target, client: ClientSetup, tells: boolean): Promise<Reply<JsonObject[]>>;
  /** Answers resource, prompt and completion requests for the conversation's servers, in MCP's format; `null`: name not found. */
  clientAsk(target: Target, client: ClientSetup, ask: HostAsk): Promise<Reply<JsonObject | null>>;
  toolCalls(target: Target, request: ToolCallsRequest, once: Idempotency | null): Promise<Reply<ToolCallsReply>>;
  /**
   * Like `toolCalls`, as server-sent events: `result` per call and `done`. Cancelling the stream cancels the calls. For a prompt, `done`
   * contains it as `prompt`; `null`: name not found.
   */
  streamCalls(target: Target, request: ToolCallsRequest | PromptRequest): Promise<Reply<ReadableStream<Uint8Array>>>;
  /** Cancels a running call. */
  cancelCall(target: Target, call: CallName): Promise<Reply<null>>;
  /** Accepts a host's answer to a question in a call's stream. Returns `false` if nothing waits for it. */
  answerHost(target: Target, question: string, response: QuestionOutcome): Promise<Reply<boolean>>;
  /** Reports that the user has signed in to a server, for calls that wait for it. */
  signedIn(): Promise<null>;
  restore(target: Target, history: JsonValue[]): Promise<Reply<ConversationStatus>>;
  events(target: Target, after: number, limit: number): Promise<Reply<EventsReply>>;
  at(target: Target, turn: number): Promise<Reply<PastReply>>;
  /** Returns figures of the turns after an event. */
  /** Stores feedback on a turn. */
  giveFeedback(target: Target, request: FeedbackRequest): Promise<Reply<FeedbackReply>>;
  /** Returns feedback on turns after one. */
  feedback(target: Target, after: number, limit: number): Promise<Reply<FeedbackListReply>>;
  series(target: Target, after: number, limit: number): Promise<Reply<SeriesReply>>;
  taskSkills(target: Target): Promise<Reply<TaskSkills>>;
  /** Asks the browser and waits. An Idempotency-Key finds the same request again. */
  question(target: Target, request: QuestionRequest, once: Idempotency | null): Promise<Reply<QuestionReply>>;
  questions(
    target: Target,
    state: QuestionState | null,
    limit: number,
    cursor: string | undefined,
  ): Promise<Reply<QuestionList>>;
  /** Returns a request when it has ended, or its state after this number of milliseconds. */
  awaitQuestion(target: Target, requestId: string, milliseconds: number): Promise<Reply<QuestionDetail>>;
  cancelQuestion(target: Target, requestId: string): Promise<Reply<null>>;
  respond(
    target: Target,
    requestId: string,
    answer: Answer,
    once: Idempotency | null,
  ): Promise<Reply<{ success: true }>>;
  /** Creates a ticket for a page, and the conversation if it does not exist. The object's `fetch` accepts the page's socket. */
  ticket(
    target: Target,
    request: TicketRequest,
    settings: ConversationSettings,
  ): Promise<Reply<{ ticket: string; expires: number }>>;
  remove(target: Target): Promise<Reply<null>>;
  /** Like `remove`, for the erasure of the user: if the conversation does not exist, only its list entry is deleted. */
  erase(target: Target): Promise<Reply<null>>;
}

/** Converts a refusal to a value; rethrows other errors. */
export function refusal(error: unknown): Extract<Reply<never>, { ok: false }> {
  const found = refusalIn(error);
  if (found === null) throw rootCause(error);
  const { code, reason, message, details } = found;
  return { ok: false, error: { code, reason, message, details } };
}

/** Returns the value of a reply, or throws its refusal. */
export function unwrap<T>(reply: Reply<T>): T {
  if (reply.ok) return reply.value;
  const { code, reason, message, details } = reply.error;
  throw new GatewayError(code, reason, message, details);
}
