// The instances of servers that this isolate knows to be down, and the probes that return them.

import { Recent } from "../domain/recent";
import {
  chooseInstance,
  type Ejection,
  ejectionAfter,
  type Instance,
  isInstanceDown,
  isNotSent,
} from "../domain/servers/instances";
import type { UpstreamTarget } from "../domain/servers/memory";
import { UpstreamFault } from "./fault";
import { guardedFetch } from "./fetch";

const PROBE_MS = 5_000;

/** By URL. In memory only, because URLs can contain secrets. */
const ejections = new Recent<string, Ejection>(1_000);

/** Returns an instance of the target, other than these if possible; `null` if it has one address only. Starts probes that are due. */
export function pickInstance(
  { instances = [] }: UpstreamTarget,
  { now, development, except = null }: { now: number; development: boolean; except?: string | null },
): Instance | null {
  if (instances.length === 0) return null;
  for (const { url } of instances) {
    const ejection = ejections.get(url);
    if (ejection !== undefined && ejection.until <= now) void probe(url, ejection, now, development);
  }
  const others = except === null ? instances : instances.filter(({ url }) => url !== except);
  return chooseInstance(others, Math.random(), (url) => ejections.get(url));
}

/** Whether an instance is not used at the moment. */
export function isEjected(url: string): boolean {
  return ejections.get(url) !== undefined;
}

/** Whether a failure is one of the instance, so that another can do better. A slow answer is not. */
export function isOfInstance({ kind, status }: UpstreamFault): boolean {
  return kind === "unreachable" || kind === "closed" || (status !== null && isInstanceDown(status));
}

/** Whether the server has certainly not received the request. A lost connection and a refused one look the same here. */
export function wasNotSent({ status }: UpstreamFault): boolean {
  return isNotSent(status);
}

/** Returns an instance to use after a successful check. */
export function readmit(url: string): void {
  ejections.delete(url);
}

/** Takes an instance out of use after a failure. */
export function eject(url: string, now: number): void {
  ejections.set(url, ejectionAfter(ejections.get(url), now));
}

/**
 * Asks an ejected instance for any response, and returns it to use. No call of a user tries it first. The request has no credentials: an
 * instance that is up rejects it.
 */
async function probe(url: string, ejection: Ejection, now: number, development: boolean): Promise<void> {
  // Another probe begins only after this one must have ended, also if its request is cancelled with the call that started it.
  ejections.set(url, { ...ejection, until: now + PROBE_MS });
  const guard = { development, headersMs: PROBE_MS, totalMs: PROBE_MS, bytes: null };
  try {
    const response = await guardedFetch(url, { headers: { accept: "application/json" } }, guard);
    await response.body?.cancel();
    if (isInstanceDown(response.status)) ejections.set(url, ejectionAfter({ ...ejection, until: now }, now));
    else ejections.delete(url);
  } catch (error) {
    if (!(error instanceof UpstreamFault)) throw error;
    ejections.set(url, ejectionAfter({ ...ejection, until: now }, now));
  }
}
