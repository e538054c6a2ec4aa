// The loop of the chat endpoint: it asks the model, runs what the model calls of ours, and asks again, while the caller reads one
// answer. It runs in the Worker, so no token passes the conversation's object, which is asked once a step.

import { CHAT_LIMITS } from "../../domain/chat/limits";
import type { Merger, Protocol } from "../../domain/chat/protocol";
import { ChatRefusal } from "../../domain/chat/refusal";
import type { ConversationSettings } from "../../domain/conversation/settings";
import { sha256Hex } from "../../domain/digest";
import type { JsonObject } from "../../domain/json";
import type { StreamEvent } from "../../domain/servers/event-stream";
import { type Target, unwrap } from "../conversation/api";
import { type ChatBegun, type ChatObject, type ChatReply, type ChatRequest, didChat } from "./api";
import { modelEvents } from "./events";
import { besideTheirs, layoutOf, withHidden, withOwnName } from "./hidden";
import type { ModelCall } from "./upstream";

/** Where an answer is made. */
export interface Loop {
  protocol: Protocol;
  body: JsonObject;
  /** The name of the entry, and of the model at its vendor. */
  model: string;
  vendorModel: string;
  singleSystem: boolean;
  usage: "sum" | "last";
  call: ModelCall;
  object: ChatObject;
  target: Target;
  settings: ConversationSettings;
  /** The same request was sent before. */
  isRetry: boolean;
  signal: AbortSignal;
  /** Sends a piece of the answer. */
  write(text: string): Promise<void>;
  /** Called with the names of skills that a step has loaded. */
  onLoaded?: ((names: readonly string[]) => string) | undefined;
}

/** What was begun: to be run once somebody reads. */
export interface Begun {
  loop: Loop;
  begun: ChatBegun;
  merger: Merger;
  /** The messages with what is hidden, and the steps of this turn. */
  messages: JsonObject[];
  /** Ours, by the name that the model knows. */
  tools: JsonObject[];
  first: Response | null;
  done: number;
  /** Tokens of steps whose vendor has not said them, by their size. */
  guessed: number;
  /** A step was heard to its end, and is not counted yet. */
  isHeard: boolean;
}

/** Asks the object where this request stands, and the model for its first step: until then a refusal has a status of its own. `null`: there is nothing to add, and the request goes to the model as it is. */
export async function beginLoop(loop: Loop): Promise<Begun | null> {
  const { protocol, body, model, vendorModel, isRetry } = loop;
  const shown = protocol.messages(body) ?? [];
  const layout = await layoutOf(protocol, shown);
  const last = layout.findLastIndex(({ role }) => role === "assistant");
  const request = await sha256Hex(JSON.stringify([model, shown.slice(last + 1)]));
  const known = { layout, shownLast: textShown(protocol, shown[last]), request, isRetry };
  const asked = { do: "begin", format: protocol.format, model, vendorModel, ...known } as const;
  const begun = didChat(await ask(loop, asked), "begin").value;
  if (begun.tools.length === 0 && begun.system === "" && begun.puts.length === 0 && begun.steps.length === 0)
    return null;
  const theirs = new Set(protocol.toolNames(body));
  const merger = protocol.merger(body, { isTheirs: (name) => theirs.has(name), usage: loop.usage });
  const messages = withHidden(protocol, shown, begun);
  for (const { kind, message } of begun.steps) {
    messages.push(message);
    if (kind === "answer") merger.replay(message);
  }
  const done = begun.steps.filter(({ kind }) => kind === "answer").length;
  const tools = begun.tools.map((tool) => besideTheirs(tool, theirs));
  const state: Begun = { loop, begun, merger, messages, tools, first: null, done, guessed: 0, isHeard: false };
  try {
    const open = begun.steps.at(-1);
    if (open?.kind === "answer") await runKept(state, open.message);
    state.first = await callModel(state);
  } catch (error) {
    await failed(state);
    throw error;
  }
  return state;
}

/** The text of an answer; `null` where it has calls, since what was stopped has none. */
function textShown(protocol: Protocol, message: JsonObject | undefined): string | null {
  const entry = message === undefined ? null : protocol.entry(message);
  if (entry?.role !== "assistant" || entry.said.calls.length > 0) return null;
  const text = typeof message?.content === "string" ? message.content : entry.said.text;
  return text.length > CHAT_LIMITS.stoppedChars ? null : text;
}

/** Runs the loop to its end, and tells the digest of what was given out; `null` where it was too long to be kept. What fails is thrown; what was done stays, and the same request goes on there. */
export async function runLoop(state: Begun): Promise<string | null> {
  const { loop, merger } = state;
  let committed = false;
  // Who has left is noticed by a write alone, and a model may think for long.
  const alive = setInterval(() => loop.write(merger.keepAlive).catch(() => undefined), CHAT_LIMITS.keepAliveMs);
  try {
    for (let response = state.first ?? (await callModel(state)); ; response = await callModel(state)) {
      await readStep(state, response);
      if (merger.end === "broken")
        throw new ChatRefusal(502, "model_broke_off", "The model's answer broke off before its end.");
      // Who has left wants nothing run any more.
      if (loop.signal.aborted) throw new ChatRefusal(499, "caller_left", "The caller has left.");
      state.done++;
      const ours = callsOfOurs(state);
      if (merger.end === "pause") await commit(state, []);
      else if (ours.length === 0) break;
      else {
        await commit(state, ours);
        if (ours.length < merger.calls.length) {
          committed = true;
          break;
        }
      }
      await loop.write(counted(state, () => merger.inner()));
    }
    const ending = counted(state, () => merger.finish());
    const { said, message } = merger;
    const digest = await sha256Hex(JSON.stringify(said));
    const last = committed || isEmpty(message) ? null : withoutOurs(state, message);
    const isKept = JSON.stringify(last).length <= CHAT_LIMITS.messageChars;
    const kept = isKept ? { message: last, digest } : { message: null, digest: null };
    await ask(loop, { do: "end", exchange: state.begun.exchange, ...kept });
    await loop.write(ending);
    return kept.digest;
  } catch (error) {
    if (state.isHeard) counted(state, () => merger.inner());
    await failed(state);
    throw error;
  } finally {
    clearInterval(alive);
  }
}

