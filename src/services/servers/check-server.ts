// Checks whether a server of the gateway answers: one handshake with each address, without a user.

import { GATEWAY_SCOPE } from "../../domain/access/access";
import { DURATIONS } from "../../domain/durations";
import { NO_MEMORY, type UpstreamTarget } from "../../domain/servers/memory";
import type { GatewayServerEntry } from "../../domain/servers/owner";
import { variablesIn } from "../../domain/servers/template";
import { Upstream } from "../../upstream/client";
import { UpstreamFault } from "../../upstream/fault";
import { eject, isOfInstance, readmit } from "../../upstream/instances";
import type { Context } from "../context";
import { signedInTarget } from "./signed-in-target";
import { fillServerVariables } from "./variables";

/** Result for one address. `url` has unfilled variables; `problem` is `null` if the server answered. */
export interface CheckedAddress {
  url: string;
  ms: number;
  problem: string | null;
}

/** Returns the addresses of a server as in its entry; none if they depend on the user, because then nobody can be checked for. */
export function checkableAddresses({ url, urls = [] }: GatewayServerEntry): string[] {
  const all = urls.length === 0 ? [url] : urls.map((one) => one.url);
  return variablesIn(all).others.length === 0 ? all : [];
}

/**
 * Connects to each address of a server, and ends the sessions. A server that requires a user's sign-in counts as answering. Headers that
 * depend on the user are not sent, so that a rejection for missing credentials counts as answering, too.
 *
 * @param visit runs on the first connection that works, and must not throw an `UpstreamFault`
 */
export async function checkServer(
  context: Context,
  { name, entry }: { name: string; entry: GatewayServerEntry },
  visit: (upstream: Upstream) => Promise<void>,
): Promise<CheckedAddress[]> {
  const urls = checkableAddresses(entry);
  const all = Object.entries(entry.headers ?? {});
  const headers = all.filter(([, value]) => variablesIn([value]).others.length === 0);
  const isComplete = headers.length === all.length;
  const target = await targetOf(context, name, { ...entry, headers: Object.fromEntries(headers) });
  if ("problem" in target) return urls.map((url) => ({ url, ms: 0, problem: target.problem }));
  let isVisited = false;
  const checked: CheckedAddress[] = [];
  const addresses = target.instances?.map(({ url }) => url) ?? [target.url];
  for (const [n, address] of addresses.entries()) {
    const { instances: _, ...one } = target;
    const upstream = new Upstream({ ...one, url: address }, NO_MEMORY, __DEVELOPMENT__, () => context.now());
    const started = context.now();
    const fault = await faultOfReach(upstream);
    const ms = context.now() - started;
    const isUp = fault === null || isAnswer(fault, isComplete);
    if (isUp) readmit(address);
    else if (isOfInstance(fault)) eject(address, context.now());
    checked.push({ url: urls[n] ?? "", ms, problem: isUp ? null : fault.message });
    if (fault === null && !isVisited) {
      isVisited = true;
      await visit(upstream);
    }
    context.later(upstream.end());
  }
  return checked;
}

async function faultOfReach(upstream: Upstream): Promise<UpstreamFault | null> {
  try {
    await upstream.reach();
    return null;
  } catch (error) {
    if (error instanceof UpstreamFault) return error;
    throw error;
  }
}

/** Whether a failure still means that the server is up. */
function isAnswer({ kind, status }: UpstreamFault, isComplete: boolean): boolean {
  return kind === "sign_in" || (!isComplete && (status === 401 || status === 403));
}

async function targetOf(
  context: Context,
  name: string,
  entry: GatewayServerEntry,
): Promise<UpstreamTarget | { problem: string }> {
  const filled = await fillServerVariables(context, { shared: null }, name, entry);
  if ("problem" in filled) return filled;
  const signIn = { server: { scope: GATEWAY_SCOPE, server: name }, entry, oauth: entry.oauth };
  try {
    const { target } = await signedInTarget(context, signIn, filled.target);
    const shorter = (ms: number) => Math.min(ms, DURATIONS.serverCheck);
    return { ...target, connectMs: shorter(target.connectMs), callMs: shorter(target.callMs) };
  } catch (error) {
    if (error instanceof UpstreamFault) return { problem: error.message };
    throw error;
  }
}
