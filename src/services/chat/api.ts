// The interface between the Worker, which calls the model, and the conversation's Durable Object. All values are plain data.

import type { ConversationSettings } from "../../domain/conversation/settings";
import type { JsonObject } from "../../domain/json";
import type { Format } from "../../domain/tools/formats";
import type { Reply, Target } from "../conversation/api";
import type { SignInLink } from "../sign-in-waits";

/** A message of the caller's history: its role, and a digest for answers of the gateway. */
export interface HistoryMessage {
  role: "user" | "results" | "assistant" | "other";
  /** Digest of an assistant message; otherwise empty. */
  digest: string;
  /** The model reads nothing before this message. */
  isSummary: boolean;
}

export interface ChatBegin {
  do: "begin";
  format: Format;
  /** The entry and its model, which the hidden messages belong to. */
  model: string;
  vendorModel: string;
  layout: HistoryMessage[];
  /** Text of the last shown answer, which may have been stopped; `null` if it has calls or there is none. */
  shownLast: string | null;
  /** The beginning of the user's message, for a prediction; `null` if the request has none or adds no skills. */
  message: string | null;
  /** Digest of the request. */
  request: string;
  /** The same request was sent before, and its response was not delivered. */
  isRetry: boolean;
}

/** A committed message of a turn. */
export interface StoredStep {
  kind: "append" | "answer" | "result";
  message: JsonObject;
}

/** What the model receives in addition to the caller's messages. */
export interface ChatOffered {
  system: string;
  tools: JsonObject[];
  /** Replacements of visible messages by index. `other`: created by another model. */
  puts: { at: number; messages: JsonObject[]; other: boolean }[];
}

export interface ChatBegun extends ChatOffered {
  exchange: string;
  cacheKey: string | null;
  /** Steps that an earlier attempt has completed, to be appended. */
  steps: StoredStep[];
  /** Removes thinking blocks of earlier turns. */
  dropThoughts: boolean;
}

export interface ChatStep {
  do: "step";
  exchange: string;
  /** The model's message; `null` if it is committed already. */
  message: JsonObject | null;
  /** Its calls of the gateway's tools, in the vendor's format. */
  calls: JsonObject[];
  usage: JsonObject | null;
  /** How long to wait for sign-ins, in milliseconds; `null`: calls that need one fail with a link. */
  patience: number | null;
}

/** The results as messages in the vendor's format, and the skills loaded now. With `waiting`, calls wait for sign-ins at these links. */
export interface ChatStepped {
  messages: JsonObject[];
  loaded: string[];
  waiting: SignInLink[];
}

export interface ChatEnd {
  do: "end";
  exchange: string;
  /** The last message; `null` if it is committed already or the turn failed. */
  message: JsonObject | null;
  /** Digest of what was sent; `null` if nothing was, and the same request can continue. */
  digest: string | null;
  /** What an unfinished step sent, if it can be referenced by id. */
  shown: JsonObject[];
  /** Calls of the last step wait for a sign-in. The next request of the chat continues them. */
  waits?: boolean;
}

/** What the model would receive, without starting a turn. */
export interface ChatPreview {
  do: "look";
  format: Format;
  model: string;
  layout: HistoryMessage[];
}

/** Items of sent answers, by id. */
export interface ChatItems {
  do: "items";
  ids: string[];
}

export interface ChatExport {
  do: "export";
  after: number;
}

/** A page of the stored chat, for exports. */
export interface ChatRows {
  rows: JsonObject[];
  next: number | null;
}

export type ChatRequest = ChatBegin | ChatStep | ChatEnd | ChatPreview | ChatItems | ChatExport;

/** The reply for each kind of request. */
export type ChatReply =
  | { did: "begin"; value: ChatBegun }
  | { did: "step"; value: ChatStepped }
  | { did: "end"; value: null }
  | { did: "look"; value: ChatOffered }
  | { did: "items"; value: JsonObject[] }
  | { did: "export"; value: ChatRows };

export interface ChatObject {
  /** `settings`: creates the conversation with them if it does not exist. */
  chat(target: Target, request: ChatRequest, settings: ConversationSettings | null): Promise<Reply<ChatReply>>;
}

/** Returns the reply if it is of the requested kind. */
export function chatReply<D extends ChatReply["did"]>(reply: ChatReply, did: D): Extract<ChatReply, { did: D }> {
  const isThat = (one: ChatReply): one is Extract<ChatReply, { did: D }> => one.did === did;
  if (!isThat(reply)) throw new Error(`asked for ${did}, and heard ${reply.did}`);
  return reply;
}
