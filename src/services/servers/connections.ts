// Connects a conversation to its MCP servers on demand, stores what is known of them, and applies deadlines and redaction.

import type { OfferedServer } from "../../domain/conversation/offered";
import type { ServerRef } from "../../domain/conversation/servers";
import { DURATIONS } from "../../domain/durations";
import type { JsonObject } from "../../domain/json";
import type { Library } from "../../domain/servers/library/library";
import { NO_MEMORY, type UpstreamMemory } from "../../domain/servers/memory";
import { CONNECT_TOOL, SIGN_IN_NEEDED } from "../../domain/servers/sign-in";
import { failed, type ToolResult } from "../../domain/tool";
import type { ConnectionState } from "../../storage/object/connections";
import { Upstream } from "../../upstream/client";
import { UpstreamFault } from "../../upstream/fault";
import type { CallWithQuestions } from "../../upstream/server-questions";
import type { CallOptions } from "../../upstream/tool-call";
import type { Context } from "../context";
import type { Session } from "../session";
import type { LiveConnection, Refreshing } from "../session-memory";
import { countServerCall } from "../skill-use";
import { countUpstream, noteHealth, storedServer } from "./health";
import { offeredServerOf } from "./offered-server";
import { askToSignIn } from "./sign-in-question";
import { connectedServerOf } from "./signed-in-target";
import { askingServer, keyStart, type ReachableServer, resolveAgain, serverTarget } from "./target";

/** A server of the conversation, and its address. */
interface Found {
  ref: ServerRef;
  aim: ReachableServer;
}

/** Returns what is known of the servers, without contacting them. */
export async function offeredServers(
  context: Context,
  session: Session,
  refs: readonly ServerRef[],
): Promise<OfferedServer[]> {
  return Promise.all(
    refs.map(async (ref): Promise<OfferedServer> => {
      const aim = await serverTarget(context, session, ref);
      const nothing = { ref, tools: [], restricted: [], latency: null, problems: [] };
      if (aim.problem !== undefined)
        return { ...nothing, state: aim.unsupported ? "unsupported" : "failed", error: aim.problem };
      return offeredServerOf(ref, aim, liveAt(context, session, aim), context.now());
    }),
  );
}

/**
 * Connects servers whose tools are unknown or outdated, in parallel, and waits for each until it has been connecting for `patience`, so
 * that later callers do not wait for the same silence again. A server that failed last gets only a moment. Slower servers continue in the
 * background with their own deadline. Without patience, all do.
 */
export async function connectServers(
  context: Context,
  session: Session,
  refs: readonly ServerRef[],
  patience: number,
): Promise<void> {
  const aims = await Promise.all(refs.map(async (ref) => ({ ref, aim: await serverTarget(context, session, ref) })));
  const waits = aims.map(({ ref, aim }) => {
    if (aim.problem !== undefined) return null;
    const live = liveAt(context, session, aim);
    const most = live.error === null ? patience : Math.min(patience, DURATIONS.patienceFailed);
    const { since, done } = refresh(context, session, { ref, aim }, live);
    return waitAtMost([done], most - (context.now() - since));
  });
  await Promise.all(waits);
}

/** Waits for all promises, but at most this number of milliseconds. */
export async function waitAtMost(work: readonly Promise<void>[], ms: number): Promise<void> {
  if (work.length === 0 || ms <= 0) return;
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, ms);
  await Promise.race([Promise.all(work), late.promise]);
  clearTimeout(timer);
}

type ServerCall = Omit<CallOptions, "inquiry"> & { shown: string; call: CallWithQuestions };

/**
 * Calls a tool of a server. A failure is returned as a tool result. If the user must sign in to the server, the call asks for it and goes
 * on afterwards.
 */
export async function callServer(
  context: Context,
  session: Session,
  ref: ServerRef,
  tool: string,
  args: JsonObject,
  options: ServerCall,
): Promise<ToolResult> {
  const { shown, call } = options;
  const failure = (why: string) => failed(`MCP tool '${shown}' failed: ${why}`);
  const first = await callOnce(context, session, ref, tool, args, options);
  if (!("signIn" in first)) return first;
  const aim = await serverTarget(context, session, ref);
  const server = connectedServerOf(context, ref.name, ref.source);
  if (aim.problem !== undefined || server === null) return failure(SIGN_IN_NEEDED);
  const asking = askingServer(ref, aim);
  // A repeated request of this call waits with it.
  context.inquire?.(call, asking).note({ era: "modern", count: 0, asked: [], state: null });
  // Questions of the server in this call have ordinals of their own.
  const handler = context.inquire?.({ ...call, id: `${call.id} sign-in` }, asking);
  const { connection } = aim;
  const where = { conversation: session.id, callId: call.id, signal: call.signal, callers: session.memory.signIns };
  const waiting = { ...where, connection, scope: first.signIn };
  const answer = await askToSignIn(context, { ...server, target: aim.target }, waiting, handler).finally(() =>
    handler?.close(),
  );
  if (!answer.signedIn) return failure(`it requires the user to sign in. ${answer.told}`);
  resolveAgain(context, ref);
  const second =
    tool === CONNECT_TOOL
      ? await signedInResult(context, session, ref)
      : await callOnce(context, session, ref, tool, args, options);
  // At most one sign-in per call: a server that asks for more scopes each time does not end.
  return "signIn" in second ? failure(SIGN_IN_NEEDED) : second;
}

