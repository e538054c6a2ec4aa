// Stores, lists and uses secrets. Values are never returned; they are only sent to the hosts they are bound to.

import {
  canManageSecrets,
  canSeeGroup,
  GATEWAY_SCOPE,
  groupScope,
  PUBLIC_SCOPE,
  secretScopes,
  userScope,
} from "../../domain/access/access";
import { connectionPlace } from "../../domain/connections/connection";
import { DURATIONS } from "../../domain/durations";
import { GatewayError } from "../../domain/errors";
import { SECRET_LIMITS } from "../../domain/limits";
import { Recent } from "../../domain/recent";
import { makeRedactor, type Redactor } from "../../domain/servers/redactor";
import { webhookPlace } from "../../domain/webhooks/webhooks";
import { reencryptSkillEnv, skillEnvUnderOtherKeys } from "../../storage/d1/registry/skill-env";
import {
  deleteSecret,
  findSecrets,
  listSecrets,
  putSecret,
  readSecret,
  reencrypt,
  type SecretFacts,
  type SecretRow,
  secretsUnderOtherKeys,
  touchSecrets,
} from "../../storage/d1/secrets";
import { connectionsUnderOtherKeys, reencryptConnection } from "../../storage/d1/servers/connections";
import { reencryptWebhook, webhooksUnderOtherKeys } from "../../storage/d1/webhooks";
import { groupNotFound, roleTooLow } from "../access/groups";
import { adminOnlyError, requireAdmin } from "../admin";
import { audited, recordAct, scopeInLog } from "../audit";
import type { Context } from "../context";
import { currentKeyId, keyIds, seal, unseal } from "./encryption";
import { signUnderCurrentKey } from "./signing";
import { skillEnvPlace } from "./skill-env";

/** The owner of secrets: the caller, a group, or the gateway. */
export type SecretOwner = { kind: "user" } | { kind: "group"; group: string } | { kind: "gateway" };

export interface SecretRequest {
  name: string;
  value: string;
  hosts: string[];
}

/** A secret that a server can use, for these hosts only. */
export interface UsableSecret {
  value: string;
  hosts: readonly string[];
}

/** Number of secrets that one call of `rotateSecrets` encrypts again. */
const ROTATED_AT_ONCE = 100;

export async function storeSecret(context: Context, owner: SecretOwner, request: SecretRequest) {
  const scope = ownedScope(context, owner);
  const { name, value, hosts } = request;
  const sealed = await seal(context.settings, { scope, name }, value);
  const { userId } = context.caller.principal;
  const secret = { id: context.newId("sec"), scope, name, hosts, ...sealed, createdBy: userId };
  const recorded = audited(context, "secret.put", `${scopeInLog(scope)}/${name}`, {
    after: { hosts },
    when: { thing: "is", type: "secret", id: `${scope}/${name}` },
  });
  const stored = await putSecret(recorded, secret, SECRET_LIMITS.perScope);
  if (stored !== null) return stored;
  const message = `Secret limit reached (${SECRET_LIMITS.perScope}). Delete a secret first.`;
  throw new GatewayError("conflict", "QUOTA_EXCEEDED", message, { limit: SECRET_LIMITS.perScope });
}

export async function oneSecret(context: Context, owner: SecretOwner, name: string): Promise<SecretFacts> {
  const found = await readSecret(context.db, ownedScope(context, owner), name);
  if (found === null) throw secretNotFound();
  return found;
}

/** Returns a page by name; `after` is the last name of the previous page. */
export function pageOfSecrets(context: Context, owner: SecretOwner, limit: number, after: string | null) {
  return listSecrets(context.db, ownedScope(context, owner), limit, after);
}

export async function removeSecret(context: Context, owner: SecretOwner, name: string): Promise<void> {
  const scope = ownedScope(context, owner);
  const recorded = audited(context, "secret.delete", `${scopeInLog(scope)}/${name}`, {
    when: { thing: "was", type: "secret", id: `${scope}/${name}` },
  });
  if (!(await deleteSecret(recorded, scope, name))) throw secretNotFound();
}

/**
 * Encrypts some of the secrets under other keys with the current key, and signs versions again. Repeat until none remain; then the old key
 * can be removed.
 */
