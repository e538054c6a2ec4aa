// Answers one request of the chat endpoint: passes it through if there are no skills to add, otherwise runs the loop.

import type { Protocol } from "../../domain/chat/protocol";
import type { ChatRefusal } from "../../domain/chat/refusal";
import type { Context } from "../context";
import type { ConversationApi } from "../conversation/api";
import { type Target, unwrap } from "../conversation/api";
import { type ChatObject, chatReply } from "./api";
import { chainOf } from "./branch";
import { demoCall, isDemo } from "./demo";
import { abortAttempt, beginLoop, type Loop, runLoop, type StartedChat } from "./loop";
import { passThrough } from "./pass-through";
import { chatSettings, type ParsedChatRequest, settle, tailOfItem, tailsOf } from "./request";
import { ResponseStream } from "./response-stream";
import type { ReleaseSlot } from "./slots";
import { ChatSpans } from "./telemetry";
import { countedCall, type ModelCall, type ModelTally, modelCall, noTally, retryingCall, tallyUsage } from "./upstream";

/** The context of a request, besides its body. */
export interface ChatContext {
  context: Context;
  protocol: Protocol;
  asked: ParsedChatRequest;
  ghost: string | null;
  isRetry: boolean;
  /** Whether the caller wants skill events in the stream. */
  hearsSkills: boolean;
  signal: AbortSignal;
  open(id: string): { api: ConversationApi & ChatObject; target: Target };
  /** Continues work after the response. */
  later(work: Promise<unknown>): void;
  /** Releases the user's slot. Called when the response has ended in any way. */
  release: ReleaseSlot;
  /** Converts an error to the vendor's format, and logs it if it is a bug. */
  tell(error: unknown): ChatRefusal;
}

/** The context with the calls of the model that are not recorded yet. */
interface CountedContext extends ChatContext {
  tally: ModelTally;
}

export async function answerChatRequest(place: ChatContext): Promise<Response> {
  const tally = noTally();
  try {
    const asked = await withReferences(place.protocol, place.asked, place.open);
    return await answered({ ...place, asked, tally });
  } catch (error) {
    // The model did not answer, so nothing else records its calls.
    if (tally.calls > 0) place.later(settle(place.context, place.asked, 0, [], tally));
    place.release();
    throw error;
  }
}

async function answered(place: CountedContext): Promise<Response> {
  const { context, protocol, asked } = place;
  const { model, headers } = asked;
  const called = isDemo(model)
    ? demoCall(context, protocol)
    : await modelCall(context, protocol, model, protocol.path, headers);
  const spans = new ChatSpans(context, {
    ...{ protocol, model: model.entry.model, ghost: asked.ghost ?? place.ghost, isStream: asked.body.stream === true },
    conversation: asked.conversation,
  });
  const call = countedCall(context, model, retryingCall(protocol, model, called), place.tally);
  // An answer whose parts can be referenced later is stored, with or without skills.
  const isInChat = asked.plain === "tool_choice" && !asked.isNew;
  if (asked.plain !== null && !isInChat && (asked.plain === "off" || !asked.isKept))
    return asItIs(place, { call, spans }, asked.plain);
  const stream = asked.body.stream === true;
  const abort = new AbortController();
  // If the caller stops reading, the model call is aborted.
  const output = new ResponseStream(() => abort.abort());
  place.signal.addEventListener("abort", () => output.leave(), { once: true });
  const { api, target } = place.open(asked.conversation);
  spans.beginAnswer();
  const loop: Loop = {
    spans,
    ...{ protocol, body: asked.body, model: model.name, vendorModel: model.entry.model, call, object: api, target },
    ...{ singleSystem: model.entry.single_system === true, usage: model.entry.usage ?? "sum" },
    ...{ settings: chatSettings(asked.ghost ?? place.ghost), isRetry: place.isRetry, signal: abort.signal },
    ...{ bare: asked.plain === null ? "no" : isInChat ? "unless_hidden" : "yes", isKept: asked.isKept },
    reopen: () => place.open(asked.conversation).api,
    ...{ isStream: stream, isLasting: asked.known !== "once", now: context.now, newId: context.newId },
    write: (text) => (stream ? output.write(text) : Promise.resolve()),
    onUsage: (reported) => tallyUsage(place.tally, model, asked.body, reported),
    onLoaded: place.hearsSkills && stream ? protocol.skillsEvent : undefined,
  };
  const begun = await anyway(place, beginLoop(loop)).catch((error: unknown) => {
    spans.endAnswer(error);
    throw error;
  });
  if (begun === null) {
    // Nobody can find the conversation again.
    if (asked.isNew) place.later(api.erase(target).then(unwrap));
    return asItIs(place, { call, spans }, asked.plain ?? "none");
  }
  // Reported immediately, not after a running tool has ended, so that a repeated request can continue.
  abort.signal.addEventListener("abort", () => place.later(abortAttempt(begun)), { once: true });
  const named = { "x-conversation-id": asked.conversation };
  if (!stream) {
    const ended = finished(place, begun).then(() => spans.endAnswer());
    const told = ended.catch((error: unknown) => {
      spans.endAnswer(error);
      throw error;
    });
    await anyway(place, told.finally(place.release));
    return Response.json(begun.merger.whole(), { headers: named });
  }
  const run = async () => {
    try {
      await finished(place, begun);
      spans.endAnswer();
    } catch (error) {
      spans.endAnswer(error);
      if (!abort.signal.aborted) await output.write(begun.merger.fail(place.tell(error))).catch(() => undefined);
    }
    output.close();
    place.release();
  };
  place.later(run());
  return new Response(output.stream, { headers: { ...named, "content-type": "text/event-stream; charset=utf-8" } });
}

