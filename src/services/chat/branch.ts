// Locates a request in the tree of stored answers, and returns the hidden messages behind the answers it shows.

import { CHAT_LIMITS } from "../../domain/chat/limits";
import { protocolOf } from "../../domain/chat/protocols";
import { readTranscript } from "../../domain/conversation/transcript";
import { sha256Hex } from "../../domain/digest";
import { isJsonObject, type JsonObject } from "../../domain/json";
import type { Format } from "../../domain/tools/formats";
import type { ChatMessage, ChatNode, ChatStore } from "../../storage/object/chat";
import type { Context } from "../context";
import { currentOffer } from "../conversation/step";
import type { Session } from "../session";
import type { ChatBegin, ChatBegun, ChatOffered, ChatPreview } from "./api";

export interface Branch {
  /** Digest of all answers in the request. */
  chain: string;
  /** The last stored answer; empty if there is none. */
  tip: string;
  /** Stored answers by message index. */
  nodes: Map<number, ChatNode>;
  /** The start of the chat is missing. */
  cut: boolean;
  /** Index of the last summary, before which the model reads nothing; -1 if there is none. */
  from: number;
  /** The last answer of the request, and the digest of the earlier ones. */
  last: { at: number; digest: string; before: string; format: string } | null;
}

/** Digest of an answer after others. */
export const chainOf = (before: string, digest: string) => sha256Hex(`${before}\n${digest}`);

/** Matches a request with the tree by the gateway's own answers. User messages are not compared. */
export async function matchHistory(
  chat: ChatStore,
  { layout, format }: Pick<ChatBegin, "layout" | "format">,
): Promise<Branch> {
  const answers = layout.flatMap(({ role, digest }, at) => (role === "assistant" ? [{ at, digest }] : []));
  const nodes = new Map<number, ChatNode>();
  const from = layout.findLastIndex(({ isSummary }) => isSummary);
  let chain = "";
  let tip = "";
  let last: Branch["last"] = null;
  for (const { at, digest } of answers) {
    last = { at, digest, before: chain, format };
    chain = await chainOf(chain, digest);
    const node = chat.node(chain);
    if (node === null || node.format !== format) continue;
    nodes.set(at, node);
    tip = chain;
  }
  if (nodes.size > 0 || answers.length === 0) return { chain, tip, nodes, cut: false, last, from };
  return { ...(cutFront(chat, answers, format) ?? { chain, tip, nodes, cut: false, last }), from };
}

/** Matches a request whose first answers are missing, by its last answer. */
function cutFront(
  chat: ChatStore,
  answers: { at: number; digest: string }[],
  format: string,
): Omit<Branch, "from"> | null {
  const last = answers.at(-1);
  for (const found of last === undefined ? [] : chat.nodesLike(last.digest)) {
    const nodes = new Map<number, ChatNode>();
    let node: ChatNode | null = found;
    for (const { at, digest } of [...answers].reverse()) {
      if (node === null || node.digest !== digest || node.format !== format) break;
      nodes.set(at, node);
      node = chat.node(node.parent);
    }
    if (nodes.size === answers.length) return { chain: found.chain, tip: found.chain, nodes, cut: true, last: null };
  }
  return null;
}

/** Returns the history up to an answer for restoring the state; user messages are not included. */
export function historyUpTo(chat: ChatStore, tip: string, more: readonly JsonObject[] = []): JsonObject[] {
  const answers: JsonObject[][] = [];
  for (let node = chat.node(tip); node !== null; node = chat.node(node.parent)) {
    const messages = chat.messages(node.exchange).map(({ message }) => message);
    answers.push(node.turn > 0 ? [QUESTION_PENDING, ...messages] : messages);
  }
  return [...answers.reverse().flat(), ...more].map(withOwnNames);
}

