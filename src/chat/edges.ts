// The edges for the vendors' protocols: /openai/v1 and /anthropic/v1. The handlers are loaded with the first request.

import type { Context as HonoContext } from "hono";
import { crossOriginChat } from "../edge/cors";
import type { Edge, HttpEnv } from "../edge/edge";
import { router } from "../edge/router";

/** Cached from the first request on, because another `import()` would be one more wait. */
let endpoint: typeof import("./endpoint") | null = null;

async function loaded(): Promise<typeof import("./endpoint")> {
  endpoint ??= await import("./endpoint");
  return endpoint;
}

const handler = async (c: HonoContext<HttpEnv>) => (await loaded()).answerVendor(c);
const errors = async (error: unknown, c: HonoContext<HttpEnv>) => (await loaded()).answerVendorError(error, c);

function edgeAt(prefix: `/${string}`): Edge {
  const routes = router();
  routes.all(`${prefix}/*`, handler);
  return { prefix, cors: [crossOriginChat], routes, errors };
}

export const openaiEdge = edgeAt("/openai");
export const anthropicEdge = edgeAt("/anthropic");
