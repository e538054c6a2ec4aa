// The loop of the chat endpoint: calls the model, runs calls of the gateway's tools, and calls again, while the caller reads one response.
// It runs in the Worker, so tokens do not pass through the Durable Object, which is called once per step.

import { CHAT_LIMITS } from "../../domain/chat/limits";
import type { Merger, Protocol } from "../../domain/chat/protocol";
import { ChatRefusal } from "../../domain/chat/refusal";
import { signInNote } from "../../domain/chat/sign-in-note";
import type { ConversationSettings } from "../../domain/conversation/settings";
import { writtenText } from "../../domain/conversation/transcript";
import { sha256Hex } from "../../domain/digest";
import { refusalIn } from "../../domain/errors";
import { isJsonObject, type JsonObject } from "../../domain/json";
import { SEARCH_LIMITS } from "../../domain/limits";
import { EventSplitter } from "../../domain/servers/event-stream";
import { type Target, unwrap } from "../conversation/api";
import type { SignInLink } from "../sign-in-waits";
import { type ChatBegun, type ChatObject, type ChatReply, type ChatRequest, type ChatStepped, chatReply } from "./api";
import { layoutOf, withFreeName, withGatewayName, withHidden } from "./hidden";
import { counted, type ModelStepSoFar, readModelStep } from "./model-stream";
import { type ChatSpans, stepUsageOf } from "./telemetry";
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
  spans: ChatSpans;
  object: ChatObject;
  /** Returns a new stub: one whose object was evicted stays broken. */
  reopen(): ChatObject;
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
  /** Whether the caller reads the answer while it is made. */
  isStream: boolean;
  /** Whether the chat is found again by its answer, so that a later request can continue a call. */
  isLasting: boolean;
  signal: AbortSignal;
  now(): number;
  newId(prefix: string): string;
  /** Sends a part of the response. */
  write(text: string): Promise<void>;
  /** Called with the usage of each step as its server reports it. */
  onUsage(reported: JsonObject | null): void;
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
  /** Calls of the last step that wait for a sign-in. */
  waiting: WaitingCalls | null;
}

