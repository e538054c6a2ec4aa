// Helpers for socket tests: times, a rejected page, and a revocable key.

import { call } from "../../../support/call";
import { Page } from "../../../support/page";

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;

/** Returns the close code of a socket that is rejected. */
export async function sentAway(conversation: string, options: Parameters<typeof Page.open>[1]): Promise<number> {
  return (await (await Page.open(conversation, options)).closed).code;
}

/** Creates a key for a user. Returns it with a function that revokes it. */
export async function revocable(user_id: string, more: Record<string, unknown> = {}) {
  const made = await call("POST", "/api/v1/keys", { json: { user_id, ...more } });
  const { id, key } = await made.json<{ id: string; key: string }>();
  return { key, revoke: () => call("DELETE", `/api/v1/keys/${id}`) };
}
