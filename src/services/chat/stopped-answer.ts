// An answer that was stopped: the front end shows a part of what was said, and sends that part back. It stands for all that was done
// up to there.

import { protocolOf } from "../../domain/chat/protocols";
import type { ChatExchange, ChatMessage, ChatStore } from "../../storage/object/chat";
import type { ChatBegin } from "./api";
import { type Branch, formatOfChat } from "./branch";

/**
 * Finds what the last answer of a request is a part of, where it is none that was given out whole: an attempt's that was broken off, or
 * the beginning of one that was not. From then on it is an answer like others. Tells the attempt or the answer; `null`: there is none.
 */
export function findStopped(chat: ChatStore, { shownLast }: ChatBegin, branch: Branch, now: number): string | null {
  const { last, chain, tip, cut, nodes } = branch;
  if (last === null || shownLast === null || cut || nodes.has(last.at)) return null;
  const shown = bare(shownLast);
  const { format, digest, before } = last;
  const attempts = chat.exchangesAt(before).flatMap((exchange) => {
    const messages = exchange.format === format ? chat.messages(exchange.id) : [];
    const said = saidIn(messages, format);
    const isPart = shown.startsWith(said) || (shown !== "" && said.startsWith(shown));
    return messages.some(({ kind }) => kind !== "append") && isPart ? [{ exchange, messages, said }] : [];
  });
  const [attempt] = attempts.sort((a, b) => b.said.length - a.said.length);
  const given = chat
    .nodesBehind(tip)
    .find((node) => node.format === format && saidIn(chat.messages(node.exchange), format).startsWith(shown));
  const found = attempt?.exchange ?? (shown === "" ? undefined : given);
  if (found === undefined) return null;
  if (attempt !== undefined) end(chat, attempt.exchange, attempt.messages, behind(shownLast, attempt.said.length));
  const exchange = "chain" in found ? found.exchange : found.id;
  const node = { chain, parent: tip, digest, exchange, format, model: found.model, turn: found.turn };
  chat.putNode(node, now);
  nodes.set(last.at, node);
  branch.tip = chain;
  return "chain" in found ? found.chain : found.id;
}

/** Ends an attempt with what was shown of it: calls that nobody has answered are none, and the rest of its text stands last. */
function end(chat: ChatStore, exchange: ChatExchange, messages: readonly ChatMessage[], rest: string): void {
  const { id, format } = exchange;
  const protocol = protocolOf(formatOfChat(format));
  const open = messages.at(-1);
  if (open?.kind === "answer") {
    const calls = protocol.callsIn(open.message).map((call) => call.id);
    const message = protocol.withoutCalls(open.message, calls);
    if (saidIn([{ ...open, message }], format) === "") chat.dropMessage(id, open.seq);
    else chat.changeMessage(id, { ...open, message });
  }
  if (rest !== "") chat.addMessage(id, "answer", { role: "assistant", content: rest });
  chat.putExchange({ ...exchange, state: "ended" });
}

/** Texts as they are compared: front ends and steps put white space between them in their own ways. */
const bare = (text: string) => text.replace(/\s+/g, "");

function saidIn(messages: readonly ChatMessage[], format: string): string {
  const protocol = protocolOf(formatOfChat(format));
  const texts = messages.map(({ message }) => {
    const entry = protocol.entry(message);
    return entry.role === "assistant" ? entry.said.text : "";
  });
  return bare(texts.join(""));
}

/** What stands in a text behind so many characters that are no white space. */
function behind(text: string, count: number): string {
  let left = count;
  for (let at = 0; at < text.length; at++) {
    if (left === 0) return text.slice(at).trim();
    if (/\S/.test(text[at] ?? "")) left--;
  }
  return "";
}
