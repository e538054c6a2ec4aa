// Tests a server: connects as the caller would and lists its tools. Stores nothing and reports problems as texts.

import { GATEWAY_SCOPE } from "../../domain/access/access";
import { passes, restrictedToolTexts } from "../../domain/servers/guard";
import { NO_MEMORY, type UpstreamTool } from "../../domain/servers/memory";
import type { ApprovedTools, UserServerEntry } from "../../domain/servers/owner";
import { idleNames, isAllowed } from "../../domain/servers/tool-filter";
import { Upstream } from "../../upstream/client";
import { UpstreamFault } from "../../upstream/fault";
import type { Context } from "../context";
import { signedInTarget } from "./signed-in-target";
import { fillServerVariables } from "./variables";

/** Result of a test. `latency_ms` is the time to connect and list, or to fail. */
export interface ServerTest {
  reachable: boolean;
  latency_ms: number;
  protocol_version?: string | undefined;
  era?: "legacy" | "modern" | undefined;
  server?: { name: string; version: string } | undefined;
  /** The tools that the entry offers. */
  tools: { name: string; description: string }[];
  /** Tools left out of the list, and names in the entry that have no effect. */
  problems: string[];
  error?: string | undefined;
}

interface Tried {
  name: string;
  entry: UserServerEntry;
  /** The tools that its guard allows; `null`: no guard. */
  guard: ApprovedTools | null;
  /** The scope of its owner. */
  scope: string;
}

/**
 * @param later receives work that continues after the response
 * @returns the result, and the offered tools as listed; `null` if the server was not reached
 */
export async function tryServer(
  context: Context,
  { name, entry, guard, scope }: Tried,
  later: (work: Promise<void>) => void,
): Promise<{ told: ServerTest; listed: UpstreamTool[] | null }> {
  const started = context.now();
  const failed = (error: string) => ({
    told: { reachable: false, latency_ms: context.now() - started, tools: [], problems: [], error },
    listed: null,
  });
  const read = async (upstream: Upstream) => ({ ...(await upstream.list()), memory: upstream.memory });
  try {
    const { tools, problems, memory } = await withServerConnection(context, { name, entry, scope }, later, read);
    const { era, server } = memory;
    const listed = tools.filter((tool) => isAllowed(entry, tool.name));
    const restricted = listed.filter((tool) => !passes(guard, tool)).map((tool) => tool.name);
    const passed = listed.filter((tool) => passes(guard, tool));
    const names = tools.map((tool) => tool.name);
    const told: ServerTest = {
      reachable: true,
      latency_ms: context.now() - started,
      protocol_version: server?.protocol,
      era: era?.kind,
      server: server === null ? undefined : { name: server.name, version: server.version },
      tools: passed.map((tool) => ({ name: tool.name, description: tool.description })),
      problems: [...problems, ...restrictedToolTexts(guard ?? {}, restricted), ...idleNames(entry, names)],
    };
    return { told, listed };
  } catch (error) {
    if (!(error instanceof UpstreamFault)) throw error;
    return failed(error.message);
  }
}

/**
 * Connects to a stored server as the caller, outside of a conversation, and runs the work. Nothing is stored.
 *
 * @param later receives the end of the session, for which the caller does not wait
 * @throws UpstreamFault
 */
export async function withServerConnection<T>(
  context: Context,
  { name, entry, scope }: Omit<Tried, "guard">,
  later: (work: Promise<void>) => void,
  work: (upstream: Upstream) => Promise<T>,
): Promise<T> {
  const shared = scope === GATEWAY_SCOPE ? null : scope;
  const filled = await fillServerVariables(context, { shared }, name, entry);
  if ("problem" in filled) throw new UpstreamFault("refused", filled.problem);
  const signIn = { server: { scope, server: name }, entry, oauth: entry.oauth };
  const { target } = await signedInTarget(context, signIn, filled.target);
  const upstream = new Upstream(target, NO_MEMORY, __DEVELOPMENT__, () => context.now());
  try {
    return await work(upstream);
  } finally {
    later(upstream.end());
  }
}
