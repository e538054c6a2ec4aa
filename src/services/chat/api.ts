// What the chat endpoint asks of a conversation's object while the Worker speaks with the model. All of it is plain data.

import type { ConversationSettings } from "../../domain/conversation/settings";
import type { JsonObject } from "../../domain/json";
import type { Format } from "../../domain/tools/formats";
import type { Reply, Target } from "../conversation/api";

/** A message of the caller's history: whose it is, and of our own answers a digest. */
export interface HistoryMessage {
  role: "user" | "results" | "assistant" | "other";
  /** Of what was said in an assistant message; else empty. */
  digest: string;
  /** The model reads nothing of what stands before it. */
  isSummary: boolean;
}

export interface ChatBegin {
  do: "begin";
  format: Format;
  /** The entry and its model: what the hidden part was made with. */
  model: string;
  vendorModel: string;
  layout: HistoryMessage[];
  /** The text of the last answer that is shown, which may have been stopped; `null`: it has calls, or there is none. */
  shownLast: string | null;
  /** A digest of what is asked. */
  request: string;
  /** The same request came before, and nobody heard the answer. */
  isRetry: boolean;
}

/** A committed message of a turn. */
export interface StoredStep {
  kind: "append" | "answer" | "result";
  message: JsonObject;
}

/** What a model is given besides what the caller shows. */
export interface ChatOffered {
  system: string;
  tools: JsonObject[];
  /** What stands in the place of visible messages, by their number. `other`: made by another model. */
  puts: { at: number; messages: JsonObject[]; other: boolean }[];
}

export interface ChatBegun extends ChatOffered {
  exchange: string;
  cacheKey: string | null;
  /** What an earlier attempt has done already, and what is to be appended. */
  steps: StoredStep[];
  /** Thoughts of earlier turns are to be left out. */
  dropThoughts: boolean;
}

export interface ChatStep {
  do: "step";
  exchange: string;
  /** The model's message; `null`: it is committed. */
  message: JsonObject | null;
  /** The calls in it that are ours, as the vendor wrote them. */
  calls: JsonObject[];
  usage: JsonObject | null;
}

export interface ChatEnd {
  do: "end";
  exchange: string;
  /** The last message; `null`: it is committed, or the turn failed. */
  message: JsonObject | null;
  /** Of what was given out; `null`: nothing was, and the same request may go on. */
  digest: string | null;
  /** What was given out of a step that came to no end, where it may be named by its ids. */
  shown: JsonObject[];
}

/** What a request would be given, where nothing is begun. */
export interface ChatPreview {
  do: "look";
  format: Format;
  model: string;
  layout: HistoryMessage[];
}

/** Items of answers that were given out, by their ids. */
export interface ChatItems {
  do: "items";
  ids: string[];
}

export interface ChatExport {
  do: "export";
  after: number;
}

/** A page of what is kept of the chat, for an export. */
export interface ChatRows {
  rows: JsonObject[];
  next: number | null;
}

export type ChatRequest = ChatBegin | ChatStep | ChatEnd | ChatPreview | ChatItems | ChatExport;

/** By what was asked. */
export type ChatReply =
  | { did: "begin"; value: ChatBegun }
  /** The results, as messages of the vendor, and the skills that are loaded now. */
  | { did: "step"; value: { messages: JsonObject[]; loaded: string[] } }
  | { did: "end"; value: null }
  | { did: "look"; value: ChatOffered }
  | { did: "items"; value: JsonObject[] }
  | { did: "export"; value: ChatRows };

export interface ChatObject {
  /** `settings`: a conversation that is not there is made with them. */
  chat(target: Target, request: ChatRequest, settings: ConversationSettings | null): Promise<Reply<ChatReply>>;
}

/** What was asked for. */
export function chatReply<D extends ChatReply["did"]>(reply: ChatReply, did: D): Extract<ChatReply, { did: D }> {
  const isThat = (one: ChatReply): one is Extract<ChatReply, { did: D }> => one.did === did;
  if (!isThat(reply)) throw new Error(`asked for ${did}, and heard ${reply.did}`);
  return reply;
}
