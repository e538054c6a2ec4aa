// Reads the rest of a request body when the response is known. If the connection closed while a client still writes, the client would see a
// broken connection instead of the response: a bad key would look like an outage.

import { createMiddleware } from "hono/factory";
import { DURATIONS } from "../domain/durations";
import { REQUEST_LIMITS } from "../domain/limits";
import type { HttpEnv } from "./edge";

/**
 * Reads and discards the rest of the body, if the response was created without it. The caller is unauthenticated, so this is limited:
 * longer declared bodies are left unread, and longer or slow ones are aborted.
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
    // The client is gone.
  } finally {
    clearTimeout(timer);
  }
}
