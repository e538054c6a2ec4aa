// A user's connection to an MCP server: where its encrypted parts belong, and what the page that asked for it must prove.

import { userScope } from "../access/access";

/** States of a connection, and reasons why one ended. */
export const CONNECTION_STATES = ["pending", "active", "ended"] as const;
export const CONNECTION_ENDS = ["invalid_grant", "rejected", "expired", "unreadable"] as const;
export type ConnectionEnd = (typeof CONNECTION_ENDS)[number];

/** A server that users sign in to: its owner's scope, and its name. */
export interface ConnectedServer {
  scope: string;
  server: string;
}

/** Where an encrypted value belongs. It cannot be decrypted as the value of another row. */
export interface SealPlace {
  scope: string;
  name: string;
}

export function connectionPlace({ userId, id }: { userId: string; id: string }): SealPlace {
  return { scope: userScope(userId), name: `connection/${id}` };
}

export function requestPlace({ userId, id }: { userId: string; id: string }): SealPlace {
  return { scope: userScope(userId), name: `connect-request/${id}` };
}

export function clientPlace({ issuer, redirectUri }: { issuer: string; redirectUri: string }): SealPlace {
  return { scope: "gateway", name: `upstream-client/${JSON.stringify([issuer, redirectUri])}` };
}

/** Returns the page that a user returns to, if its origin is allowed and it has no fragment; otherwise `null`. */
export function readReturnTo(text: string, allowed: readonly string[]): string | null {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "") return null;
  return text.includes("#") || !allowed.includes(url.origin) ? null : url.href;
}
