// Reads and writes Anthropic's Messages for the loop. Everything before a thinking block stays unchanged: the conversation has frozen tools
// and system, and hidden steps are sent back byte for byte.

import { isJsonObject, type JsonObject, type JsonValue } from "../../json";
import { bypassOfChoice, canonicalText, type Entry, type Protocol, type StepParts } from "../protocol";
import { blocksOf, isThought, textIn, toolUsesIn } from "./blocks";
import { demoMessage } from "./demo";
import { MessageMerger } from "./message-merger";

export const anthropicMessages: Protocol = {
  api: "anthropic",
  format: "anthropic",
  path: "/v1/messages",
  field: "messages",
  outputField: "max_tokens",
  keyHeaders: (key) => ({ "x-api-key": key }),
  messages: ({ messages }) => (Array.isArray(messages) ? messages.filter(isJsonObject) : null),
  entry: entryOfTurn,
  textOf: ({ content }) => textIn(blocksOf(content)),
  // A block without content is a failed compaction, which removes nothing.
  isSummary: ({ content }) =>
    blocksOf(content).some(({ type, content: summary }) => type === "compaction" && summary !== null),
  toolNames: ({ tools }) =>
    (Array.isArray(tools) ? tools : []).flatMap((tool) =>
      isJsonObject(tool) && typeof tool.name === "string" ? tool.name : [],
    ),
  bypass,
  conversationIn: ({ metadata }) => (isJsonObject(metadata) ? metadata.conversation_id : undefined),
  stepBody,
  join: joinResults,
  callsIn: toolUsesIn,
  withoutCalls: (message, ids) => ({
    ...message,
    content: blocksOf(message.content).filter(({ type, id }) => type !== "tool_use" || !ids.includes(String(id))),
  }),
  withoutThoughts,
  withResult,
  merger: (body, options) => new MessageMerger(body, options),
  demo: demoMessage,
  counting: {
    path: "/v1/messages/count_tokens",
    body: ({ stream: _, max_tokens: __, metadata: ___, ...counted }) => counted,
    demo: (body) => ({ input_tokens: Math.ceil(JSON.stringify(body).length / 4) }),
  },
  skillsEvent: (names) => `event: skills\ndata: ${JSON.stringify({ type: "skills", loaded: names })}\n\n`,
};

function entryOfTurn(message: JsonObject): Entry {
  const blocks = blocksOf(message.content);
  if (message.role === "assistant")
    return {
      role: "assistant",
      said: { text: canonicalText(textIn(blocks)), calls: toolUsesIn(message).map(({ id }) => id) },
    };
  if (message.role !== "user") return { role: "other" };
  // A message with tool results is not a new turn, regardless of its other blocks.
  return { role: blocks.some(({ type }) => type === "tool_result") ? "results" : "user" };
}

function bypass(body: JsonObject): string | null {
  const { tool_choice: choice } = body;
  if (anthropicMessages.messages(body)?.at(-1)?.role === "assistant") return "prefill";
  if (!isJsonObject(choice)) return null;
  const said = choice.type === "none" ? "none" : choice.type === "any" ? "required" : null;
  return bypassOfChoice(choice.type === "tool" ? choice : said, anthropicMessages.toolNames(body));
}

const EPHEMERAL = { type: "ephemeral" };

