// Stores the values of skills' variables and reads them for a run. They are never returned to callers or code: the gateway puts them into
// headers of requests to the hosts that they are bound to.

import { GATEWAY_SCOPE, userScope } from "../../domain/access/access";
import { DURATIONS } from "../../domain/durations";
import { readSkillEnv, type SkillEnvRow, touchSkillEnv } from "../../storage/d1/registry/skill-env";
import type { Context } from "../context";
import { unseal } from "./encryption";

/** A value, and the hosts that it can be sent to. */
export interface SkillEnvValue {
  value: string;
  hosts: readonly string[];
}

/** Binds a ciphertext to its owner, skill, variable and hosts: a row that is copied to others, or whose hosts change, cannot be decrypted. */
export function skillEnvPlace({
  scope,
  skillId,
  name,
  hosts,
}: Pick<SkillEnvRow, "scope" | "skillId" | "name" | "hosts">) {
  return { scope, name: `skill-env/${JSON.stringify([skillId, name, [...hosts].sort()])}` };
}

/** Returns the values of these variables for the caller: their own before shared ones. Values that cannot be decrypted are absent. */
export async function skillEnvValues(
  context: Context,
  skillId: string,
  names: readonly string[],
): Promise<Map<string, SkillEnvValue>> {
  const found = new Map<string, SkillEnvValue>();
  if (names.length === 0) return found;
  const own = userScope(context.caller.principal.userId);
  const rows = await readSkillEnv(context.primary, skillId, [own, GATEWAY_SCOPE], names);
  // The user's own value counts even if it cannot be decrypted: falling back would use an unintended value.
  const used = new Map<string, SkillEnvRow>();
  for (const row of rows) if (row.scope === own || !used.has(row.name)) used.set(row.name, row);
  for (const row of used.values()) {
    const value = await unseal(context.settings, skillEnvPlace(row), row);
    if (value !== null) found.set(row.name, { value, hosts: row.hosts });
  }
  const before = context.now() - DURATIONS.secretUse;
  const unmarked = [...used.values()].filter(({ lastUsedAt }) => (lastUsedAt ?? 0) < before).map(({ id }) => id);
  if (unmarked.length > 0) await touchSkillEnv(context.primary, unmarked, before);
  return found;
}
