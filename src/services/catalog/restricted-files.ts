// Packages that hold a credential: published to others before that was refused. Their files are for whoever answers for them.

import { kindOfScope, ownsScope, PUBLIC_SCOPE } from "../../domain/access/access";
import { GatewayError } from "../../domain/errors";
import type { JsonObject } from "../../domain/json";
import { literalCredentials } from "../../domain/package/credentials";
import type { Context } from "../context";

/** Why a caller gets no file of a version; `null` for one that may be read like any other. */
export function restrictionReason(context: Context, scope: string, servers: JsonObject): string | null {
  if (kindOfScope(scope) === "user" || ownsScope(context.caller.principal, scope)) return null;
  if (literalCredentials(servers).length === 0) return null;
  const owner = scope === PUBLIC_SCOPE ? "admins" : "the Owners of its group";
  return `This version holds a credential in \`mcpServers\`, so its files are for ${owner} only, until a version without it is published.`;
}

/** The refusal of such a file. */
export function restrictedFilesError(reason: string): GatewayError {
  return new GatewayError("forbidden", "CREDENTIAL_WITHHELD", reason);
}
