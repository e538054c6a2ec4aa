// Runs turns and model steps: what a chat back end sends, and what it sends to its model next.

import type { View } from "../../domain/catalog/view";
import { DURATIONS } from "../../domain/durations";
import { type Issue, invalid } from "../../domain/errors";
import type { JsonObject } from "../../domain/json";
import { isBuiltin } from "../../domain/tools/builtin";
import {
  type AnsweredCall,
  type Format,
  type ReadCall,
  readCall,
  renderResult,
  renderResults,
} from "../../domain/tools/formats";
import type { Progress } from "../../upstream/tool-call";
import { currentView, standingView } from "../catalog/view";
import { readConnectionsAhead } from "../connections/tokens";
import type { Context } from "../context";
import type { HostRound } from "../host-questions";
import { exclusively, type Session } from "../session";
import type { RenderedOffer } from "../session-memory";
import { resetListingMode } from "../tools/listing-mode";
import { stepOf } from "../tools/offered";
import { connectSources } from "../tools/sources";
import type { Step } from "../tools/step";
import type { ToolCallsRequest, TurnRequest } from "./api";
import { addConnectedServers, frontOf } from "./auto/front";
import { isCold } from "./auto/history-plan";
import { historyRequestOf, thinkingWarnings } from "./auto/history-reply";
import { reactivate } from "./auto/reactivate";
import { cacheWarnings } from "./billing/reply";
import { recordStep } from "./billing/steps";
import { openingFor } from "./catalog-client";
import { clientToolsOf, haveFeaturesChanged } from "./client-tools";
import { logsFor } from "./host/logs";
import { renderOffer } from "./prompt";
import type { ToolCallsReply, TurnReply } from "./replies";
import type { Listener, RunningCalls } from "./running";
import { activeOf, loadedInTurn } from "./status";
import { isGatewayCall, isOrdered, runCall } from "./toolset";
import { beginTurn } from "./turn";

/** Begins a turn and renders it. With the key of an earlier turn, begins nothing and renders the current state. */
export async function runTurn(context: Context, session: Session, request: TurnRequest): Promise<TurnReply> {
  const format = formatOf(session, request.format);
  readAhead(context, session);
  const { turn, begun, warnings } = await exclusively(session, async () => {
    const known = request.key !== null && session.store.turnOf(request.key) !== null;
    if (!known && isCold(context, session, request)) resetListingMode(session);
    const issues = known ? [] : await beginTurn(context, session, request, format);
    return { turn: session.state.turn, begun: !known, warnings: issues };
  });
  session.memory.lastStep = context.now();
  const { view } = await currentView(context, session);
  await connectSources({ context, session, view });
  session.store.upstreams.dropUnusedSince(context.now() - DURATIONS.upstreamKept);
  const step = stepOf({ context, session, view });
  if (session.state.policy?.delivery === "auto") {
    if (begun) await addConnectedServers(step);
    await frontOf(step, true);
  }
  const offer = await renderOffer(step, format);
  warnings.push(...(await step.offered()).warnings, ...thinkingWarnings(session.state, format));
  if (begun) warnings.push(...cacheWarnings(session.state, format, request.usage));
  return {
    turn,
    ...offer,
    ...(await historyRequestOf(step, format)),
    active: activeOf(session.state),
    loaded_skills: loadedInTurn(session.state),
    warnings,
  };
}

/** Returns the current prompt and tools. */
export async function currentOffer(context: Context, session: Session, format: Format | null): Promise<RenderedOffer> {
  readAhead(context, session);
  const { view, state } = await standingView(context, session);
  return renderOffer(stepOf({ context, session, view, looks: true }), formatOf(session, format), state);
}

/**
 * Returns the first message for an MCP host. Begins the first turn if there is none, and never a later one. Starts connecting servers
 * without waiting for them, because hosts give up on slow servers.
 */
export async function openForClient(context: Context, session: Session, preload: string[]): Promise<string> {
  readAhead(context, session);
  await ensureTurn(context, session, { format: "mcp", isForHost: true }, preload, []);
  const { view } = await currentView(context, session);
  await connectSources({ context, session, view }, null, 0);
  return openingFor(context, view, [...session.state.selected, ...preload]);
}

