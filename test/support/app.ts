// The gateway as `index.ts` puts it together, for tests that give it other settings than the pool's.

import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { wholeApp } from "../../src/edges";

const app = await wholeApp();

/** Sends a request to a gateway that has these settings and bindings besides the pool's. */
export async function askWith(
  settings: Record<string, unknown>,
  path: string,
  init: RequestInit = {},
): Promise<Response> {
  const context = createExecutionContext();
  const answer = await app.fetch(new Request(`https://gateway.test${path}`, init), { ...env, ...settings }, context);
  await waitOnExecutionContext(context);
  return answer;
}

/** The same, and what goes on behind the answer is not waited for. */
export async function beginWith(
  settings: Record<string, unknown>,
  path: string,
  init: RequestInit = {},
): Promise<Response> {
  return app.fetch(new Request(`https://gateway.test${path}`, init), { ...env, ...settings }, createExecutionContext());
}
