// Adds the access token of the caller's connection to the address of a server.

import { GATEWAY_SCOPE, groupScope, userScope } from "../../domain/access/access";
import type { ConnectedServer } from "../../domain/connections/connection";
import { Recent } from "../../domain/recent";
import type { ServerEntry, ServerSource } from "../../domain/servers/entry";
import type { UpstreamTarget } from "../../domain/servers/memory";
import { bothRedactors, makeRedactor, type Redactor } from "../../domain/servers/redactor";
import { usableToken } from "../connections/refresh";
import { connectionTo } from "../connections/tokens";
import type { Context } from "../context";

/** The server of a stored entry; `null` for servers of ghosts and skills, to which users do not sign in. */
export function connectedServerOf({ caller }: Context, name: string, source: ServerSource): ConnectedServer | null {
  switch (source.kind) {
    case "gateway":
      return { scope: GATEWAY_SCOPE, server: name };
    case "group":
      return { scope: groupScope(source.group), server: name };
    case "user":
      return { scope: userScope(caller.principal.userId), server: name };
    default:
      return null;
  }
}

/** Whether an entry contains the credentials of its server. */
export function hasCredentials({ headers = {} }: ServerEntry): boolean {
  return Object.keys(headers).some((name) => name.toLowerCase() === "authorization");
}

/**
 * Returns the address with the caller's access token, and the id of the connection; the unchanged address and `null` if the caller is not
 * connected.
 */
export async function signedInTarget(
  context: Context,
  server: ConnectedServer | null,
  entry: ServerEntry,
  target: UpstreamTarget,
): Promise<{ target: UpstreamTarget; connection: string | null }> {
  if (server === null || hasCredentials(entry)) return { target, connection: null };
  const row = await connectionTo(context, server, target.url);
  const token = row === null ? null : await usableToken(context, row, null);
  // What is known of the server stays known after its connection ended.
  if (row === null || token === null)
    return { target: { ...target, signIn: { renew: null } }, connection: row?.id ?? null };
  const withToken = (access: string) => ({
    headers: { ...target.headers, authorization: `Bearer ${access}` },
    redactor: bothRedactors(target.redactor, tokenRedactor(server.server, access)),
  });
  const renew = async (rejected: UpstreamTarget["headers"]) => {
    const next = await usableToken(context, row, (rejected.authorization ?? "").slice("Bearer ".length));
    return next === null ? null : withToken(next);
  };
  return { target: { ...target, ...withToken(token), signIn: { renew } }, connection: row.id };
}

/** Redactors by token: creating one costs more than a call. */
const redactors = new Recent<string, Redactor>(500);

function tokenRedactor(server: string, access: string): Redactor {
  const before = redactors.get(access);
  if (before !== undefined) return before;
  const made = makeRedactor([{ name: `token of ${server}`, value: access }]);
  redactors.set(access, made);
  return made;
}