/**
 * Returns the tools for an MCP host.
 *
 * @param tells whether the host receives the list; otherwise it only starts to listen for changes
 */
export async function listClientTools(
  context: Context,
  session: Session,
  preload: string[],
  sendsPrompt: boolean,
): Promise<JsonObject[]> {
  readAhead(context, session);
  await ensureTurn(context, session, { format: "mcp", isForHost: true }, preload, []);
  const { view } = await currentView(context, session);
  await connectSources({ context, session, view }, null, sendsPrompt ? DURATIONS.patienceList : 0);
  const offer = await renderOffer(stepOf({ context, session, view }), "mcp");
  const { tools, digest } = await clientToolsOf(session, offer, view);
  if (sendsPrompt) session.memory.listed = digest;
  return tools;
}

/** Starts reading what the servers of a view need while the view is read, so that both take one round trip. */
function readAhead(context: Context, { view }: Session): void {
  const { gateway = {}, own = [] } = view?.servers ?? {};
  if (view === null || Object.keys(gateway).length + own.length > 0) readConnectionsAhead(context);
}

/** Begins the first turn for an MCP host, which never requests a turn. */
export async function beginForHost(context: Context, session: Session, preload: string[]): Promise<void> {
  await ensureTurn(context, session, { format: "mcp", isForHost: true }, preload, []);
}

/** Begins the first turn of a conversation without turns. Returns whether it did. */
async function ensureTurn(
  context: Context,
  session: Session,
  { format, isForHost }: { format: Format; isForHost: boolean },
  selected: string[],
  warnings: Issue[],
): Promise<boolean> {
  if (session.state.turn !== 0 && session.state.policy !== null) return false;
  const nothing = { key: null, message: null, history: null, history_cut: false, have: null, model: null, cache: null };
  const first = { ...nothing, usage: null, history_tokens: null, selected_skills: selected, isForHost };
  const begin = async () => (session.state.turn === 0 ? beginTurn(context, session, first, format) : []);
  warnings.push(...(await exclusively(session, begin)));
  return true;
}