function stepBody(body: JsonObject, parts: StepParts): JsonObject {
  const { system, tools, tool_choice: choice, max_tokens: most, ...rest } = body;
  // Cache marks of the caller take precedence. Without any, the front and the growing conversation are marked.
  const marks: JsonObject = JSON.stringify(body).includes('"cache_control":') ? {} : { cache_control: EPHEMERAL };
  const marked = (list: readonly JsonObject[]) =>
    list.map((one, index) => (index === list.length - 1 ? { ...one, ...marks } : one));
  const ours = parts.system === "" ? [] : marked([{ type: "text", text: parts.system }]);
  const theirs = Array.isArray(tools) ? tools : [];
  const isForced = isJsonObject(choice) && choice.type === "any";
  // If the caller forces a call, it must be one of its own tools. In the last step the gateway's tools are omitted, so that they cannot be
  // called instead.
  const all = [...(parts.isLast && isForced ? [] : marked(parts.tools)), ...theirs];
  const texts = [...ours, ...blocksOf(system)];
  const next: JsonObject = {
    ...rest,
    ...marks,
    model: parts.model,
    messages: [...parts.messages],
    stream: true,
    ...(texts.length === 0 ? {} : { system: texts }),
    ...(all.length === 0 ? {} : { tools: all }),
    ...(typeof most === "number" ? { max_tokens: Math.max(1, most - parts.spent) } : {}),
  };
  const wanted = parts.isLast && !isForced ? { type: "none" } : choice;
  if (wanted !== undefined) next.tool_choice = wanted;
  if (next.context_management !== undefined)
    next.context_management = excludeLoadResults(next.context_management, parts.tools);
  return next;
}

/**
 * The vendor can clear tool results on request of the caller. Results of `load_skill` are excluded, because instructions are not sent
 * again.
 */
function excludeLoadResults(managed: JsonValue, tools: readonly JsonObject[]): JsonValue {
  if (!isJsonObject(managed) || !Array.isArray(managed.edits)) return managed;
  const loaders = tools.flatMap(({ name }) => (/^(?:.*_)?load_skill$/.test(String(name)) ? String(name) : []));
  const edits = managed.edits.map((edit) => {
    if (!isJsonObject(edit) || !String(edit.type).startsWith("clear_tool_uses")) return edit;
    const excluded = Array.isArray(edit.exclude_tools) ? edit.exclude_tools : [];
    return { ...edit, exclude_tools: [...new Set([...excluded, ...loaders])] };
  });
  return { ...managed, edits };
}

const NO_RESULT = "Error: The user continued before this tool returned a result.";

/** Puts all results of a step into one message, in the order of its calls, before any text. */
function joinResults(stored: readonly JsonObject[], rest: readonly JsonObject[]): JsonObject[] {
  const at = stored.findLastIndex(({ role }) => role === "assistant");
  const ids = toolUsesIn(stored[at] ?? {}).map(({ id }) => id);
  const ours = stored.slice(at + 1).flatMap(({ content }) => blocksOf(content));
  const isAnswered = (id: string) => ours.some(({ tool_use_id: answered }) => answered === id);
  if (ids.every(isAnswered)) return [...stored, ...rest];
  const [next, ...later] = rest;
  const given = next?.role === "user" ? blocksOf(next.content) : [];
  const results = ids.map(
    (id) =>
      [...ours, ...given].find(({ tool_use_id: answered }) => answered === id) ?? {
        ...{ type: "tool_result", tool_use_id: id, content: NO_RESULT, is_error: true },
      },
  );
  const others = given.filter(({ type, tool_use_id: id }) => type !== "tool_result" || !ids.includes(String(id)));
  const message = { ...(next?.role === "user" ? next : { role: "user" }), content: [...results, ...others] };
  return [...stored.slice(0, at + 1), message, ...(next?.role === "user" ? later : rest)];
}

function withoutThoughts(message: JsonObject): JsonObject {
  if (message.role !== "assistant" || !Array.isArray(message.content)) return message;
  const left = blocksOf(message.content).filter((block) => !isThought(block));
  return left.length === message.content.length ? message : { ...message, content: left };
}

function withResult(message: JsonObject, callId: string, text: string): JsonObject | null {
  const blocks = Array.isArray(message.content) ? blocksOf(message.content) : [];
  if (!blocks.some(({ tool_use_id: id }) => id === callId)) return null;
  const content = blocks.map((block) =>
    block.tool_use_id === callId ? { ...block, content: [{ type: "text", text }] } : block,
  );
  return { ...message, content };
}
