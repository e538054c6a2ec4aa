// Restricts packages that contain a credential and were published before that was rejected: only owners of the scope can read their files.

import { kindOfScope, ownsScope, PUBLIC_SCOPE } from "../../domain/access/access";
import { GatewayError } from "../../domain/errors";
import type { JsonObject } from "../../domain/json";
import { literalCredentials } from "../../domain/package/credentials";
import type { Context } from "../context";

/** Returns why the caller cannot read files of a version; `null` if it can. */
export function restrictionReason(context: Context, scope: string, servers: JsonObject): string | null {
  if (kindOfScope(scope) === "user" || ownsScope(context.caller.principal, scope)) return null;
  if (literalCredentials(servers).length === 0) return null;
  const owner = scope === PUBLIC_SCOPE ? "admins" : "the Owners of its group";
  return `Files of this version are restricted to ${owner} because \`mcpServers\` contains a credential. Publish a version without it.`;
}

/** The error for a restricted file. */
export function restrictedFilesError(reason: string): GatewayError {
  return new GatewayError("forbidden", "CREDENTIAL_WITHHELD", reason);
}
