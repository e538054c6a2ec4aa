// Revokes tokens of deleted connections at their issuers.

import { connectionSecretsSchema } from "../../domain/connections/authorization-server";
import { connectionPlace } from "../../domain/connections/connection";
import type { ConnectionRow } from "../../storage/d1/servers/connections";
import { revokeTokens } from "../../upstream/authorization";
import type { Context } from "../context";
import { unseal } from "../secrets/encryption";

/** Revokes a connection's tokens (RFC 7009). Its row is already deleted or replaced. Never fails. */
export async function revokeConnection({ settings }: Pick<Context, "settings">, row: ConnectionRow): Promise<void> {
  const text = await unseal(settings, connectionPlace(row), row);
  if (text === null) return;
  const { client, access, refresh } = connectionSecretsSchema.parse(JSON.parse(text));
  const tokens = [
    ...(refresh === null ? [] : [{ token: refresh, hint: "refresh_token" }]),
    { token: access, hint: "access_token" },
  ];
  await revokeTokens(row.endpoints, { client, tokens }, __DEVELOPMENT__);
}

/** Revokes several connections in parallel. */
export async function revokeConnections(
  context: Pick<Context, "settings">,
  rows: readonly ConnectionRow[],
): Promise<void> {
  await Promise.all(rows.map((row) => revokeConnection(context, row)));
}
