// What the isolate of the tests remembers of callers. The gateway forgets by itself what it wrote; a test that writes past it says so.

import { exchangeMemories } from "../../src/services/access/identity-cache";
import { perFile } from "./per-file";

/** From now on the isolate knows nobody, as one that has just started. */
export function forgetCallers(): void {
  exchangeMemories();
}

/** For databases that tests write to in the gateway's place. */
export const forgetting = { wrote: forgetCallers };

await perFile(forgetCallers);
