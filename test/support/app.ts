// Builds the gateway as `index.ts` does, for tests with other settings than the pool's.

import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { wholeApp } from "../../src/edges";

const app = await wholeApp();

/** Sends a request to a gateway with these settings and bindings in addition to the pool's. */
export async function askWith(
  settings: Record<string, unknown>,
  path: string,
  init: RequestInit = {},
  origin = "https://gateway.test",
): Promise<Response> {
  const context = createExecutionContext();
  const answer = await app.fetch(new Request(`${origin}${path}`, init), { ...env, ...settings }, context);
  await waitOnExecutionContext(context);
  return answer;
}

/** Like `askWith`, but does not wait for work that continues after the response. */
export async function beginWith(
  settings: Record<string, unknown>,
  path: string,
  init: RequestInit = {},
): Promise<Response> {
  return app.fetch(new Request(`https://gateway.test${path}`, init), { ...env, ...settings }, createExecutionContext());
}
