// What a conversation's object can be asked. The object implements this interface over RPC and the edges call it, so
// everything in it is plain data; a refusal comes back as a value, since errors lose their class between isolates.

import type { PickedSkill } from "../../domain/catalog/pin";
import type { ConversationSettings } from "../../domain/conversation/settings";
import type { Usage } from "../../domain/conversation/usage";
import { type ErrorCode, type ErrorDetails, GatewayError, refusalIn, rootCause } from "../../domain/errors";
import type { JsonObject, JsonValue } from "../../domain/json";
import type { Answer, QuestionState } from "../../domain/questions/question";
import type { LogLevel } from "../../domain/servers/log";
import type { ClientCapabilities, Era } from "../../domain/servers/memory";
import type { Format } from "../../domain/tools/formats";
import type { QuestionOutcome } from "../../upstream/server-questions";
import type { Caller } from "../context";
import type { HostAnswers } from "../host-questions";
import type { Idempotency } from "../idempotency";
import type { TicketRequest } from "../questions/tickets";
import type { QuestionDetail, QuestionList, QuestionReply, QuestionRequest } from "../questions/views";
import type { SeriesReply } from "./billing/series";
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

/** Who asks, and of which conversation. The object's name is made of the user and the id. */
export interface Target {
  caller: Caller;
  id: string;
}

export interface TurnRequest {
  key: string | null;
  format: Format | null;
  history: JsonValue[] | null;
  history_cut: boolean;
  selected_skills: PickedSkill[];
  /** Ids of the messages with instructions that the caller's history still has, unedited; `null`: it does not say. */
  have: string[] | null;
  /** The model that will be called, which decides how long a prompt is cached. */
  model: string | null;
  /** The caller knows that the provider's cache holds nothing of this conversation. */
  cache: "cold" | null;
  /** What the last request of the turn before used, as its provider says. */
  usage: Usage | null;
  /** Tokens of the messages that the caller sends in this turn, without the prompt. */
  history_tokens: number | null;
}

/** Who asks is an MCP host: it makes a conversation it names for the first time, and takes instructions in answers only. */
export interface ClientSetup {
  /** Of a conversation that is not there yet. */
  settings: ConversationSettings;
  /** Skills that are active from its first turn on. */
  preload: string[];
  /** Absent where it can be asked nothing. */
  host?: HostSetup | undefined;
}

/** A host that can be asked something in the middle of a call: in its stream, or as an answer that is none yet. */
export interface HostSetup {
  era: Era;
  abilities: ClientCapabilities;
}

/** What an MCP host asks for that is no tool, in MCP's own terms and under the names that things have in the conversation. */
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
  /** What the request used whose answer these calls are. */
  usage: Usage | null;
  client: ClientSetup | null;
  /** Goes on with a call that asked its host something. */
  answers?: HostAnswers | undefined;
  /** Whether the answer says to a host that the list of tools is another one than it was told. */
  hearsChanges?: boolean;
  /** From which level on an MCP host hears what servers log; `kept`: as it was set. Left out: not at all. */
  logs?: LogLevel | "kept" | undefined;
}

/** An MCP host asks for a prompt of a server, under the name that it has in the conversation. */
export interface PromptRequest {
  /** As a call has one: it is called off by it, and its answers come under it. */
  id: string;
  name: string;
  arguments: Record<string, string>;
  client: ClientSetup;
  /** Goes on with a request that asked its host something. */
  answers?: HostAnswers | undefined;
}

export type Reply<T> =
  | { ok: true; value: T; storage_ms: number }
  | { ok: false; error: { code: ErrorCode; reason: string; message: string; details: ErrorDetails } };

