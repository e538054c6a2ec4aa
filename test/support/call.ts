// Sends JSON requests to the Worker's own fetch handler.

import { exports } from "cloudflare:workers";
import { holdAgainstDocument } from "./document";
import { openApiText } from "./openapi";

export const ADMIN_KEY = "sgw_test_admin_key_for_the_pool_only";
const ORIGIN = "https://gateway.test";

export interface CallOptions {
  /** Defaults to the admin key; `null` sends none. */
  key?: string | null;
  /** Sent as `On-Behalf-Of`. */
  as?: string;
  json?: unknown;
  body?: BodyInit;
  headers?: Record<string, string>;
}

/** Sends one request and checks the response against the OpenAPI document. */
export async function call(method: string, path: string, options: CallOptions = {}): Promise<Response> {
  const headers = new Headers(options.headers);
  const key = options.key === undefined ? ADMIN_KEY : options.key;
  if (key !== null) headers.set("authorization", `Bearer ${key}`);
  if (options.as !== undefined) headers.set("on-behalf-of", options.as);
  if (options.json !== undefined && !headers.has("content-type")) headers.set("content-type", "application/json");
  const body = options.json === undefined ? options.body : JSON.stringify(options.json);
  const answer = await exports.default.fetch(`${ORIGIN}${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body }),
  });
  await holdAgainstDocument(openApiText, method, path, answer);
  return answer;
}

/** Creates a key for a user and returns it. */
export async function keyFor(userId: string, more: Record<string, unknown> = {}): Promise<string> {
  const answer = await call("POST", "/api/v1/keys", { json: { user_id: userId, ...more } });
  const { key } = await answer.json<{ key: string }>();
  return key;
}