/** Runs work to its end even if the caller has left, so that its state is consistent. */
function anyway<T>({ later }: ChatContext, work: Promise<T>): Promise<T> {
  later(work.catch(() => undefined));
  return work;
}

/** Runs the loop and records the usage, even if it fails. */
async function finished({ context, asked, later, open, tally }: CountedContext, begun: StartedChat): Promise<void> {
  const { merger } = begun;
  let isSettled = false;
  const settled = (tails: readonly string[]): Promise<void> => {
    isSettled = true;
    const work = settle(context, asked, merger.tokens.all + begun.guessed, tails, tally);
    later(work);
    return work;
  };
  try {
    // The digest that finds this chat again is stored before the last chunk, because clients stop reading there.
    await runLoop(begun, async (digest) => {
      const items = digest === null ? [] : (merger.lastIds ?? []).map(tailOfItem);
      const tails = digest === null ? [] : await Promise.all([chainOf(asked.tail, digest), ...items]);
      const work = settled(tails);
      if (asked.known === "found" && tails.length > 0) await work;
    });
  } finally {
    // A chat with a stopped answer is found by what was shown of it.
    if (!isSettled) settled(await Promise.all((merger.shown ?? []).map(({ id }) => tailOfItem(String(id)))));
    if (asked.known === "once") {
      const { api, target } = open(asked.conversation);
      later(api.erase(target).then(unwrap));
    }
  }
}

/** Passes a request to the model with only its name changed, and the response back byte for byte. */
async function asItIs(
  place: CountedContext,
  { call, spans }: { call: ModelCall; spans: ChatSpans },
  why: string,
): Promise<Response> {
  const { context, asked } = place;
  const { body } = asked;
  const sent = call.send({ ...body, model: asked.model.entry.model }, place.signal, spans.beginModel());
  const answer = await sent.catch((error: unknown) => {
    spans.failModel(error);
    spans.endAnswer(error);
    throw error;
  });
  const { response, used } = passThrough(answer, body, call.untold);
  const settled = used.then(({ tokens, reported }) => {
    tallyUsage(place.tally, asked.model, body, reported);
    spans.endModel(reported, "pause");
    spans.endAnswer();
    return settle(context, asked, tokens, [], place.tally);
  });
  const ended = settled.finally(place.release);
  place.later(ended);
  response.headers.set("x-skills", `off; ${why}`);
  return response;
}

/** Returns the request with the content of earlier answers in place of their ids. */
async function withReferences(
  protocol: Protocol,
  asked: ParsedChatRequest,
  open: (id: string) => { api: ChatObject; target: Target },
): Promise<ParsedChatRequest> {
  const { items } = protocol;
  const ids = items?.named(asked.body) ?? [];
  if (items === undefined || ids.length === 0) return asked;
  const found = asked.isNew ? [] : await itemsOf(open(asked.conversation), ids);
  const body = items.filled(asked.body, found);
  const { tail } = await tailsOf(protocol, protocol.messages(body) ?? []);
  return { ...asked, body, tail };
}

async function itemsOf({ api, target }: { api: ChatObject; target: Target }, ids: string[]) {
  const reply = await api.chat(target, { do: "items", ids }, null);
  if (!reply.ok && reply.error.reason === "CONVERSATION_NOT_FOUND") return [];
  return chatReply(unwrap(reply), "items").value;
}
