// Reads and writes OpenAI's Responses for the loop. The vendor stores nothing: each step returns encrypted reasoning that is sent back with
// it, and items that the caller references by id are looked up in the gateway.

import { isJsonObject, type JsonObject, type JsonValue } from "../../json";
import { bypassOfChoice, type Entry, type Protocol, type StepParts } from "../protocol";
import { ChatRefusal } from "../refusal";
import {
  callIdOf,
  callsInStep,
  idOf,
  isFunctionItem,
  isResultItem,
  isRunByVendor,
  itemsOf,
  messagesOfInput,
  RUN_BY_CALLER,
  saidIn,
  textsIn,
  withoutCallItems,
  withoutStepThoughts,
} from "./items";
import { demoResponse } from "./responses-demo";
import { ResponsesMerger } from "./responses-merger";

const SEALED = "reasoning.encrypted_content";

export const openaiResponses: Protocol = {
  api: "openai-responses",
  format: "openai-responses",
  path: "/responses",
  field: "input",
  outputField: "max_output_tokens",
  keyHeaders: (key) => ({ authorization: `Bearer ${key}` }),
  messages: ({ input }) => messagesOfInput(input),
  entry: entryOfStep,
  textOf: (message) => textsIn(itemsOf(message)).join("\n\n"),
  isSummary: (message) => itemsOf(message).some(({ type }) => type === "compaction"),
  toolNames: ({ tools }) => [...namesIn(tools), ...RUN_BY_CALLER],
  bypass: ({ tool_choice: choice, tools }) => bypassOfChoice(choice, Array.isArray(tools) ? toolsIn(tools) : []),
  conversationIn: ({ metadata }) => (isJsonObject(metadata) ? metadata.conversation_id : undefined),
  stepBody,
  join: joinOutputs,
  callsIn: callsInStep,
  withoutCalls: withoutCallItems,
  withoutThoughts: withoutStepThoughts,
  withResult: (message, callId, text) =>
    isResultItem(message) && callIdOf(message) === callId ? { ...message, output: text } : null,
  merger: (body, options) => new ResponsesMerger(body, options),
  demo: demoResponse,
  skillsEvent: (names) => `event: skills\ndata: ${JSON.stringify({ type: "skills", loaded: names })}\n\n`,
  items: {
    stateless,
    isKept: ({ store }) => store !== false,
    named: (body) => referencesIn(body).map(({ id }) => String(id)),
    filled,
    last: (body) => {
      const made = (messagesIn(body) ?? []).findLast(({ role }) => role === "assistant");
      // Some clients reference reasoning by id, and send calls without their ids.
      return (
        itemsOf(made ?? {})
          .flatMap((item) => callIdOf(item) ?? idOf(item) ?? [])
          .at(-1) ?? null
      );
    },
  },
  lesser,
};

const messagesIn = ({ input }: JsonObject) => messagesOfInput(input);
const inputOf = ({ input }: JsonObject) => (Array.isArray(input) ? input : []);
const referencesIn = (body: JsonObject) =>
  inputOf(body).flatMap((item) => (isJsonObject(item) && item.type === "item_reference" ? [item] : []));

function namesIn(tools: JsonValue | undefined): string[] {
  return (Array.isArray(tools) ? tools : []).flatMap((tool) =>
    isJsonObject(tool) && typeof tool.name === "string" ? [tool.name] : [],
  );
}

/** Names of tools, `undefined` for those without a name. */
const toolsIn = (tools: readonly JsonValue[]) => tools.map((tool) => (isJsonObject(tool) ? tool.name : undefined));

function entryOfStep(message: JsonObject): Entry {
  if (message.role === "assistant") return { role: "assistant", said: saidIn(itemsOf(message)) };
  if (isResultItem(message)) return { role: "results" };
  return { role: message.role === "user" ? "user" : "other" };
}

const KEPT = [
  ["previous_response_id", "Responses are not stored. Send the items of the conversation as `input`."],
  ["conversation", "Conversations are not stored. Send the items of the conversation as `input`."],
  ["background", "Background responses are not supported. Request a stream."],
] as const;

/** Returns the request with storage at the vendor disabled. Rejects features that depend on storage. */
function stateless(body: JsonObject): JsonObject {
  for (const [field, why] of KEPT) {
    const value = body[field];
    if (value !== undefined && value !== null && value !== false)
      throw new ChatRefusal(400, "unsupported_parameter", why, { param: field });
  }
  return { ...body, store: false };
}

