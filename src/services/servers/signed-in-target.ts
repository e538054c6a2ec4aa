// Adds the access token of the caller's connection to the address of a server.

import { GATEWAY_SCOPE, groupScope, userScope } from "../../domain/access/access";
import type { ConnectedServer } from "../../domain/connections/connection";
import { Recent } from "../../domain/recent";
import type { ServerEntry, ServerSource } from "../../domain/servers/entry";
import type { UpstreamTarget } from "../../domain/servers/memory";
import type { OAuthEntry } from "../../domain/servers/owner";
import { bothRedactors, makeRedactor, type Redactor } from "../../domain/servers/redactor";
import { usableToken } from "../connections/refresh";
import { connectionTo } from "../connections/tokens";
import type { Context } from "../context";
import { machineToken } from "./machine-account";

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

/** A server, and how the gateway gets tokens for it. `server` is `null` if users do not sign in to it. */
export interface SignInParts {
  server: ConnectedServer | null;
  entry: ServerEntry;
  oauth: OAuthEntry | null | undefined;
}

/**
 * Returns the address with an access token, and the id of the caller's connection; the unchanged address and `null` if the caller is not
 * connected. A machine account needs no connection.
 *
 * @throws UpstreamFault
 */
export async function signedInTarget(
  context: Context,
  { server, entry, oauth }: SignInParts,
  target: UpstreamTarget,
): Promise<{ target: UpstreamTarget; connection: string | null }> {
  if (server === null || hasCredentials(entry)) return { target, connection: null };
  // The user signed in at one origin. Whoever can change the entry must not direct the token to another.
  const { origin } = new URL(target.url);
  const isElsewhere = target.instances?.some(({ url }) => new URL(url).origin !== origin) ?? false;
  if (isElsewhere && oauth?.grant !== "client_credentials") return { target, connection: null };
  if (oauth?.grant === "client_credentials")
    return { target: await asMachine(context, server, oauth, target), connection: null };
  const row = await connectionTo(context, server, target.url);
  const token = row === null ? null : await usableToken(context, row, null);
  // What is known of the server stays known after its connection ended.
  if (row === null || token === null)
    return { target: { ...target, signIn: { renew: null } }, connection: row?.id ?? null };
  const renew = async (rejected: UpstreamTarget["headers"]) => {
    const next = await usableToken(context, row, tokenIn(rejected));
    return next === null ? null : withToken(target, server, next);
  };
  return { target: { ...target, ...withToken(target, server, token), signIn: { renew } }, connection: row.id };
}

async function asMachine(
  context: Context,
  server: ConnectedServer,
  { client_id: id = "", client_secret: secret, scopes }: OAuthEntry,
  target: UpstreamTarget,
): Promise<UpstreamTarget> {
  const shared = server.scope === GATEWAY_SCOPE ? null : server.scope;
  const token = (rejected: string | null) =>
    machineToken(context, { client: { id, secret, shared }, scopes }, target, rejected);
  const renew = async (rejected: UpstreamTarget["headers"]) =>
    withToken(target, server, await token(tokenIn(rejected)));
  return { ...target, ...withToken(target, server, await token(null)), signIn: { renew } };
}

function withToken({ headers, redactor }: UpstreamTarget, { server }: ConnectedServer, access: string) {
  return {
    headers: { ...headers, authorization: `Bearer ${access}` },
    redactor: bothRedactors(redactor, tokenRedactor(server, access)),
  };
}

const tokenIn = ({ authorization = "" }: UpstreamTarget["headers"]) => authorization.slice("Bearer ".length);

/** Redactors by token: creating one costs more than a call. */
const redactors = new Recent<string, Redactor>(500);

function tokenRedactor(server: string, access: string): Redactor {
  const before = redactors.get(access);
  if (before !== undefined) return before;
  const made = makeRedactor([{ name: `token of ${server}`, value: access }]);
  redactors.set(access, made);
  return made;
}
