// Clears the test isolate's cache of callers. The gateway invalidates its own writes, but tests that write to tables directly must clear
// the cache.

import { exchangeMemories } from "../../src/services/access/identity-cache";
import { perFile } from "./per-file";

/** Clears the cache, as in a new isolate. */
export function forgetCallers(): void {
  exchangeMemories();
}

/** For databases that tests write to instead of the gateway. */
export const forgetting = { wrote: forgetCallers };

await perFile(forgetCallers);
