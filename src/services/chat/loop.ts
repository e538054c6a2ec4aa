// The loop of the chat endpoint: calls the model, runs calls of the gateway's tools, and calls again, while the caller reads one response.
// It runs in the Worker, so tokens do not pass through the Durable Object, which is called once per step.

import { CHAT_LIMITS } from "../../domain/chat/limits";
import type { Merger, Protocol } from "../../domain/chat/protocol";
import { ChatRefusal } from "../../domain/chat/refusal";
import type { ConversationSettings } from "../../domain/conversation/settings";
import { sha256Hex } from "../../domain/digest";
import type { JsonObject } from "../../domain/json";
import { type Target, unwrap } from "../conversation/api";
import { type ChatBegun, type ChatObject, type ChatReply, type ChatRequest, chatReply } from "./api";
import { layoutOf, withFreeName, withGatewayName, withHidden } from "./hidden";
import { counted, type ModelStepSoFar, readModelStep } from "./model-stream";
import type { ModelCall } from "./upstream";

/** The parameters of a loop. */
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
  /**
   * Whether skills take no part: `yes` if the caller asks for none; `unless_hidden` if its tool choice excludes the gateway's tools, which
   * then stay in the hidden messages so that the prompt prefix is unchanged.
   */
  bare: "yes" | "unless_hidden" | "no";
  /** The answer is stored, with or without skills. */
  isKept: boolean;
  signal: AbortSignal;
  /** Sends a part of the response. */
  write(text: string): Promise<void>;
  /** Called with the names of skills that a step loaded. */
  onLoaded?: ((names: readonly string[]) => string) | undefined;
}

/** A started chat, run when the caller reads. */
export interface StartedChat extends ModelStepSoFar {
  loop: Loop;
  begun: ChatBegun;
  /** The gateway's tools, by the names that the model uses. */
  tools: JsonObject[];
  first: Response | null;
  done: number;
}

/**
 * Locates the request in the Durable Object and sends the first step to the model, so that errors up to this point have their own HTTP
 * status. Returns `null` if there is nothing to add and the request is passed through.
 */
export async function beginLoop(loop: Loop): Promise<StartedChat | null> {
  const { protocol, body, model, vendorModel, isRetry } = loop;
  const shown = protocol.messages(body) ?? [];
  const layout = await layoutOf(protocol, shown);
  const last = layout.findLastIndex(({ role }) => role === "assistant");
  const request = await sha256Hex(JSON.stringify([model, shown.slice(last + 1)]));
  const known = { layout, shownLast: textShown(protocol, shown[last]), request, isRetry };
  const asked = { do: "begin", format: protocol.format, model, vendorModel, ...known } as const;
  const found = chatReply(await ask(loop, asked), "begin").value;
  const isBare = loop.bare === "yes" || (loop.bare === "unless_hidden" && found.puts.length === 0);
  const begun = isBare ? { ...found, system: "", tools: [] } : found;
  if (
    !loop.isKept &&
    begun.tools.length === 0 &&
    begun.system === "" &&
    begun.puts.length === 0 &&
    begun.steps.length === 0
  )
    return null;
  const theirs = new Set(protocol.toolNames(body));
  const merger = protocol.merger(body, { isTheirs: (name) => theirs.has(name), usage: loop.usage });
  const messages = withHidden(protocol, shown, begun);
  for (const { kind, message } of begun.steps) {
    messages.push(message);
    if (kind === "answer") merger.replay(message);
  }
  const done = begun.steps.filter(({ kind }) => kind === "answer").length;
  const tools = begun.tools.map((tool) => withFreeName(tool, theirs));
  const state: StartedChat = { loop, begun, merger, messages, tools, first: null, done, guessed: 0, isHeard: false };
  try {
    const open = begun.steps.at(-1);
    if (open?.kind === "answer") await runStoredCalls(state, open.message);
    state.first = await callModel(state);
  } catch (error) {
    await abortAttempt(state);
    throw error;
  }
  return state;
}

/** Returns the text of an answer; `null` if it has calls, because a stopped answer has none. */
function textShown(protocol: Protocol, message: JsonObject | undefined): string | null {
  if (message === undefined) return null;
  const entry = protocol.entry(message);
  if (entry.role !== "assistant" || entry.said.calls.length > 0) return null;
  const text = protocol.textOf(message);
  return text.length > CHAT_LIMITS.stoppedChars ? null : text;
}

/**
 * Runs the loop to its end. Throws failures; completed steps stay, and the same request continues after them.
 *
 * @param onEnd called with the digest of the response before its last part is sent; `null` if it is too long to be stored
 */
