// The chat endpoint's part in the Durable Object: locates a request, prepares what the model receives, runs calls, and stores hidden
// messages. The Worker calls the model; each step is committed here before its calls run.

import * as z from "zod";
import { CHAT_LIMITS } from "../../domain/chat/limits";
import { protocolOf } from "../../domain/chat/protocols";
import { readTranscript } from "../../domain/conversation/transcript";
import { GatewayError } from "../../domain/errors";
import type { JsonObject } from "../../domain/json";
import type { Format } from "../../domain/tools/formats";
import type { ChatExchange } from "../../storage/object/chat";
import type { Context } from "../context";
import type { RunningCalls } from "../conversation/running";
import { currentOffer, runTurn } from "../conversation/step";
import { restore } from "../conversation/turn";
import { exclusively, requireRoom, type Session } from "../session";
import type {
  ChatBegin,
  ChatBegun,
  ChatEnd,
  ChatExport,
  ChatReply,
  ChatRequest,
  ChatRows,
  ChatStep,
  ChatStepped,
} from "./api";
import {
  type Branch,
  chainOf,
  editBranch,
  formatOfChat,
  hiddenMessagesFor,
  historyUpTo,
  matchHistory,
  previewChat,
  QUESTION_PENDING,
  storedItems,
} from "./branch";
import { asOne, runStepCalls } from "./calls";
import { withGatewayName } from "./hidden";
import { findStopped } from "./stopped-answer";
import { deferStep, runWaitingStep } from "./waiting-steps";

export async function handleChat(
  context: Context,
  session: Session,
  running: RunningCalls,
  request: ChatRequest,
): Promise<ChatReply> {
  switch (request.do) {
    case "begin":
      return { did: "begin", value: await inOrder(session, () => begin(context, session, running, request)) };
    case "step":
      return { did: "step", value: await step(context, session, running, request) };
    case "end":
      return { did: "end", value: await end(context, session, request) };
    case "look":
      return { did: "look", value: await previewChat(context, session, request) };
    case "items":
      return { did: "items", value: storedItems(session.store.chat, request.ids) };
    case "export":
      return { did: "export", value: exported(session, request) };
  }
}

const queues = new WeakMap<Session, Promise<unknown>>();

/** Requests of one chat start one after the other, because each moves the conversation to its position. */
function inOrder<T>(session: Session, run: () => Promise<T>): Promise<T> {
  const result = (queues.get(session) ?? Promise.resolve()).then(run);
  queues.set(
    session,
    result.catch(() => undefined),
  );
  return result;
}

const alive = new WeakMap<Session, Set<string>>();

/** Requests started since the Durable Object woke up. The response of an earlier request that is still marked as running is lost. */
function aliveOf(session: Session): Set<string> {
  const known = alive.get(session) ?? new Set<string>();
  alive.set(session, known);
  return known;
}

/** The answer or running request that the conversation's state belongs to. */
const markSchema = z.object({ at: z.string() });
const markOf = (session: Session) => session.store.get("chat", markSchema)?.at ?? "";
const setMark = (session: Session, at: string) => session.store.set("chat", { at });

