// What a request still sends when its answer is known. On a connection that closes while a client writes, the client sees the broken
// connection and not the answer: a bad key would look like a gateway that is down.

import { createMiddleware } from "hono/factory";
import { DURATIONS } from "../domain/durations";
import { REQUEST_LIMITS } from "../domain/limits";
import type { HttpEnv } from "./env";

/**
 * Lets the client finish what it sends, if the answer was made without it, and forgets it. Nobody is known yet, so there is a bound:
 * a body that says it is longer is left alone, one that turns out so, or is slow, is given up, and its connection breaks.
 */
export const drainBody = createMiddleware<HttpEnv>(async (c, next) => {
  const { body, headers } = c.req.raw;
  await next();
  if (body === null || body.locked || c.res.status === 101) return;
  if (Number(headers.get("content-length") ?? 0) > REQUEST_LIMITS.unreadBytes) return;
  await forget(body);
});

async function forget(body: ReadableStream<Uint8Array>): Promise<void> {
  const reader = body.getReader();
  const late = Promise.withResolvers<null>();
  const timer = setTimeout(() => late.resolve(null), DURATIONS.hearOut);
  try {
    for (let left = REQUEST_LIMITS.unreadBytes; left >= 0; ) {
      const part = await Promise.race([reader.read(), late.promise]);
      if (part === null || part.done) return;
      left -= part.value.byteLength;
    }
  } catch {
    // The client is gone, and nobody waits for the answer.
  } finally {
    clearTimeout(timer);
  }
}