export async function runLoop(state: StartedChat, onEnd: (digest: string | null) => Promise<void>): Promise<void> {
  const { loop, merger } = state;
  let committed = false;
  // Only a write detects that the caller has left, and a model may think for a long time.
  const alive = setInterval(() => loop.write(merger.keepAlive).catch(() => undefined), CHAT_LIMITS.keepAliveMs);
  try {
    for (let response = state.first ?? (await callModel(state)); ; response = await callModel(state)) {
      await readModelStep(state, response, loop.call.untold, loop.write);
      if (merger.end === "broken")
        throw new ChatRefusal(502, "model_broke_off", "The model's answer ended unexpectedly. Try again.");
      // If the caller has left, nothing more runs.
      requireCaller(loop);
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
    const isStorable = JSON.stringify(last).length <= CHAT_LIMITS.messageChars;
    const lastMessage = isStorable ? { message: last, digest } : { message: null, digest: null };
    await ask(loop, { do: "end", exchange: state.begun.exchange, ...lastMessage, shown: [] });
    await onEnd(lastMessage.digest);
    await loop.write(ending);
  } catch (error) {
    if (state.isHeard) counted(state, () => merger.inner());
    await abortAttempt(state);
    throw error;
  } finally {
    clearInterval(alive);
  }
}

/** Returns the calls to run: only if the model ended the step with calls, and not after the last allowed step. */
function callsOfOurs({ loop, merger, done }: StartedChat) {
  if (merger.end !== "calls" || done >= CHAT_LIMITS.steps) return [];
  const theirs = new Set(loop.protocol.toolNames(loop.body));
  return merger.calls.filter(({ name }) => !theirs.has(name));
}

/** Removes calls of the gateway's tools from the last message, because they have no results. */
function withoutOurs({ loop, merger }: StartedChat, message: JsonObject): JsonObject {
  const theirs = new Set(loop.protocol.toolNames(loop.body));
  const open = merger.calls.filter(({ name }) => !theirs.has(name) || merger.end !== "calls").map(({ id }) => id);
  return loop.protocol.withoutCalls(message, open);
}

const isEmpty = ({ content, ...rest }: JsonObject) =>
  rest.tool_calls === undefined &&
  (content === null || content === "" || (Array.isArray(content) && content.length === 0));

/** Commits the finished step and runs its calls. */
async function commit(state: StartedChat, ours: Merger["calls"]): Promise<void> {
  const { merger, messages } = state;
  const { message } = merger;
  if (JSON.stringify(message).length > CHAT_LIMITS.messageChars)
    throw new ChatRefusal(
      502,
      "model_too_large",
      `The model's message is too large (limit ${CHAT_LIMITS.messageChars} characters). Ask for less.`,
    );
  const results = await runCalls(state, message, ours);
  messages.push(message, ...results);
}

/** Runs the calls of a step that another attempt has committed. */
async function runStoredCalls(state: StartedChat, message: JsonObject): Promise<void> {
  const theirs = new Set(state.loop.protocol.toolNames(state.loop.body));
  const calls = state.loop.protocol.callsIn(message).filter(({ name }) => !theirs.has(name));
  state.messages.push(...(await runCalls(state, null, calls)));
}

async function runCalls(state: StartedChat, message: JsonObject | null, calls: Merger["calls"]): Promise<JsonObject[]> {
  const { loop, begun } = state;
  const entries = calls.map(({ entry }) => withGatewayName(entry));
  const asked = { do: "step", exchange: begun.exchange, message, calls: entries, usage: null } as const;
  const { messages, loaded } = chatReply(await ask(loop, asked), "step").value;
  const note = loop.onLoaded?.(loaded) ?? "";
  if (note !== "") await loop.write(note);
  return messages;
}

/** Calls the model for the next step. A failure of the first step is passed on; later steps are retried once. */
async function callModel(state: StartedChat): Promise<Response> {
  const { loop, begun, merger, messages, tools, done } = state;
  requireCaller(loop);
  const body = loop.protocol.stepBody(loop.body, {
    ...{ model: loop.vendorModel, system: begun.system, tools, messages, cacheKey: begun.cacheKey },
    ...{ isLast: done >= CHAT_LIMITS.steps - 1, spent: merger.tokens.output },
    singleSystem: loop.singleSystem,
  });
  try {
    return await loop.call.send(body, loop.signal);
  } catch (error) {
    const again = error instanceof ChatRefusal && (error.status === 408 || error.status === 429 || error.status >= 500);
    if (done === 0 || !again || loop.signal.aborted) throw error;
    return loop.call.send(body, loop.signal);
  }
}

function requireCaller({ signal }: Loop): void {
  if (signal.aborted) throw new ChatRefusal(499, "caller_left", "The client disconnected. Send the request again.");
}

async function ask({ object, target, settings }: Loop, request: ChatRequest): Promise<ChatReply> {
  // Only `begin` creates a conversation: one that was deleted meanwhile stays deleted.
  return unwrap(await object.chat(target, request, request.do === "begin" ? settings : null));
}

/** Reports that this attempt has ended. If that fails, its lease expires. */
export async function abortAttempt({ loop, begun, merger }: StartedChat): Promise<void> {
  const shown = loop.isKept ? [...(merger.shown ?? [])] : [];
  const isStorable = JSON.stringify(shown).length <= CHAT_LIMITS.messageChars;
  const none = { message: null, digest: null, shown: isStorable ? shown : [] };
  await ask(loop, { do: "end", exchange: begun.exchange, ...none }).catch(() => null);
}