/** The calls that are run here: only where the model meant to call, and not after the last step that it has. */
function callsOfOurs({ loop, merger, done }: Begun) {
  if (merger.end !== "calls" || done >= CHAT_LIMITS.steps) return [];
  const theirs = new Set(loop.protocol.toolNames(loop.body));
  return merger.calls.filter(({ name }) => !theirs.has(name));
}

/** A last message has no calls of ours: nobody has answered them. */
function withoutOurs({ loop, merger }: Begun, message: JsonObject): JsonObject {
  const theirs = new Set(loop.protocol.toolNames(loop.body));
  const open = merger.calls.filter(({ name }) => !theirs.has(name) || merger.end !== "calls").map(({ id }) => id);
  return loop.protocol.withoutCalls(message, open);
}

const isEmpty = ({ content, ...rest }: JsonObject) =>
  rest.tool_calls === undefined &&
  (content === null || content === "" || (Array.isArray(content) && content.length === 0));

/** Commits the step that has just ended, and runs its calls. */
async function commit(state: Begun, ours: Merger["calls"]): Promise<void> {
  const { merger, messages } = state;
  const { message } = merger;
  if (JSON.stringify(message).length > CHAT_LIMITS.messageChars)
    throw new ChatRefusal(502, "model_too_large", "The model's message is too large.");
  const results = await runCalls(state, message, ours);
  messages.push(message, ...results);
}

/** The same of a step that another attempt has committed. */
async function runKept(state: Begun, message: JsonObject): Promise<void> {
  const theirs = new Set(state.loop.protocol.toolNames(state.loop.body));
  const calls = state.loop.protocol.callsIn(message).filter(({ name }) => !theirs.has(name));
  state.messages.push(...(await runCalls(state, null, calls)));
}

async function runCalls(state: Begun, message: JsonObject | null, calls: Merger["calls"]): Promise<JsonObject[]> {
  const { loop, begun } = state;
  const entries = calls.map(({ entry }) => withOwnName(entry));
  const asked = { do: "step", exchange: begun.exchange, message, calls: entries, usage: null } as const;
  const { messages, loaded } = didChat(await ask(loop, asked), "step").value;
  const told = loop.onLoaded?.(loaded) ?? "";
  if (told !== "") await loop.write(told);
  return messages;
}

/** Asks the model for the next step. The first failure passes; a later one is tried again once. */
async function callModel(state: Begun): Promise<Response> {
  const { loop, begun, merger, messages, tools, done } = state;
  const body = loop.protocol.stepBody(loop.body, {
    ...{ model: loop.vendorModel, system: begun.system, tools, messages, cacheKey: begun.cacheKey },
    ...{ isFirst: done === 0, isLast: done >= CHAT_LIMITS.steps - 1, spent: merger.tokens.output },
    singleSystem: loop.singleSystem,
  });
  try {
    return await loop.call(body, loop.signal);
  } catch (error) {
    const again = error instanceof ChatRefusal && (error.status === 408 || error.status === 429 || error.status >= 500);
    if (done === 0 || !again || loop.signal.aborted) throw error;
    return loop.call(body, loop.signal);
  }
}

async function readStep(state: Begun, response: Response): Promise<void> {
  const { loop, merger, messages } = state;
  let heard = 0;
  try {
    for await (const event of modelEvents(response)) {
      heard += event.data?.length ?? 0;
      const text = pushed(merger, event);
      if (text !== "") await loop.write(text);
    }
    state.isHeard = merger.end !== "broken";
  } finally {
    // Who breaks off what a model says has made it read all the same.
    if (!state.isHeard) state.guessed += guess(messages, heard);
  }
}

/** Ends a step. Where its vendor does not say what it took, that is guessed. */
function counted(state: Begun, end: () => string): string {
  const { merger, messages } = state;
  const before = merger.tokens.all;
  state.isHeard = false;
  const text = end();
  if (merger.tokens.all === before) state.guessed += guess(messages, JSON.stringify(merger.message).length);
  return text;
}

const guess = (messages: readonly JsonObject[], said: number) =>
  Math.ceil((JSON.stringify(messages).length + said) / 4);

function pushed(merger: Merger, event: StreamEvent): string {
  try {
    return merger.push(event);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new ChatRefusal(502, "model_garbled", "The model's answer cannot be read: a part of it is no JSON.");
  }
}

async function ask({ object, target, settings }: Loop, request: ChatRequest): Promise<ChatReply> {
  // Only what begins makes a conversation: one that was deleted meanwhile stays so.
  return unwrap(await object.chat(target, request, request.do === "begin" ? settings : null));
}

/** Says that this attempt is over. Who cannot be told finds its lease run out. */
async function failed({ loop, begun }: Begun): Promise<void> {
  await ask(loop, { do: "end", exchange: begun.exchange, message: null, digest: null }).catch(() => null);
}
