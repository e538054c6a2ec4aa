// Reads and writes OpenAI's Chat Completions for the loop. Unknown fields stay unchanged.

import { isJsonObject, type JsonObject, type JsonValue } from "../../json";
import { bypassOfChoice, canonicalText, type Entry, type Protocol, type Said, type StepParts } from "../protocol";
import { ChatMerger } from "./chat-merger";
import { demoCompletion } from "./demo";
import { callsIn, contentText, madeCalls, namedIn } from "./message";

export const openaiChat: Protocol = {
  api: "openai-chat",
  format: "openai",
  path: "/chat/completions",
  field: "messages",
  outputField: "max_completion_tokens",
  keyHeaders: (key) => ({ authorization: `Bearer ${key}` }),
  messages: ({ messages }) => (Array.isArray(messages) ? messages.filter(isJsonObject) : null),
  entry: entryOfMessage,
  textOf: ({ content }) => contentText(content),
  isSummary: () => false,
  toolNames: ({ tools }) => functionsIn(tools).flatMap(({ name }) => (typeof name === "string" ? name : [])),
  bypass,
  conversationIn: ({ metadata }) => (isJsonObject(metadata) ? metadata.conversation_id : undefined),
  stepBody,
  join: joinResults,
  callsIn: madeCalls,
  withoutCalls: ({ tool_calls: _, ...message }, ids) => {
    const left = callsIn({ tool_calls: _ ?? null }).filter(({ id }) => typeof id !== "string" || !ids.includes(id));
    return left.length === 0 ? message : { ...message, tool_calls: left };
  },
  withoutThoughts: ({ reasoning_content: _, reasoning: __, reasoning_details: ___, ...message }) => message,
  withResult: (message, callId, text) =>
    message.role === "tool" && message.tool_call_id === callId ? { ...message, content: text } : null,
  merger: (body, options) => new ChatMerger(body, options),
  demo: demoCompletion,
  skillsEvent: (names) => `event: skills\ndata: ${JSON.stringify({ loaded: names })}\n\n`,
};

function functionsIn(tools: JsonValue | undefined): JsonObject[] {
  return (Array.isArray(tools) ? tools : []).flatMap((tool) => {
    const named = isJsonObject(tool) ? namedIn(tool) : null;
    return named === null ? [] : [named];
  });
}

const idsIn = (message: JsonObject) => callsIn(message).flatMap(({ id }) => (typeof id === "string" ? id : []));

function entryOfMessage(message: JsonObject): Entry {
  if (message.role === "user") return { role: "user" };
  if (message.role === "tool") return { role: "results" };
  if (message.role !== "assistant") return { role: "other" };
  const said: Said = { text: canonicalText(contentText(message.content)), calls: idsIn(message) };
  return { role: "assistant", said };
}

function bypass(body: JsonObject): string | null {
  const { n, logprobs, functions, modalities, audio, tool_choice: choice } = body;
  const messages = openaiChat.messages(body) ?? [];
  if (typeof n === "number" && n > 1) return "n";
  if (logprobs === true) return "logprobs";
  if (functions !== undefined) return "functions";
  if (audio !== undefined || (Array.isArray(modalities) && modalities.includes("audio"))) return "audio";
  if (messages.at(-1)?.role === "assistant") return "prefill";
  return bypassOfChoice(
    choice,
    functionsIn(body.tools).map(({ name }) => name),
  );
}

function stepBody(body: JsonObject, parts: StepParts): JsonObject {
  const { stream_options: options, tools, tool_choice: choice, ...rest } = body;
  const isForced = choice === "required";
  // If the caller forces a call, it must be one of its own tools. In the last step the gateway's tools are omitted, so that they cannot be
  // called instead.
  const ours = parts.isLast && isForced ? [] : parts.tools;
  const all = [...ours, ...(Array.isArray(tools) ? tools : [])];
  const next: JsonObject = {
    ...rest,
    model: parts.model,
    messages: withSystem(parts),
    stream: true,
    stream_options: { ...(isJsonObject(options) ? options : {}), include_usage: true },
    ...(all.length === 0 ? {} : { tools: all }),
  };
  const wanted = parts.isLast && !isForced ? "none" : choice;
  if (wanted !== undefined) next.tool_choice = wanted;
  if (parts.cacheKey !== null) next.prompt_cache_key ??= parts.cacheKey;
  for (const key of ["max_tokens", "max_completion_tokens"]) {
    const most = next[key];
    if (typeof most === "number") next[key] = Math.max(1, most - parts.spent);
  }
  return next;
}

/** The gateway's system message comes first, so that changes to the caller's messages do not move it. */
function withSystem({ system, messages, singleSystem }: StepParts): JsonObject[] {
  if (system === "") return [...messages];
  const [first, ...rest] = messages;
  if (singleSystem && first !== undefined && (first.role === "system" || first.role === "developer"))
    return [{ ...first, content: `${system}\n\n${contentText(first.content)}` }, ...rest];
  return [{ role: "system", content: system }, ...messages];
}

const WENT_ON = "Error: The user continued before this tool returned a result.";

function joinResults(stored: readonly JsonObject[], rest: readonly JsonObject[]): JsonObject[] {
  const at = stored.findLastIndex(({ role }) => role === "assistant");
  const ids = idsIn(stored[at] ?? {});
  const ours = stored.slice(at + 1);
  if (ids.length === 0 || ids.every((id) => ours.some((result) => result.tool_call_id === id)))
    return [...stored, ...rest];
  const end = rest.findIndex(({ role }) => role !== "tool");
  const theirs = rest.slice(0, end === -1 ? rest.length : end);
  const results = ids.map(
    (id) =>
      [...ours, ...theirs].find((result) => result.tool_call_id === id) ?? {
        ...{ role: "tool", tool_call_id: id, content: WENT_ON },
      },
  );
  return [...stored.slice(0, at + 1), ...results, ...rest.slice(theirs.length)];
}
