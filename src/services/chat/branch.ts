// Where a request stands in the tree of answers, and what lies hidden behind the answers that it shows.

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
  /** The digest of all answers of the request. */
  chain: string;
  /** The last of them that is known; empty: none is. */
  tip: string;
  /** The known ones, by their place in the request. */
  nodes: Map<number, ChatNode>;
  /** The beginning of the chat is missing. */
  cut: boolean;
  /** The place of the last summary: the model reads nothing of what stands before it. -1: there is none. */
  from: number;
  /** The last answer of the request, and the digest of those before it. */
  last: { at: number; digest: string; before: string; format: string } | null;
}

/** The digest of an answer behind others. */
export const chainOf = (before: string, digest: string) => sha256Hex(`${before}\n${digest}`);

/** Lays a request along the tree by what we said ourselves. Texts of the user are not compared. */
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

/** The same where the first answers are missing: the last one is known, and those before it are those of the request. */
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

/** All that was said up to an answer, as far as restoring looks at it: what users said is left out. */
export function historyUpTo(chat: ChatStore, tip: string, more: readonly JsonObject[] = []): JsonObject[] {
  const answers: JsonObject[][] = [];
  for (let node = chat.node(tip); node !== null; node = chat.node(node.parent)) {
    const messages = chat.messages(node.exchange).map(({ message }) => message);
    answers.push(node.turn > 0 ? [QUESTION_PENDING, ...messages] : messages);
  }
  return [...answers.reverse().flat(), ...more].map(withOwnNames);
}

/** Items of answers by their ids. The newest answers are looked at, as far back as one request could bring them again. */
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
    const kept = chat.messages(exchange);
    room -= JSON.stringify(kept).length;
    if (room < 0) break;
    for (const { message } of kept) {
      for (const item of Array.isArray(message.content) ? message.content.filter(isJsonObject) : [])
        if (typeof item.id === "string" && missing.delete(item.id)) found.push(item);
    }
    if (missing.size === 0) break;
  }
  return found;
}

export const QUESTION_PENDING: JsonObject = { role: "user", content: "" };

/** Where the caller has a tool of the same name, ours has another one. */
export const RENAMED = "skills_";

function withOwnNames(message: JsonObject): JsonObject {
  const text = JSON.stringify(message);
  if (!text.includes(`"name":"${RENAMED}`)) return message;
  const named: unknown = JSON.parse(text.replaceAll(`"name":"${RENAMED}`, '"name":"'));
  return isJsonObject(named) ? named : message;
}

/** What is put in the place of the answers of a request: newest first, as much as one branch may bring. */
export function hiddenMessagesFor(
  chat: ChatStore,
  { nodes, from }: Branch,
  model: string,
): { puts: ChatBegun["puts"]; have: string[]; isWhole: boolean } {
  const puts: ChatBegun["puts"] = [];
  const have: string[] = [];
  let room = CHAT_LIMITS.branchChars;
  for (const [at, node] of [...nodes].reverse()) {
    const kept = chat.messages(node.exchange);
    room -= JSON.stringify(kept).length;
    if (room < 0) return { puts, have, isWhole: false };
    const messages = kept.map(({ message }) => message);
    puts.push({ at, messages, other: node.model !== model });
    // What stands before a summary goes to the model as it did, and is not read.
    if (at < from) continue;
    const { isSummary } = protocolOf(formatOfChat(node.format));
    const read = kept.slice(Math.max(0, messages.findLastIndex(isSummary)));
    have.push(...read.flatMap(({ kind, id }) => (kind === "append" ? id : [])));
    const results = readTranscript(read.map(({ message }) => message)).flatMap((one) => one.results);
    have.push(...results.map(({ id }) => id));
  }
  return { puts, have, isWhole: from === -1 };
}

/** A format as it is stored. */
export const formatOfChat = (format: string): Format =>
  format === "anthropic" || format === "openai-responses" ? format : "openai";

interface Edit {
  call_id?: string | undefined;
  append_id?: string | undefined;
  content: string;
}

/** Takes back what the conversation asks to take back, in every answer of the branch. */
export function editBranch(chat: ChatStore, { nodes }: Branch, edits: readonly Edit[], dropThoughts: boolean): void {
  if (edits.length === 0 && !dropThoughts) return;
  for (const { exchange, format } of nodes.values()) {
    const protocol = protocolOf(formatOfChat(format));
    for (const kept of chat.messages(exchange)) {
      const message = edits.reduce((so, edit) => edited(so, kept, edit, protocol), kept.message);
      const next = dropThoughts ? protocol.withoutThoughts(message) : message;
      if (JSON.stringify(next) !== JSON.stringify(kept.message))
        chat.changeMessage(exchange, { ...kept, message: next });
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

/** What a request would be given as the conversation stands. Nothing changes by it. */
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