export interface ConversationApi {
  /** Creates the conversation, or changes the named settings of a known one (all of them with `replace`). */
  put(
    target: Target,
    settings: ConversationSettings,
    replace: boolean,
    once: Idempotency | null,
  ): Promise<Reply<{ created: boolean; status: ConversationStatus }>>;
  status(target: Target): Promise<Reply<ConversationStatus>>;
  /** The status as the store has it, for an export: right whoever asks, and without a trace. */
  record(target: Target): Promise<Reply<ConversationRecord>>;
  /** Begins a turn; with settings, creates the conversation or updates it first. */
  turn(
    target: Target,
    settings: ConversationSettings | null,
    request: TurnRequest,
    once: Idempotency | null,
  ): Promise<Reply<TurnReply>>;
  prompt(target: Target, format: Format | null): Promise<Reply<OfferReply>>;
  /** The server's instructions for an MCP host: what to do, and which skills there are. Waits for no MCP server. */
  clientOpening(target: Target, client: ClientSetup): Promise<Reply<string>>;
  /** The tools that an MCP host is offered: they say which skills there are, too. */
  clientTools(target: Target, client: ClientSetup, tells: boolean): Promise<Reply<JsonObject[]>>;
  /** What the servers of the conversation have beside tools, as MCP has it; `null`: nothing of this name is here. */
  clientAsk(target: Target, client: ClientSetup, ask: HostAsk): Promise<Reply<JsonObject | null>>;
  toolCalls(target: Target, request: ToolCallsRequest, once: Idempotency | null): Promise<Reply<ToolCallsReply>>;
  /**
   * As `toolCalls`, told while it happens: server-sent events `result` per call and `done`. Cancelling the stream cancels the calls. Of a
   * prompt `done` has it as `prompt`; `null`: nothing of this name is here.
   */
  streamCalls(target: Target, request: ToolCallsRequest | PromptRequest): Promise<Reply<ReadableStream<Uint8Array>>>;
  /** Calls a running call off. */
  cancelCall(target: Target, call: CallName): Promise<Reply<null>>;
  /** Takes what a host answers that was asked in a call's stream; `false` where nobody waits for it. */
  answerHost(target: Target, question: string, response: QuestionOutcome): Promise<Reply<boolean>>;
  restore(target: Target, history: JsonValue[]): Promise<Reply<ConversationStatus>>;
  events(target: Target, after: number, limit: number): Promise<Reply<EventsReply>>;
  at(target: Target, turn: number): Promise<Reply<PastReply>>;
  /** What the turns after an event were, in figures. */
  series(target: Target, after: number, limit: number): Promise<Reply<SeriesReply>>;
  taskSkills(target: Target): Promise<Reply<TaskSkills>>;
  /** Asks the browser and waits; an Idempotency-Key finds the same request again. */
  question(target: Target, request: QuestionRequest, once: Idempotency | null): Promise<Reply<QuestionReply>>;
  questions(
    target: Target,
    state: QuestionState | null,
    limit: number,
    cursor: string | undefined,
  ): Promise<Reply<QuestionList>>;
  /** A request once it has ended, or as it stands after so many milliseconds. */
  awaitQuestion(target: Target, requestId: string, milliseconds: number): Promise<Reply<QuestionDetail>>;
  cancelQuestion(target: Target, requestId: string): Promise<Reply<null>>;
  respond(
    target: Target,
    requestId: string,
    answer: Answer,
    once: Idempotency | null,
  ): Promise<Reply<{ success: true }>>;
  /** A ticket for a page; makes a conversation that is not there. The object's `fetch` takes the page's socket. */
  ticket(
    target: Target,
    request: TicketRequest,
    settings: ConversationSettings,
  ): Promise<Reply<{ ticket: string; expires: number }>>;
  remove(target: Target): Promise<Reply<null>>;
  /** As `remove`, when its user is erased: of one that is not there, only the place in the list goes. */
  erase(target: Target): Promise<Reply<null>>;
}

/** Turns a refusal into the value that crosses to an edge; anything else goes on as it is. */
export function refusal(error: unknown): Extract<Reply<never>, { ok: false }> {
  const found = refusalIn(error);
  if (found === null) throw rootCause(error);
  const { code, reason, message, details } = found;
  return { ok: false, error: { code, reason, message, details } };
}

/** The value of a reply, or the refusal it carries, thrown. */
export function unwrap<T>(reply: Reply<T>): T {
  if (reply.ok) return reply.value;
  const { code, reason, message, details } = reply.error;
  throw new GatewayError(code, reason, message, details);
}