/** Returns items of answers by id, searching the newest answers as far back as one request can refer to. */
export function storedItems(chat: ChatStore, ids: readonly string[]): JsonObject[] {
  const missing = new Set(ids);
  const found: JsonObject[] = [];
  for (const id of ids) {
    const shown = chat.shown(id);
    if (shown !== null && missing.delete(id)) found.push(shown);
  }
  let room = CHAT_LIMITS.branchChars;
  for (const { exchange, format } of chat.newestNodes(CHAT_LIMITS.messages)) {
    if (format !== "openai-responses") continue;
    const stored = chat.messages(exchange);
    room -= JSON.stringify(stored).length;
    if (room < 0) break;
    for (const { message } of stored) {
      for (const item of Array.isArray(message.content) ? message.content.filter(isJsonObject) : [])
        if (typeof item.id === "string" && missing.delete(item.id)) found.push(item);
    }
    if (missing.size === 0) break;
  }
  return found;
}

export const QUESTION_PENDING: JsonObject = { role: "user", content: "" };

/** Prefix of a gateway tool whose name the caller also uses. */
export const RENAMED = "skills_";

function withOwnNames(message: JsonObject): JsonObject {
  const text = JSON.stringify(message);
  if (!text.includes(`"name":"${RENAMED}`)) return message;
  const named: unknown = JSON.parse(text.replaceAll(`"name":"${RENAMED}`, '"name":"'));
  return isJsonObject(named) ? named : message;
}

/** Returns the messages that replace the answers of a request, newest first up to the limit per branch. */
export function hiddenMessagesFor(
  chat: ChatStore,
  { nodes, from }: Branch,
  model: string,
): { puts: ChatBegun["puts"]; have: string[]; isWhole: boolean } {
  const puts: ChatBegun["puts"] = [];
  const have: string[] = [];
  let room = CHAT_LIMITS.branchChars;
  for (const [at, node] of [...nodes].reverse()) {
    const stored = chat.messages(node.exchange);
    room -= JSON.stringify(stored).length;
    if (room < 0) return { puts, have, isWhole: false };
    const messages = stored.map(({ message }) => message);
    puts.push({ at, messages, other: node.model !== model });
    // Messages before a summary are passed on unchanged.
    if (at < from) continue;
    const { isSummary } = protocolOf(formatOfChat(node.format));
    const read = stored.slice(Math.max(0, messages.findLastIndex(isSummary)));
    have.push(...read.flatMap(({ kind, id }) => (kind === "append" ? id : [])));
    const results = readTranscript(read.map(({ message }) => message)).flatMap((one) => one.results);
    have.push(...results.map(({ id }) => id));
  }
  return { puts, have, isWhole: from === -1 };
}

/** Parses a stored format. */
export const formatOfChat = (format: string): Format =>
  format === "anthropic" || format === "openai-responses" ? format : "openai";

interface Edit {
  call_id?: string | undefined;
  append_id?: string | undefined;
  content: string;
}

/** Applies the conversation's context edits to every answer of the branch. */
export function editBranch(chat: ChatStore, { nodes }: Branch, edits: readonly Edit[], dropThoughts: boolean): void {
  if (edits.length === 0 && !dropThoughts) return;
  for (const { exchange, format } of nodes.values()) {
    const protocol = protocolOf(formatOfChat(format));
    for (const stored of chat.messages(exchange)) {
      const message = edits.reduce((so, edit) => edited(so, stored, edit, protocol), stored.message);
      const next = dropThoughts ? protocol.withoutThoughts(message) : message;
      if (JSON.stringify(next) !== JSON.stringify(stored.message))
        chat.changeMessage(exchange, { ...stored, message: next });
    }
  }
}

function edited(
  message: JsonObject,
  { kind, id }: ChatMessage,
  { call_id, append_id, content }: Edit,
  protocol: ReturnType<typeof protocolOf>,
): JsonObject {
  if (append_id !== undefined) return kind === "append" && id === append_id ? { ...message, content } : message;
  return (call_id === undefined ? null : protocol.withResult(message, call_id, content)) ?? message;
}

/** Returns what the model would receive now, without changing anything. */
export async function previewChat(
  context: Context,
  session: Session,
  { format, model, layout }: ChatPreview,
): Promise<ChatOffered> {
  const { chat } = session.store;
  const { puts } = hiddenMessagesFor(chat, await matchHistory(chat, { layout, format }), model);
  const { prompt, tools } = await currentOffer(context, session, format);
  return { system: prompt.system, tools, puts };
}
