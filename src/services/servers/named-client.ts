// Returns the OAuth client that the entry of a server names.

import type { AuthorizationServer, UpstreamClient } from "../../domain/connections/authorization-server";
import { bindingProblem } from "../../domain/servers/binding";
import { secretsIn } from "../../domain/servers/template";
import type { Context } from "../context";
import { usableSecrets } from "../secrets/secrets";

/** A client of an entry: its id, the variable of its secret, and the scope of secrets, or `null` for all that the caller can use. */
export interface NamedClient {
  id: string;
  secret: string | undefined;
  shared: string | null;
}

/** Returns a client with its secret, which must be bound to the hosts of all endpoints that receive it; otherwise the problem. */
export async function namedClient(
  context: Context,
  { token_endpoint, revocation_endpoint = token_endpoint }: AuthorizationServer,
  { id, secret: template, shared }: NamedClient,
): Promise<UpstreamClient | { problem: string }> {
  if (template === undefined) return { client_id: id, token_endpoint_auth_method: "none" };
  const [name = ""] = secretsIn([template]);
  const secret = (await usableSecrets(context, [name], shared)).get(name);
  if (secret === undefined) return { problem: `the secret '${name}' was not found` };
  for (const endpoint of [token_endpoint, revocation_endpoint]) {
    const problem = bindingProblem(secret.hosts, new URL(endpoint), __DEVELOPMENT__);
    if (problem !== null) return { problem: `the secret '${name}' ${problem}` };
  }
  return { client_id: id, client_secret: secret.value };
}