async function begin(
  context: Context,
  session: Session,
  running: RunningCalls,
  request: ChatBegin,
): Promise<ChatBegun> {
  const { store } = session;
  const { chat } = store;
  const { format, model } = request;
  requireRoom(session);
  const branch = await matchHistory(chat, request);
  store.atomically(() => {
    const stopped = findStopped(chat, request, branch, context.now());
    if (stopped !== null && markOf(session) === stopped) setMark(session, branch.tip);
  });
  await finishWaiting(context, session, running, branch);
  const { puts, have, isWhole } = hiddenMessagesFor(chat, branch, model);
  const before = chat.exchangeLike(branch.chain, request.request);
  const id = context.newId("exc");
  const isLost = before !== null && !aliveOf(session).has(before.id);
  const goesOn = before !== null && isOpen(before, request.isRetry, isLost, context.now());
  const isTurn = request.layout.at(-1)?.role !== "results" || branch.tip === "";
  const exchange: ChatExchange = {
    ...{ id, parent: branch.chain, branch: branch.tip, request: request.request, state: "running", format, model },
    ...{ lease: context.now() + CHAT_LIMITS.leaseMs, turn: isTurn ? 1 : 0 },
  };
  aliveOf(session).add(id);
  const isStored = before?.state === "ended" || before?.state === "waiting";
  if (before !== null && !isStored) deferStep(session, before.id);
  store.atomically(() => {
    if (before !== null && !isStored) {
      chat.putExchange({ ...before, state: "dropped" });
      if (!goesOn) chat.dropMessages(before.id);
    }
    chat.putExchange(exchange);
    if (!goesOn) return;
    // The messages of a finished answer stay with it.
    if (isStored) {
      chat.copyMessages(before.id, id);
      if (before.state === "ended") chat.dropAfterResults(id);
    } else chat.moveMessages(before.id, id);
    // The conversation is at the position where that attempt ended.
    if (markOf(session) === before.id) setMark(session, id);
  });
  if (goesOn || !isTurn)
    return { ...(await goOn(context, session, exchange)), exchange: id, puts, dropThoughts: false };
  await takeTo(context, session, branch, historyUpTo(chat, branch.tip), format);
  const turn = await runTurn(context, session, {
    ...{ key: null, format, history: null, selected_skills: [], have, model: request.vendorModel },
    ...{ history_cut: branch.cut || !isWhole, cache: null, usage: null, history_tokens: null },
    message: request.message,
  });
  const dropThoughts = turn.drop_thinking_before !== undefined;
  store.atomically(() => {
    setMark(session, id);
    editBranch(chat, branch, turn.context_edits ?? [], dropThoughts);
    for (const message of turn.append ?? []) chat.addMessage(id, "append", message, turn.append_id);
  });
  const changed = turn.context_edits !== undefined || dropThoughts;
  return {
    ...{ exchange: id, system: turn.prompt.system, tools: turn.tools, cacheKey: turn.prompt_cache_key ?? null },
    ...{
      puts: changed ? hiddenMessagesFor(chat, branch, model).puts : puts,
      steps: stepsOf(session, id),
      dropThoughts,
    },
  };
}

/** Whether another attempt can continue: the earlier one failed, its Worker is gone, or its response was not delivered. */
function isOpen({ state, lease }: ChatExchange, isRetry: boolean, isLost: boolean, now: number): boolean {
  if (state === "failed") return true;
  if (state === "running") return isRetry || isLost || lease < now;
  return (state === "ended" || state === "waiting") && isRetry;
}

/** Runs the calls that waited for a sign-in when the last answer of the branch ended. A call that still needs one fails with a link. */
async function finishWaiting(context: Context, session: Session, running: RunningCalls, branch: Branch): Promise<void> {
  const { chat } = session.store;
  const exchange = chat.exchange(chat.node(branch.tip)?.exchange ?? "");
  if (exchange?.state !== "waiting") return;
  const { id } = exchange;
  const format = formatIn(exchange);
  await takeTo(context, session, branch, historyUpTo(chat, branch.tip), format);
  setMark(session, branch.tip);
  const stored = chat.messages(id);
  const at = stored.findLastIndex(({ kind }) => kind === "answer");
  const results = stored.slice(at + 1);
  const answered = readTranscript(results.map(({ message }) => message)).flatMap((one) => one.results);
  const open = protocolOf(format)
    .callsIn(stored[at]?.message ?? {})
    .filter((call) => answered.every((result) => result.id !== call.id));
  const calls = open.map(({ entry }) => withGatewayName(entry));
  const room = CHAT_LIMITS.turnChars - chat.size(id);
  const done = await runStepCalls(context, session, running, { calls, format, usage: null, room });
  session.store.atomically(() => {
    // Some formats require all results of a step in one message.
    for (const { seq } of results) chat.dropMessage(id, seq);
    for (const message of asOne([...results.map(({ message }) => message), ...done.messages], format))
      chat.addMessage(id, "result", message);
    chat.putExchange({ ...exchange, state: "ended" });
  });
}

async function goOn(context: Context, session: Session, exchange: ChatExchange) {
  await takeBack(context, session, exchange);
  const { prompt, tools } = await currentOffer(context, session, formatIn(exchange));
  return { system: prompt.system, tools, cacheKey: null, steps: stepsOf(session, exchange.id) };
}

const stepsOf = (session: Session, exchange: string) =>
  session.store.chat.messages(exchange).map(({ kind, message }) => ({ kind, message }));

const formatIn = ({ format }: ChatExchange): Format => formatOfChat(format);

/** Moves the conversation to the end of a branch, unless it is there. */
async function takeTo(context: Context, session: Session, { tip }: Branch, history: JsonObject[], format: Format) {
  if (markOf(session) === tip || session.state.policy === null) return;
  await exclusively(session, () => restore(context, session, history, format));
}