/** The user must sign in first, and grant these scopes in addition to those of the connection. */
interface SignInNeeded {
  signIn: string | null;
}

/** Calls a tool, if the user need not sign in first. */
async function callOnce(
  context: Context,
  session: Session,
  ref: ServerRef,
  tool: string,
  args: JsonObject,
  { call, ...options }: ServerCall,
): Promise<ToolResult | SignInNeeded> {
  const aim = await serverTarget(context, session, ref);
  if (aim.problem !== undefined) return failed(`MCP tool '${options.shown}' failed: ${aim.problem}`);
  const live = liveAt(context, session, aim);
  if (isConnectTool(live, tool))
    return live.error === SIGN_IN_NEEDED ? { signIn: null } : signedInResult(context, session, ref);
  const inquiry = context.inquire?.(call, askingServer(ref, aim));
  if (inquiry?.begun?.era === "legacy")
    return failed(
      `MCP tool '${options.shown}' failed: it was interrupted while it waited for an answer. It was not repeated because it may already have had an effect.`,
    );
  const start = context.now();
  const before = live.upstream.memory;
  const result = await live.upstream.call(tool, args, { ...options, inquiry }).catch((error: unknown) => {
    if (error instanceof UpstreamFault && error.kind === "sign_in") return { signIn: error.scope };
    throw error;
  });
  inquiry?.close();
  if ("signIn" in result) {
    if (result.signIn === null) live.error = SIGN_IN_NEEDED;
    keep(context, session, aim, live);
    return result;
  }
  live.latency = context.now() - start;
  noteHealth(context, ref, before, live.upstream.memory);
  tellThings(session, before, live.upstream.memory);
  countUpstream(context, ref, live.latency, result, live.upstream.memory);
  const counted = storedServer(context, ref);
  if (counted !== null) countServerCall(context, session, counted, result.isError === true);
  keep(context, session, aim, live);
  const remarks = inquiry?.remarks ?? [];
  return { ...result, content: [...result.content, ...remarks.map((remark) => ({ type: "text", text: remark }))] };
}

/** Whether a name is that of the tool which stands for a server's unknown tools, and not of a tool of the server. */
function isConnectTool({ upstream }: LiveConnection, tool: string): boolean {
  return tool === CONNECT_TOOL && upstream.memory.list?.tools.some(({ name }) => name === tool) !== true;
}

/** Returns the result of the tool that connects: the names of the server's tools. */
async function signedInResult(context: Context, session: Session, ref: ServerRef): Promise<ToolResult> {
  await connectServers(context, session, [ref], DURATIONS.patienceFixed);
  const [server] = await offeredServers(context, session, [ref]);
  if (server?.state !== "connected")
    return failed(`'${ref.name}' is not available: ${server?.error ?? "it is connecting"}.`);
  return signedInText(server);
}

/** Returns the result of the tool that connects, for a server that is connected. */
export function signedInText({ ref, tools }: OfferedServer): ToolResult {
  const names = tools.map(({ name }) => name).join(", ");
  return {
    content: [{ type: "text", text: `The user is signed in to '${ref.name}'. Its tools are available now: ${names}.` }],
  };
}

/** Notifies hosts that resources and prompts changed, if the server announced it meanwhile. */
function tellThings(session: Session, before: UpstreamMemory, { library }: UpstreamMemory): void {
  if (library?.at !== 0 || before.library?.at === 0) return;
  session.memory.otherThings = true;
  session.otherThings?.();
}

/**
 * Runs an operation on a server and stores what was learned about it.
 *
 * @throws UpstreamFault
 */
export async function withServer<T>(
  context: Context,
  session: Session,
  ref: ServerRef,
  work: (upstream: Upstream) => Promise<T>,
): Promise<T> {
  const aim = await serverTarget(context, session, ref);
  if (aim.problem !== undefined) throw new UpstreamFault("refused", aim.problem);
  const live = liveAt(context, session, aim);
  try {
    return await work(live.upstream);
  } finally {
    keep(context, session, aim, live);
  }
}