interface WaitingCalls {
  calls: JsonObject[];
  links: SignInLink[];
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
  const written = loop.bare !== "no" || layout.at(-1)?.role !== "user" ? undefined : shown.at(-1);
  const message = written === undefined ? null : writtenText(written).slice(0, SEARCH_LIMITS.queryChars);
  const known = { layout, message, shownLast: textShown(protocol, shown[last]), request, isRetry };
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
  const state: StartedChat = {
    loop,
    begun,
    merger,
    messages,
    tools,
    first: null,
    done,
    guessed: 0,
    isHeard: false,
    waiting: null,
  };
  try {
    const open = begun.steps.at(-1);
    if (open?.kind === "answer") await runStoredCalls(state, open.message);
    if (state.waiting === null) state.first = await callModel(state);
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
    let isOpen = await afterSignIn(state);
    for (let response = state.first; isOpen; response = null) {
      response ??= await callModel(state);
      await readModelStep(state, response, loop.call.untold, loop.write);
      loop.spans.endModel(stepUsageOf(merger), merger.end);
      if (merger.end === "broken")
        throw new ChatRefusal(502, "model_broke_off", "The model's answer ended unexpectedly. Try again.");
      loop.onUsage(stepUsageOf(merger));
      // If the caller has left, nothing more runs.
      requireCaller(loop);
      state.done++;
      const ours = callsOfOurs(state);
      if (merger.end === "pause") await commit(state, [], false);
      else if (ours.length === 0) break;
      else {
        const isShared = ours.length < merger.calls.length;
        await commit(state, ours, !isShared);
        if (isShared) {
          committed = true;
          break;
        }
      }
      await loop.write(counted(state, () => merger.inner()));
      isOpen = await afterSignIn(state);
    }
    const waits = state.waiting !== null;
    const ending = waits ? merger.finish() : counted(state, () => merger.finish());
    const { said, message } = merger;
    const digest = await sha256Hex(JSON.stringify(said));
    const last = committed || waits || isEmpty(message) ? null : withoutOurs(state, message);
    const isStorable = JSON.stringify(last).length <= CHAT_LIMITS.messageChars;
    const lastMessage = isStorable ? { message: last, digest } : { message: null, digest: null };
    const shown = waits && loop.isKept ? [...(merger.shown ?? [])] : [];
    await ask(loop, { do: "end", exchange: state.begun.exchange, ...lastMessage, shown, waits });
    await onEnd(lastMessage.digest);
    await loop.write(ending);
  } catch (error) {
    loop.spans.failModel(error);
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
async function commit(state: StartedChat, ours: Merger["calls"], canWait: boolean): Promise<void> {
  const { merger, messages } = state;
  const { message } = merger;
  if (JSON.stringify(message).length > CHAT_LIMITS.messageChars)
    throw new ChatRefusal(
      502,
      "model_too_large",
      `The model's message is too large (limit ${CHAT_LIMITS.messageChars} characters). Ask for less.`,
    );
  const results = await runCalls(state, message, ours, canWait);
  messages.push(message, ...results);
}

/** Runs the calls of a step that another attempt has committed. */
async function runStoredCalls(state: StartedChat, message: JsonObject): Promise<void> {
  const theirs = new Set(state.loop.protocol.toolNames(state.loop.body));
  const calls = state.loop.protocol.callsIn(message).filter(({ name }) => !theirs.has(name));
  const isShared = calls.length < state.loop.protocol.callsIn(message).length;
  state.messages.push(...(await runCalls(state, null, calls, !isShared)));
}

/** Returns the results, or none if calls wait for a sign-in. */
async function runCalls(
  state: StartedChat,
  message: JsonObject | null,
  calls: Merger["calls"],
  canWait: boolean,
): Promise<JsonObject[]> {
  const entries = calls.map(({ entry }) => withGatewayName(entry));
  const stepped = await step(state, message, entries, canWait && canShowLinks(state) ? 0 : null);
  state.waiting = stepped.waiting.length === 0 ? null : { calls: entries, links: stepped.waiting };
  return stepped.messages;
}

async function step(
  { loop, begun }: StartedChat,
  message: JsonObject | null,
  calls: JsonObject[],
  patience: number | null,
): Promise<ChatStepped> {
  const asked = { do: "step", exchange: begun.exchange, message, calls, usage: null, patience } as const;
  const stepped = chatReply(await ask(loop, asked), "step").value;
  const note = loop.onLoaded?.(stepped.loaded) ?? "";
  if (note !== "") await loop.write(note);
  return stepped;
}

/** Whether the answer can contain a link: not if it must be JSON or end with a call of the caller's tools. */
function canShowLinks({ loop, merger }: StartedChat): boolean {
  const { tool_choice: choice } = loop.body;
  const isForced = choice === "required" || (isJsonObject(choice) && choice.type === "any");
  return loop.isLasting && !merger.holdsText && !isForced;
}

/**
 * Shows the links that the last step waits for. A stream stays open until the user has signed in, for a limited time.
 *
 * @returns whether the answer goes on
 */
async function afterSignIn(state: StartedChat): Promise<boolean> {
  const { loop, merger, waiting } = state;
  if (waiting === null) return true;
  const { protocol, isStream } = loop;
  const move = { text: signInNote(waiting.links, isStream), calls: [], noteAt: Math.floor(loop.now() / 1_000) };
  const body = { ...loop.body, model: loop.vendorModel, stream: true };
  const splitter = new EventSplitter();
  const events = splitter.push(`${protocol.demo(body, move, loop.newId("note").slice("note_".length))}\n\n`);
  for (const event of events) await loop.write(merger.push(event));
  if (!isStream) return false;
  const until = loop.now() + CHAT_LIMITS.signInMs;
  for (let left: number = CHAT_LIMITS.signInMs; left > 0; left = until - loop.now()) {
    requireCaller(loop);
    const stepped = await waitOnce(state, waiting.calls, Math.min(left, CHAT_LIMITS.signInSliceMs));
    if (stepped.waiting.length > 0) continue;
    state.waiting = null;
    state.messages.push(...stepped.messages);
    await loop.write(merger.inner());
    return true;
  }
  return false;
}

/** Waits for a part of the time. The Durable Object can be evicted meanwhile: its failures are repeated. */
async function waitOnce(state: StartedChat, calls: JsonObject[], patience: number): Promise<ChatStepped> {
  const { loop } = state;
  for (let attempt = 1; ; attempt++) {
    try {
      return await step(state, null, calls, patience);
    } catch (error) {
      if (refusalIn(error) !== null || loop.signal.aborted || attempt === CHAT_LIMITS.signInAttempts) throw error;
      await new Promise((resolve) => setTimeout(resolve, CHAT_LIMITS.signInPauseMs));
      loop.object = loop.reopen();
    }
  }
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
    return await loop.call.send(body, loop.signal, loop.spans.beginModel());
  } catch (error) {
    loop.spans.failModel(error);
    const again = error instanceof ChatRefusal && (error.status === 408 || error.status === 429 || error.status >= 500);
    if (done === 0 || !again || loop.signal.aborted) throw error;
    return loop.call.send(body, loop.signal, loop.spans.beginModel());
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
