// Clients that admins register for hosts that require an id and a secret, and their authentication.

import { sha256Hex } from "../../domain/digest";
import { GatewayError, invalid } from "../../domain/errors";
import { displayClientName } from "../../domain/sign-in/client";
import { SIGN_IN_LIMITS } from "../../domain/sign-in/limits";
import { preRegisteredClientName, writeClientSecret } from "../../domain/sign-in/pre-registered";
import { destinationOf } from "../../domain/sign-in/redirect";
import {
  deletePreRegisteredClient,
  listPreRegisteredClients,
  type PreRegisteredClientRow,
  putPreRegisteredClient,
  readPreRegisteredClient,
} from "../../storage/d1/sign-in/pre-registered-clients";
import { requireAdmin } from "../admin";
import { audited } from "../audit";
import type { Context } from "../context";
import type { SignInContext } from "./context";
import { requireOwnSignIn } from "./links";

/** Metadata that an admin enters for a client. */
export interface PreRegisteredClientMetadata {
  displayName: string;
  redirectUris: readonly string[];
}

/** A client, and for a new one its secret, which is returned only here. */
export interface StoredPreRegisteredClient {
  row: PreRegisteredClientRow;
  secret: string | null;
}

/** Stores a whole client under its name. An existing client keeps its secret. */
export async function storePreRegisteredClient(
  context: Context,
  name: string,
  { displayName, redirectUris }: PreRegisteredClientMetadata,
): Promise<StoredPreRegisteredClient> {
  requireAdmin(context.caller.principal);
  requireOwnSignIn(context);
  const unusable = redirectUris.flatMap((uri, index) => (destinationOf(uri) === null ? [index] : []));
  const message =
    "The redirect URI cannot be used. Use an https address, http on this machine, or the program's own scheme.";
  if (unusable.length > 0)
    throw invalid(unusable.map((index) => ({ code: "INVALID_FIELD", message, path: `redirect_uris.${index}` })));
  const secret = writeClientSecret(crypto.getRandomValues(new Uint8Array(32)));
  const client = {
    ...{ name, displayName: displayClientName(displayName), redirectUris: [...new Set(redirectUris)] },
    ...{ secretHash: await sha256Hex(secret), createdBy: context.caller.principal.userId },
  };
  const after = { display_name: client.displayName, redirect_uris: client.redirectUris };
  const recorded = audited(context, "oauth_client.put", name, { after, when: "is" });
  const stored = await putPreRegisteredClient(recorded, client, SIGN_IN_LIMITS.knownClients);
  if (stored !== null) return { row: stored.row, secret: stored.created ? secret : null };
  const full = `Client limit reached (${SIGN_IN_LIMITS.knownClients}). Delete a client first.`;
  throw new GatewayError("conflict", "QUOTA_EXCEEDED", full, { limit: SIGN_IN_LIMITS.knownClients });
}

/** Returns a page by name; `after` is the last name of the previous page. */
export function pageOfPreRegisteredClients(
  context: Context,
  limit: number,
  after: string | null,
): Promise<PreRegisteredClientRow[]> {
  requireAdmin(context.caller.principal);
  return listPreRegisteredClients(context.db, limit, after);
}

/** Deletes a client and ends its grants. */
export async function removePreRegisteredClient(context: Context, name: string): Promise<void> {
  requireAdmin(context.caller.principal);
  const recorded = audited(context, "oauth_client.delete", name, { when: "was" });
  if (await deletePreRegisteredClient(recorded, name)) return;
  throw new GatewayError("not_found", "OAUTH_CLIENT_NOT_FOUND", "OAuth client not found. Check the name.");
}

/** The client id presented at the token endpoint, and the secret if one was sent. */
export interface PresentedClient {
  id: string;
  secret: string | null;
}

/**
 * Throws unless a pre-registered client presents its secret. Other clients are public; a secret they send is ignored. Guesses are not
 * counted, because secrets have 256 bits and many users' hosts share an address.
 */
export async function proveClient(context: SignInContext, { id, secret }: PresentedClient): Promise<void> {
  const name = preRegisteredClientName(id);
  if (name === null) return;
  const known = await readPreRegisteredClient(context.db, name);
  if (known === null || secret === null || known.secretHash !== (await sha256Hex(secret))) throw unprovenClient();
}

export function unprovenClient(): GatewayError {
  const message = "The client id and secret do not match, or an admin removed the client. Check both values.";
  return new GatewayError("unauthenticated", "INVALID_CLIENT", message);
}