/** Returns what is known of a server's resources and prompts; `null` if it was not asked. */
export async function cachedLibrary(context: Context, session: Session, ref: ServerRef): Promise<Library | null> {
  const aim = await serverTarget(context, session, ref);
  return aim.problem === undefined ? liveAt(context, session, aim).upstream.memory.library : null;
}

/** Returns the conversation's connections to servers with sessions: these servers, and all connected ones. */
export async function sessionsOf(context: Context, session: Session, refs: readonly ServerRef[]): Promise<Upstream[]> {
  for (const ref of refs) {
    const aim = await serverTarget(context, session, ref);
    if (aim.problem === undefined) liveAt(context, session, aim);
  }
  const all = [...session.memory.connections.live.values()].map(({ upstream }) => upstream);
  return all.filter(({ memory }) => memory.session !== null && memory.session.id !== null);
}

/**
 * Ends sessions with servers that the conversation no longer has or now reaches differently. Nothing waits for it. After an eviction, only
 * sessions known from the previous view can be ended, because otherwise only a digest is stored.
 *
 * @param now all servers of the conversation
 * @param before the servers of its previous view
 */
export async function endUnusedSessions(
  context: Context,
  session: Session,
  now: readonly ServerRef[],
  before: readonly ServerRef[],
): Promise<void> {
  const { live } = session.memory.connections;
  const aims = await Promise.all(now.map(async (ref) => ({ ref, aim: await serverTarget(context, session, ref) })));
  // A server that is only unreachable now, for example without its secret, has not been removed.
  const isTheirs = (key: string) =>
    aims.some(({ ref, aim }) => (aim.problem === undefined ? aim.key === key : key.startsWith(keyStart(ref))));
  for (const ref of before) {
    const aim = await serverTarget(context, session, ref);
    if (aim.problem === undefined && !isTheirs(aim.key)) liveAt(context, session, aim);
  }
  for (const [key, { upstream }] of live) {
    if (isTheirs(key)) continue;
    live.delete(key);
    session.store.upstreams.drop(key);
    context.later(upstream.end());
  }
}

function liveAt(context: Context, session: Session, aim: ReachableServer): LiveConnection {
  const { live } = session.memory.connections;
  const known = live.get(aim.key);
  if (known !== undefined) {
    known.upstream.aim(aim.target);
    return known;
  }
  const kept = session.store.upstreams.get(aim.key);
  const made: LiveConnection = {
    upstream: new Upstream(aim.target, kept?.memory ?? NO_MEMORY, __DEVELOPMENT__, context.now),
    error: kept?.error ?? null,
    latency: kept?.latency ?? null,
    refreshing: null,
    saved: kept === null ? null : { memory: kept.memory, error: kept.error },
  };
  live.set(aim.key, made);
  return made;
}

/** Reads the tool list if it is outdated. One at a time per server; never fails. */
function refresh(context: Context, session: Session, server: Found, live: LiveConnection): Refreshing {
  live.refreshing ??= {
    since: context.now(),
    done: list(context, session, server, live).finally(() => {
      live.refreshing = null;
      session.memory.connections.revision++;
      session.changed?.(context);
    }),
  };
  return live.refreshing;
}

async function list(context: Context, session: Session, { ref, aim }: Found, live: LiveConnection): Promise<void> {
  const start = context.now();
  const before = live.upstream.memory;
  try {
    const now = await live.upstream.list();
    live.error = null;
    if (now !== before.list) live.latency = context.now() - start;
  } catch (error) {
    if (!(error instanceof UpstreamFault)) throw error;
    live.error = error.message;
    live.latency = context.now() - start;
  }
  // A successful list counts only if the server failed here before.
  if (live.upstream.memory.breaker !== before.breaker) noteHealth(context, ref, before, live.upstream.memory);
  keep(context, session, aim, live);
}

/** Stores what outlives the object, unless the conversation was deleted or nothing changed. */
function keep(context: Context, session: Session, aim: ReachableServer, live: LiveConnection): void {
  const { memory } = live.upstream;
  const { error, latency, saved } = live;
  if (saved?.memory === memory && saved.error === error) return;
  session.memory.connections.revision++;
  if (session.ended) return;
  live.saved = { memory, error };
  // The session id is a response header that the server must receive unchanged, so only it has not passed the redactor. An id that contains
  // a secret is not stored as it is, and the next connection starts a new session.
  const state: ConnectionState = { memory: aim.target.redactor.json(memory), error, latency };
  session.store.upstreams.keep(aim.key, context.now(), state);
}