/** Returns the request with the items in place of their ids. */
function filled(body: JsonObject, items: readonly JsonObject[]): JsonObject {
  const known = new Map(items.map((item) => [item.id, item]));
  const input = inputOf(body).map((item) => {
    if (!isJsonObject(item) || item.type !== "item_reference") return item;
    const found = known.get(item.id);
    if (found !== undefined) return found;
    const why = `Item with id '${String(item.id).slice(0, 128)}' not found. Only items that this gateway returned in this conversation can be referenced by id. Send the item itself, with \`store: false\`.`;
    throw new ChatRefusal(404, "item_not_found", why, { param: "input" });
  });
  return { ...body, input };
}

/** The minimum that the vendor accepts. */
const LEAST_OUTPUT = 16;

function stepBody(body: JsonObject, parts: StepParts): JsonObject {
  const { tools, tool_choice: choice, include, max_output_tokens: most, ...rest } = body;
  const { system, singleSystem } = parts;
  const items = parts.messages.flatMap(itemsOf);
  // The vendor removes the oldest items when the context window is full. `instructions` are never removed.
  const isInFront = system !== "" && (singleSystem || body.truncation === "auto");
  const [own, instructions] = isInFront ? ["", joined(system, body.instructions)] : [system, null];
  const included = Array.isArray(include) ? include : [];
  const next: JsonObject = {
    ...rest,
    ...(instructions === null ? {} : { instructions }),
    model: parts.model,
    input: own === "" ? items : [{ role: "system", content: own }, ...items],
    stream: true,
    store: false,
    include: included.includes(SEALED) ? included : [...included, SEALED],
    ...(typeof most === "number" ? { max_output_tokens: Math.max(LEAST_OUTPUT, most - parts.spent) } : {}),
  };
  const left = callsLeft(body, parts.messages);
  if (left !== null) next.max_tool_calls = left;
  const theirs = (Array.isArray(tools) ? tools : []).filter(
    (tool) => left !== 0 || !isJsonObject(tool) || typeof tool.name === "string",
  );
  const isForced = choice === "required";
  // If the caller forces a call, it must be one of its own tools. In the last step the gateway's tools are omitted, so that they cannot be
  // called instead.
  const all = [...(parts.isLast && isForced ? [] : parts.tools), ...theirs];
  if (all.length > 0) next.tools = all;
  const wanted = parts.isLast && !isForced ? "none" : choice;
  if (wanted !== undefined) next.tool_choice = wanted;
  if (parts.cacheKey !== null) next.prompt_cache_key ??= parts.cacheKey;
  return next;
}

const joined = (system: string, theirs: JsonValue | undefined) =>
  typeof theirs === "string" && theirs !== "" ? `${system}\n\n${theirs}` : system;

/** Returns how many calls of the vendor's tools remain of the caller's limit for an answer, or `null` without a limit. */
function callsLeft({ max_tool_calls: most }: JsonObject, messages: readonly JsonObject[]): number | null {
  if (typeof most !== "number") return null;
  const asked = messages.findLastIndex(({ role }) => role !== undefined && role !== "assistant");
  return Math.max(
    0,
    most -
      messages
        .slice(asked + 1)
        .flatMap(itemsOf)
        .filter(isRunByVendor).length,
  );
}

const WENT_ON = "Error: The user continued before this tool returned a result.";

/** Puts the outputs of a step in the order of its calls. */
function joinOutputs(stored: readonly JsonObject[], rest: readonly JsonObject[]): JsonObject[] {
  const at = stored.findLastIndex(({ role }) => role === "assistant");
  const calls = callsInStep(stored[at] ?? {});
  const ours = stored.slice(at + 1);
  const answers = (id: string) => (output: JsonObject) => isResultItem(output) && callIdOf(output) === id;
  if (calls.every(({ id }) => ours.some(answers(id)))) return [...stored, ...rest];
  const end = rest.findIndex((item) => !isResultItem(item));
  const theirs = rest.slice(0, end === -1 ? rest.length : end);
  const outputs = calls.flatMap(({ id, entry }) => {
    const found = [...ours, ...theirs].find(answers(id));
    if (found !== undefined) return [found];
    return isFunctionItem(entry) ? [{ type: `${entry.type}_output`, call_id: id, output: WENT_ON }] : [];
  });
  const others = theirs.filter((output) => !outputs.includes(output));
  return [...stored.slice(0, at + 1), ...outputs, ...others, ...rest.slice(theirs.length)];
}

/** Models without reasoning reject the request for encrypted reasoning. Returns the same request without it. */
function lesser({ include, ...rest }: JsonObject, refusal: ChatRefusal | null): JsonObject | null {
  if (!Array.isArray(include) || !include.includes(SEALED)) return null;
  const isAbout = refusal?.status === 400 && /encrypted|"param":"include/i.test(JSON.stringify(refusal.body));
  if (refusal !== null && !isAbout) return null;
  const left = include.filter((one) => one !== SEALED);
  return left.length === 0 ? rest : { ...rest, include: left };
}
