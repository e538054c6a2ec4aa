// What several tests of the socket need: times, a page that is sent away, a key that can be revoked.

import { call } from "../../../support/call";
import { Page } from "../../../support/page";

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;

/** How a socket that may not come in is sent away. */
export async function sentAway(conversation: string, options: Parameters<typeof Page.open>[1]): Promise<number> {
  return (await (await Page.open(conversation, options)).closed).code;
}

/** Makes a key for a user and a way to revoke it. */
export async function revocable(user_id: string, more: Record<string, unknown> = {}) {
  const made = await call("POST", "/api/v1/keys", { json: { user_id, ...more } });
  const { id, key } = await made.json<{ id: string; key: string }>();
  return { key, revoke: () => call("DELETE", `/api/v1/keys/${id}`) };
}
