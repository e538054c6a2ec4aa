// Finds stopped answers: the front end sends back the shown part of an answer, which stands for everything that was done up to there.

import { protocolOf } from "../../domain/chat/protocols";
import { withoutSignInNotes } from "../../domain/chat/sign-in-note";
import type { ChatExchange, ChatMessage, ChatStore } from "../../storage/object/chat";
import type { ChatBegin } from "./api";
import { type Branch, formatOfChat } from "./branch";

/**
 * Finds the attempt or answer that the request's last answer is the beginning of, if it was not sent as a whole, and stores it as an answer
 * of its own. Returns its id, or `null`.
 */
export function findStopped(chat: ChatStore, { shownLast }: ChatBegin, branch: Branch, now: number): string | null {
  const { last, chain, tip, cut, nodes } = branch;
  if (last === null || shownLast === null || cut || nodes.has(last.at)) return null;
  const shownText = withoutSignInNotes(shownLast);
  const shown = bare(shownText);
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
  if (attempt !== undefined) end(chat, attempt.exchange, attempt.messages, behind(shownText, attempt.said.length));
  const exchange = "chain" in found ? found.exchange : found.id;
  const node = { chain, parent: tip, digest, exchange, format, model: found.model, turn: found.turn };
  chat.putNode(node, now);
  nodes.set(last.at, node);
  branch.tip = chain;
  return "chain" in found ? found.chain : found.id;
}

/** Ends an attempt with the part that was shown: calls without results are removed, and the rest of its text is appended. */
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

/** Removes white space for comparisons, because front ends and steps insert it differently. */
const bare = (text: string) => text.replace(/\s+/g, "");

function saidIn(messages: readonly ChatMessage[], format: string): string {
  const protocol = protocolOf(formatOfChat(format));
  const texts = messages.map(({ message }) => {
    const entry = protocol.entry(message);
    return entry.role === "assistant" ? entry.said.text : "";
  });
  return bare(texts.join(""));
}

/** Returns the rest of a text after this number of characters that are not white space. */
function behind(text: string, count: number): string {
  let left = count;
  for (let at = 0; at < text.length; at++) {
    if (left === 0) return text.slice(at).trim();
    if (/\S/.test(text[at] ?? "")) left--;
  }
  return "";
}
