// Trying a server out: connected to as the caller would, and its tools listed. Remembers nothing; what is wrong is said in words.

import { passes, restrictedToolTexts } from "../../domain/servers/guard";
import { NO_MEMORY, type UpstreamTool } from "../../domain/servers/memory";
import type { ApprovedTools, UserServerEntry } from "../../domain/servers/owner";
import { idleNames, isAllowed } from "../../domain/servers/tool-filter";
import { Upstream } from "../../upstream/client";
import { UpstreamFault } from "../../upstream/fault";
import type { Context } from "../context";
import { fillServerVariables } from "./variables";

/** What trying a server out told. `latency_ms` is the time to connect and list, or to fail. */
export interface ServerTest {
  reachable: boolean;
  latency_ms: number;
  protocol_version?: string | undefined;
  era?: "legacy" | "modern" | undefined;
  server?: { name: string; version: string } | undefined;
  /** Those that the entry offers. */
  tools: { name: string; description: string }[];
  /** What of its list is left out, and names in the entry that do nothing, in words. */
  problems: string[];
  error?: string | undefined;
}

interface Tried {
  name: string;
  entry: UserServerEntry;
  /** What its guard lets pass; `null`: it has none. */
  guard: ApprovedTools | null;
  /** Whose secrets it uses, where not all of the caller's. */
  shared: string | null;
}

/**
 * @param later takes what goes on when the answer is there
 * @returns what is told, and the tools that the entry offers as they were listed; `null` where the server was not reached
 */
export async function tryServer(
  context: Context,
  { name, entry, guard, shared }: Tried,
  later: (work: Promise<void>) => void,
): Promise<{ told: ServerTest; listed: UpstreamTool[] | null }> {
  const started = context.now();
  const failed = (error: string) => ({
    told: { reachable: false, latency_ms: context.now() - started, tools: [], problems: [], error },
    listed: null,
  });
  const filled = await fillServerVariables(context, { shared }, name, entry);
  if ("problem" in filled) return failed(filled.problem);
  const upstream = new Upstream(filled.target, NO_MEMORY, __DEVELOPMENT__, () => context.now());
  try {
    const { tools, problems } = await upstream.list();
    const { era, server } = upstream.memory;
    const listed = tools.filter((tool) => isAllowed(entry, tool.name));
    const withheld = listed.filter((tool) => !passes(guard, tool)).map((tool) => tool.name);
    const passed = listed.filter((tool) => passes(guard, tool));
    const names = tools.map((tool) => tool.name);
    const told: ServerTest = {
      reachable: true,
      latency_ms: context.now() - started,
      protocol_version: server?.protocol,
      era: era?.kind,
      server: server === null ? undefined : { name: server.name, version: server.version },
      tools: passed.map((tool) => ({ name: tool.name, description: tool.description })),
      problems: [...problems, ...restrictedToolTexts(guard ?? {}, withheld), ...idleNames(entry, names)],
    };
    return { told, listed };
  } catch (error) {
    if (!(error instanceof UpstreamFault)) throw error;
    return failed(error.message);
  } finally {
    // Not the caller's to wait for: the answer is there.
    later(upstream.end());
  }
}