export async function rotateSecrets(context: Context): Promise<{ rotated: number; remaining: number }> {
  requireAdmin(context.caller.principal);
  const keyId = await currentKeyId(context.settings);
  const [{ rows, count }, connections, values, hooks, versions] = await Promise.all([
    secretsUnderOtherKeys(context.db, keyId, ROTATED_AT_ONCE),
    connectionsUnderOtherKeys(context.db, keyId, ROTATED_AT_ONCE),
    skillEnvUnderOtherKeys(context.db, keyId, ROTATED_AT_ONCE),
    webhooksUnderOtherKeys(context.db, keyId, ROTATED_AT_ONCE),
    signUnderCurrentKey(context.db, context.settings, ROTATED_AT_ONCE),
  ]);
  let rotated = versions.signed;
  for (const row of rows) {
    const value = await unseal(context.settings, row, row);
    // Its key is no longer configured: it stays unchanged and is counted as remaining.
    if (value === null) continue;
    await reencrypt(context.db, row, await seal(context.settings, row, value));
    rotated++;
  }
  for (const row of connections.rows) {
    const value = await unseal(context.settings, connectionPlace(row), row);
    if (value === null) continue;
    await reencryptConnection(context.db, row, await seal(context.settings, connectionPlace(row), value));
    rotated++;
  }
  for (const row of values.rows) {
    const value = await unseal(context.settings, skillEnvPlace(row), row);
    if (value === null) continue;
    await reencryptSkillEnv(context.db, row, await seal(context.settings, skillEnvPlace(row), value));
    rotated++;
  }
  for (const row of hooks.rows) {
    const value = await unseal(context.settings, webhookPlace(row), row);
    if (value === null) continue;
    await reencryptWebhook(context.db, row, await seal(context.settings, webhookPlace(row), value));
    rotated++;
  }
  if (rotated > 0) await recordAct(context, "secret.rotate", keyId, { after: { rotated } });
  return { rotated, remaining: count + connections.count + values.count + hooks.count + versions.count - rotated };
}

const cached = new Recent<string, { at: number; found: Map<string, UsableSecret> }>(500);

/**
 * Returns the secrets with these names for the caller's servers: own over groups' over the gateway's, or those of a shared ghost's scope.
 * Secrets that are missing or cannot be decrypted are absent. Changes apply immediately, because they raise a counter that the caller
 * carries.
 */
export async function usableSecrets(
  context: Context,
  names: readonly string[],
  shared: string | null = null,
): Promise<Map<string, UsableSecret>> {
  if (names.length === 0) return new Map();
  const { principal, counters } = context.caller;
  const scopes = secretScopes(principal, shared);
  if (scopes.length === 0) return new Map();
  const watched = [...scopes.filter((scope) => scope !== GATEWAY_SCOPE), PUBLIC_SCOPE];
  const seen = watched.map((scope) => [scope, counters[scope] ?? 0]);
  const key = JSON.stringify([scopes, seen, [...names].sort(), await keyIds(context.settings)]);
  const before = cached.get(key);
  if (before !== undefined && context.now() - before.at < DURATIONS.secretCache) return before.found;

  const held = principal.groups.filter(({ claimed }) => claimed !== true).map(({ group }) => groupScope(group));
  const rows = await findSecrets(context.db, scopes, names, { userId: principal.userId, held });
  rows.sort((a, b) => scopes.indexOf(a.scope) - scopes.indexOf(b.scope));
  const found = new Map<string, UsableSecret>();
  // The more specific secret counts even if it cannot be decrypted: falling back would use an unintended value.
  const used = new Map<string, SecretRow>();
  for (const row of rows) if (!used.has(row.name)) used.set(row.name, row);
  for (const row of used.values()) {
    const value = await unseal(context.settings, row, row);
    if (value !== null) found.set(row.name, { value, hosts: row.hosts });
  }
  const unmarked = [...used.values()].filter((row) => (row.lastUsedAt ?? 0) < context.now() - DURATIONS.secretUse);
  if (unmarked.length > 0)
    await touchSecrets(
      context.db,
      unmarked.map((row) => row.id),
      context.now() - DURATIONS.secretUse,
    );
  cached.set(key, { at: context.now(), found });
  return found;
}

const redactors = new WeakMap<ReadonlyMap<string, UsableSecret>, Redactor>();

/** Returns the redactor for these secrets, created once while they are cached. */
export function redactorOf(secrets: ReadonlyMap<string, UsableSecret>): Redactor {
  const before = redactors.get(secrets);
  if (before !== undefined) return before;
  const made = makeRedactor(Array.from(secrets, ([name, { value }]) => ({ name, value })));
  redactors.set(secrets, made);
  return made;
}

/** Returns the scope of an owner's secrets and models. Throws if the caller cannot manage it. */
export function ownedScope(context: Context, owner: SecretOwner): string {
  const { principal } = context.caller;
  if (owner.kind === "user") return userScope(principal.userId);
  const scope = owner.kind === "gateway" ? GATEWAY_SCOPE : groupScope(owner.group);
  if (canManageSecrets(principal, scope)) return scope;
  if (owner.kind === "gateway") throw adminOnlyError();
  throw canSeeGroup(principal, owner.group) ? roleTooLow(owner.group, "Maintainer") : groupNotFound();
}

function secretNotFound(): GatewayError {
  return new GatewayError("not_found", "SECRET_NOT_FOUND", "Secret not found. Check the name.");
}