/** Moves the conversation into the middle of a turn, if another request moved it since. */
async function takeBack(context: Context, session: Session, exchange: ChatExchange): Promise<void> {
  const { id, branch, turn } = exchange;
  if (markOf(session) === id) return;
  const { chat } = session.store;
  const done = chat.messages(id).map(({ message }) => message);
  const isThere = markOf(session) === branch && turn === 0;
  if (!isThere && session.state.policy !== null) {
    const history = historyUpTo(chat, branch, turn > 0 ? [QUESTION_PENDING, ...done] : done);
    await exclusively(session, () => restore(context, session, history, formatIn(exchange)));
  }
  setMark(session, id);
}

async function step(
  context: Context,
  session: Session,
  running: RunningCalls,
  request: ChatStep,
): Promise<ChatStepped> {
  const { store } = session;
  const exchange = runningOne(session, request.exchange);
  const format = formatIn(exchange);
  requireRoom(session);
  if (store.chat.size(exchange.id) > CHAT_LIMITS.turnChars) throw answerTooLarge();
  await inOrder(session, () => takeBack(context, session, exchange));
  store.atomically(() => {
    if (request.message !== null) store.chat.addMessage(exchange.id, "answer", request.message);
    store.chat.putExchange({ ...exchange, lease: context.now() + CHAT_LIMITS.leaseMs });
  });
  const { calls, usage, patience } = request;
  if (calls.length === 0) return { messages: [], loaded: [], waiting: [] };
  const room = CHAT_LIMITS.turnChars - store.chat.size(exchange.id);
  const asked = { calls, format, usage, room };
  const outcome = await runWaitingStep(context, session, running, exchange.id, asked, patience);
  if ("waiting" in outcome) {
    // The waiting was ended by another attempt, or because the caller left.
    if (outcome.waiting.length === 0) throw takenOver();
    return { messages: [], loaded: [], waiting: outcome.waiting };
  }
  const { done } = outcome;
  // A caller who left may return and finds the results. If another attempt took over, it finds them under its calls.
  const isLeft = store.chat.exchange(exchange.id)?.state === "failed";
  if (!isLeft) runningOne(session, exchange.id);
  store.atomically(() => {
    for (const message of done.messages) store.chat.addMessage(exchange.id, "result", message);
  });
  return { ...done, waiting: [] };
}

const answerTooLarge = () =>
  new GatewayError("invalid", "ANSWER_TOO_LARGE", "The answer is too long. Ask for less at once.");

async function end(context: Context, session: Session, ended: ChatEnd): Promise<null> {
  const { exchange: id, message, digest, shown, waits = false } = ended;
  const { store } = session;
  const exchange = runningOne(session, id);
  aliveOf(session).delete(id);
  const results = deferStep(session, id);
  if (digest === null) {
    store.atomically(() => {
      store.chat.addShown(id, shown);
      store.chat.putExchange({ ...exchange, state: "failed" });
    });
    return null;
  }
  const chain = await chainOf(exchange.parent, digest);
  const { branch: parent, format, model, turn } = exchange;
  store.atomically(() => {
    if (message !== null) store.chat.addMessage(id, "answer", message);
    for (const result of waits ? results : []) store.chat.addMessage(id, "result", result);
    if (waits) store.chat.addShown(id, shown);
    store.chat.putNode({ chain, parent, digest, exchange: id, format, model, turn }, context.now());
    store.chat.putExchange({ ...exchange, state: waits ? "waiting" : "ended" });
    if (markOf(session) === id) setMark(session, chain);
  });
  return null;
}

/** Returns a running request. A request that another attempt has taken over can run nothing more. */
function runningOne(session: Session, id: string): ChatExchange {
  const exchange = session.store.chat.exchange(id);
  if (exchange?.state === "running") return exchange;
  throw takenOver();
}

const takenOver = () =>
  new GatewayError(
    "conflict",
    "EXCHANGE_TAKEN_OVER",
    "The same request was sent again. It continues in the newer connection.",
  );

function exported(session: Session, { after }: ChatExport): ChatRows {
  const { chat } = session.store;
  const page = chat.page(after, CHAT_LIMITS.exportPage);
  const rows = page.map(({ node: { chain: id, exchange, parent, format, model } }): JsonObject => {
    return { id, parent, format, model, messages: chat.messages(exchange).map(({ message }) => message) };
  });
  return {
    rows,
    next: page.length < CHAT_LIMITS.exportPage ? null : (page.at(-1)?.at ?? null),
  };
}
