// Gets access tokens for servers at which the gateway itself has an account (OAuth client credentials).

import { CONNECTION_TIMES } from "../../domain/connections/limits";
import { Recent } from "../../domain/recent";
import type { UpstreamTarget } from "../../domain/servers/memory";
import { secretsIn } from "../../domain/servers/template";
import { discoverSignIn, IssuerRefusal, requestClientToken } from "../../upstream/authorization";
import { faultIn, UpstreamFault } from "../../upstream/fault";
import type { Context } from "../context";
import { usableSecrets } from "../secrets/secrets";
import { type NamedClient, namedClient } from "./named-client";

/** The account: a client of the entry, and the scopes that the entry names. */
export interface MachineAccount {
  client: NamedClient;
  scopes: readonly string[] | undefined;
}

/** A token, or the reason for which there is none. */
interface Issued {
  at: number;
  until: number;
  access: string | UpstreamFault;
}

/** Tokens and recent failures of this isolate. Each isolate gets a token of its own, which only its memory contains. */
const issued = new Recent<string, Issued>(200);

/**
 * Returns an access token for a server. Users with the same secret share it.
 *
 * @param rejected the token that the server rejected, if it rejected one
 * @throws UpstreamFault
 */
export async function machineToken(
  context: Context,
  account: MachineAccount,
  target: UpstreamTarget,
  rejected: string | null,
): Promise<string> {
  const { id, secret = "", shared } = account.client;
  // A user's own secret of this name is another account, and a changed secret another token.
  const secrets = await usableSecrets(context, secretsIn([secret]), shared);
  const key = JSON.stringify([id, [...secrets.values()], account.scopes, target.url]);
  const known = issued.get(key);
  const isUsable = known !== undefined && context.now() < known.until && known.access !== rejected;
  if (!isUsable && known?.access === rejected && context.now() - known.at < CONNECTION_TIMES.rejectedAgain)
    throw new UpstreamFault("refused", "it rejects the access tokens of its client");
  const now = isUsable ? known : await tokenNow(context, account, target);
  if (!isUsable) issued.set(key, now);
  if (typeof now.access === "string") return now.access;
  throw now.access;
}

async function tokenNow(context: Context, account: MachineAccount, target: UpstreamTarget): Promise<Issued> {
  const at = context.now();
  try {
    const { access, life } = await requested(context, account, target);
    const until = life === null ? Number.POSITIVE_INFINITY : at + Math.max(life - CONNECTION_TIMES.early, life / 2);
    return { at, until, access };
  } catch (error) {
    const fault = faultOf(error);
    if (fault === null) throw error;
    // Calls and turns do not wait for an issuer that has just failed.
    return { at, until: context.now() + CONNECTION_TIMES.machineFailure, access: fault };
  }
}

function faultOf(error: unknown): UpstreamFault | null {
  const fault = faultIn(error);
  if (fault !== null) return new UpstreamFault(fault.kind, `its client gets no access token: ${fault.message}`);
  if (!(error instanceof IssuerRefusal)) return null;
  return new UpstreamFault("refused", `its client gets no access token: ${error.message}`);
}

async function requested(context: Context, { client: named, scopes }: MachineAccount, target: UpstreamTarget) {
  const found = await discoverSignIn(target, __DEVELOPMENT__);
  if (found === null) throw new UpstreamFault("refused", "the server does not ask for a token");
  const client = await namedClient(context, found.server, named);
  if ("problem" in client) throw new UpstreamFault("refused", client.problem);
  const scope = scopes?.join(" ") ?? found.scope;
  return requestClientToken(found.server, { client, scope, resource: found.resource }, __DEVELOPMENT__);
}