/** Runs all tool calls of a model step. */
export async function runCalls(
  context: Context,
  session: Session,
  running: RunningCalls,
  request: ToolCallsRequest,
  listener: Listener | null = null,
): Promise<ToolCallsReply> {
  const warnings: Issue[] = [];
  const format = formatOf(session, request.format);
  const asker = { format, isForHost: request.client !== null };
  readAhead(context, session);
  const begins = await ensureTurn(context, session, asker, request.client?.preload ?? [], warnings);
  session.memory.lastStep = context.now();
  const calls = readCalls(context, request.calls);
  const current = await currentView(context, session, skillsNamed(calls));
  warnings.push(...current.warnings.filter((issue) => !warnings.some((known) => known.message === issue.message)));
  const seen = { context, session, view: current.view };
  if (begins) await connectSources(seen);
  const { usage } = request;
  recordStep(
    context,
    session,
    calls.map(({ call }) => call),
    usage,
  );
  warnings.push(...cacheWarnings(session.state, format, usage));
  await reactivate(
    seen,
    calls.map(({ call }) => call),
  );
  const first = stepOf(seen);
  if (session.state.policy?.delivery === "auto") await frontOf(first, true);
  const before = await renderOffer(first, format);

  const { listener: logs, kept: logged } = logsFor(session, request, listener?.onLog);
  const answers = new Map<ReadCall, AnsweredCall>();
  const signIns: NonNullable<ToolCallsReply["sign_ins"]> = [];
  const answer = async (step: Step, call: ReadCall) => {
    const onProgress =
      listener?.onProgress === undefined ? undefined : (progress: Progress) => listener.onProgress?.(call, progress);
    const onRound = (asked: HostRound) => listener?.onAsked?.(asked);
    const asks =
      context.host === undefined || listener === null
        ? null
        : { abilities: context.host, answers: request.answers, tell: onRound };
    const run = {
      ...step,
      running,
      forClient: request.client !== null,
      asks,
      logs,
      goesOn: request.answers !== undefined,
    };
    const unlisten = session.memory.signIns.listen(call.id, {
      onLink: (link) => {
        if (listener?.onSignIn === undefined) signIns.push({ call_id: call.id, ...link });
        else listener.onSignIn(call, link);
      },
      onGoOn: () => listener?.onGoOn?.(call),
      ended: listener?.signInEnded,
    });
    const result = await runCall(run, call, listener?.signal, onProgress).finally(unlisten);
    const answered = { call, result };
    answers.set(call, answered);
    listener?.onResult(answered);
  };
  for (const { call } of calls) if (isOrdered(call) && isGatewayCall(session, call.name)) await answer(first, call);
  // Computed only now, because the remaining calls may use tools of a skill that was just loaded.
  const loaded = answers.size === 0 ? first : stepOf(seen);
  const rest = calls.filter(({ call }) => !answers.has(call));
  const unhandled = rest.filter(({ call }) => !isGatewayCall(session, call.name)).map(({ entry }) => entry);
  await Promise.all(
    rest.filter(({ call }) => isGatewayCall(session, call.name)).map(({ call }) => answer(loaded, call)),
  );

  const inOrder = calls.flatMap(({ call }) => answers.get(call) ?? []);
  // The calls may have changed what servers offer.
  const offer = await renderOffer(stepOf(seen), format);
  const changed = offer.etag !== (request.etag ?? before.etag);
  const isOther = offer !== before && JSON.stringify(offer.tools) !== JSON.stringify(before.tools);
  // An MCP host has no prompt of the gateway and requests the tools itself.
  const sendsPrompt = request.client === null && (request.etag === null || changed);
  return {
    results: inOrder.map(renderResult),
    messages: renderResults(inOrder, format),
    unhandled,
    loaded_skills: loadedInTurn(session.state),
    active: activeOf(session.state),
    changed,
    tools_changed: request.hearsChanges ? await isNews(session, offer, current.view, isOther) : isOther,
    etag: offer.etag,
    ...(sendsPrompt ? { prompt: offer.prompt, tools: offer.tools } : {}),
    warnings,
    ...(request.hearsChanges && haveFeaturesChanged(session) ? { things_changed: true } : {}),
    ...(logged.length === 0 ? {} : { logs: logged }),
    ...(signIns.length === 0 ? {} : { sign_ins: signIns }),
  };
}

/** Whether the tool list differs from the one the host last received, also if it changed between two calls. Returns true once. */
async function isNews(session: Session, offer: RenderedOffer, view: View, isOther: boolean): Promise<boolean> {
  const { listed } = session.memory;
  if (listed === null) return isOther;
  const { digest } = await clientToolsOf(session, offer, view);
  session.memory.listed = digest;
  return digest !== listed;
}

/** Returns the requested format, otherwise the conversation's, otherwise MCP's. */
function formatOf(session: Session, asked: Format | null): Format {
  return asked ?? session.settings.format ?? "mcp";
}

/** Returns the skills named by calls, whose contents are needed. */
function skillsNamed(calls: readonly { call: ReadCall }[]): string[] {
  return calls.flatMap(({ call: { name, arguments: args } }) =>
    isBuiltin(name) ? [args.skill_name, args.skill].filter((text) => typeof text === "string") : [],
  );
}

function readCalls(context: Context, entries: readonly JsonObject[]): { call: ReadCall; entry: JsonObject }[] {
  const issues: Issue[] = [];
  const calls = entries.flatMap((entry, position) => {
    // A call without an id is always a new call: only an id can identify a repetition.
    const call = readCall(entry, context.newId("call"));
    if (call !== null) return [{ call, entry }];
    issues.push({ code: "INVALID_CALL", message: "The call has no tool name. Add `name`.", path: `calls.${position}` });
    return [];
  });
  if (issues.length > 0) throw invalid(issues);
  return calls;
}
