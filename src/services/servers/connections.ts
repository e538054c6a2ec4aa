// The connections of a conversation to its MCP servers: made when they are needed, remembered in its store, each under its own
// clock. What they say has passed the redactor of their target.

import type { OfferedServer } from "../../domain/conversation/offered";
import type { ServerRef } from "../../domain/conversation/servers";
import { DURATIONS } from "../../domain/durations";
import type { JsonObject } from "../../domain/json";
import { breakerState } from "../../domain/servers/breaker";
import { idleNames, isAllowed } from "../../domain/servers/choice";
import { passes, withheldTexts } from "../../domain/servers/guard";
import { NO_MEMORY } from "../../domain/servers/memory";
import { failed, type ToolResult } from "../../domain/tool";
import type { ConnectionState } from "../../storage/object/connections";
import { type CallOptions, Upstream } from "../../upstream/client";
import { UpstreamFault } from "../../upstream/fault";
import type { AskingCall } from "../asking/inquiry";
import type { Context } from "../context";
import type { Session } from "../session";
import type { LiveConnection } from "../session-memory";
import { type Reachable, reach } from "./reach";

/** What is known of servers now. Asks none of them. */
export async function offeredServers(
  context: Context,
  session: Session,
  refs: readonly ServerRef[],
): Promise<OfferedServer[]> {
  return Promise.all(
    refs.map(async (ref): Promise<OfferedServer> => {
      const aim = await reach(context, session, ref);
      const nothing = { ref, tools: [], withheld: [], latency: null, problems: [] };
      if (aim.problem !== undefined)
        return { ...nothing, state: aim.unsupported ? "unsupported" : "failed", error: aim.problem };
      return standing(ref, aim, liveAt(context, session, aim), context.now());
    }),
  );
}

/**
 * Connects servers whose tools are not known, or not any more, side by side, and waits for them as long as `patience` says. A server
 * that failed the last time is given a moment only. A server that takes longer goes on by itself, under its own deadline. Without
 * any patience all of them do.
 */
export async function connectServers(
  context: Context,
  session: Session,
  refs: readonly ServerRef[],
  patience: number,
): Promise<void> {
  const hopeful: Promise<void>[] = [];
  const doubtful: Promise<void>[] = [];
  for (const aim of await Promise.all(refs.map((ref) => reach(context, session, ref)))) {
    if (aim.problem !== undefined) continue;
    const live = liveAt(context, session, aim);
    const isHopeful = live.error === null;
    (isHopeful ? hopeful : doubtful).push(refresh(context, session, aim, live));
  }
  await Promise.all([atMost(hopeful, patience), atMost(doubtful, Math.min(patience, DURATIONS.patienceFailed))]);
}

async function atMost(work: readonly Promise<void>[], ms: number): Promise<void> {
  if (work.length === 0 || ms === 0) return;
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, ms);
  await Promise.race([Promise.all(work), late.promise]);
  clearTimeout(timer);
}

/** Calls a tool of a server. A failure is a tool result, too. */
export async function callServer(
  context: Context,
  session: Session,
  ref: ServerRef,
  tool: string,
  args: JsonObject,
  { call, ...options }: Omit<CallOptions, "inquiry"> & { shown: string; call: AskingCall },
): Promise<ToolResult> {
  const aim = await reach(context, session, ref);
  if (aim.problem !== undefined) return failed(`MCP tool '${options.shown}' failed: ${aim.problem}`);
  const live = liveAt(context, session, aim);
  const server = { kind: "server" as const, name: ref.name, host: new URL(aim.target.url).host };
  const inquiry = context.inquire?.(call, server);
  if (inquiry?.begun?.era === "legacy")
    return failed(
      `MCP tool '${options.shown}' failed: it was interrupted while it waited for an answer. It was not called again, since it may have acted.`,
    );
  const start = context.now();
  const result = await live.upstream.call(tool, args, { ...options, inquiry });
  inquiry?.close();
  live.latency = context.now() - start;
  keep(context, session, aim, live);
  const remarks = inquiry?.remarks ?? [];
  return { ...result, content: [...result.content, ...remarks.map((remark) => ({ type: "text", text: remark }))] };
}

/** The connections of a conversation to servers that keep a session for it, these and whatever is connected. */
export async function sessionsOf(context: Context, session: Session, refs: readonly ServerRef[]): Promise<Upstream[]> {
  for (const ref of refs) {
    const aim = await reach(context, session, ref);
    if (aim.problem === undefined) liveAt(context, session, aim);
  }
  const all = [...session.memory.connections.live.values()].map(({ upstream }) => upstream);
  return all.filter(({ memory }) => memory.session !== null && memory.session.id !== null);
}

/** Forgets servers that no turn had for a while. */
export function forgetUnused(session: Session, before: number): void {
  session.store.upstreams.dropUnusedSince(before);
}

function liveAt(context: Context, session: Session, aim: Reachable): LiveConnection {
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

/** Reads the list of tools where it is not fresh. One at a time; never fails. */
function refresh(context: Context, session: Session, aim: Reachable, live: LiveConnection): Promise<void> {
  live.refreshing ??= list(context, session, aim, live).finally(() => {
    live.refreshing = null;
    session.memory.connections.revision++;
    session.changed?.(context);
  });
  return live.refreshing;
}

async function list(context: Context, session: Session, aim: Reachable, live: LiveConnection): Promise<void> {
  const start = context.now();
  const before = live.upstream.memory.list;
  try {
    const now = await live.upstream.list();
    live.error = null;
    if (now !== before) live.latency = context.now() - start;
  } catch (error) {
    if (!(error instanceof UpstreamFault)) throw error;
    live.error = error.message;
    live.latency = context.now() - start;
  }
  keep(context, session, aim, live);
}

/** Writes down what outlives the object, unless the conversation is gone or nothing changed. */
function keep(context: Context, session: Session, aim: Reachable, live: LiveConnection): void {
  const { memory } = live.upstream;
  const { error, latency, saved } = live;
  if (saved?.memory === memory && saved.error === error) return;
  session.memory.connections.revision++;
  if (session.ended) return;
  live.saved = { memory, error };
  // A session's id came as a header and is the server's to read again: it alone has not passed the redactor. One with a secret in it
  // is not kept as it is, so the next connection begins a new session.
  const state: ConnectionState = { memory: aim.target.redactor.json(memory), error, latency };
  session.store.upstreams.keep(aim.key, context.now(), state);
}

function standing(ref: ServerRef, aim: Reachable, live: LiveConnection, now: number): OfferedServer {
  const { list: known, breaker } = live.upstream.memory;
  const { error, latency } = live;
  const allowed = error === null && known !== null ? known.tools.filter(({ name }) => isAllowed(aim.entry, name)) : [];
  const tools = allowed.filter((tool) => passes(ref.approved, tool));
  const withheld = allowed.filter((tool) => !passes(ref.approved, tool)).map(({ name }) => name);
  const isOpen = breakerState(breaker, now) === "open";
  const state = isOpen ? "open" : error !== null ? "failed" : known === null ? "connecting" : "connected";
  const told = error ?? (isOpen ? breaker.last : null);
  return {
    ref,
    state,
    tools,
    withheld,
    error: told,
    latency,
    problems:
      known === null
        ? []
        : [
            ...known.problems,
            ...withheldTexts(ref.approved ?? {}, withheld),
            ...idleNames(
              aim.entry,
              known.tools.map(({ name }) => name),
            ),
          ],
  };
}
