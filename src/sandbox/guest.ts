// Loads the harness of a script's isolate from a static asset, as text. As a module of the Worker it would be compiled at every start,
// although few requests run a script.

import { sha256Hex } from "../domain/digest";
import { DURATIONS } from "../domain/durations";
import { GatewayError } from "../domain/errors";

export interface Guest {
  text: string;
  digest: string;
}

// The value is cached, not its promise, which would depend on the I/O of the first request.
const read = new Map<string, Guest>();

/** @throws GatewayError `unavailable` if it cannot be read; the next call tries again */
export async function readGuest(assets: Pick<Fetcher, "fetch">, name: string): Promise<Guest> {
  const before = read.get(name);
  if (before !== undefined) return before;
  try {
    const signal = AbortSignal.timeout(DURATIONS.start);
    const response = await assets.fetch(`https://assets.local/sandbox/${name}`, { signal });
    const text = await response.text();
    if (!response.ok) throw new Error(`The asset sandbox/${name} answered ${response.status}.`);
    const guest = { text, digest: await sha256Hex(text) };
    read.set(name, guest);
    return guest;
  } catch (cause) {
    const refusal = new GatewayError(
      "unavailable",
      "SANDBOX_UNAVAILABLE",
      "Scripts cannot be run at the moment. Try again.",
    );
    refusal.cause = cause;
    throw refusal;
  }
}
