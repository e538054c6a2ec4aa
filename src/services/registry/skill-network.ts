// Approves the hosts that code of a skill can call.

import { canRead } from "../../domain/access/access";
import { type ErrorDetails, GatewayError, type Issue } from "../../domain/errors";
import { isConstraintFailure } from "../../storage/d1/database";
import { hostsOfVersions, readSkillNetwork, type SkillNetwork } from "../../storage/d1/registry/declared-network";
import { putApprovedNetwork } from "../../storage/d1/registry/skill-network";
import { audited } from "../audit";
import type { Context } from "../context";
import { requireRight, skillNotFound } from "./skills";

/** Returns the network of a skill that the caller can read. Others are reported as not found. */
export async function networkOfSkill(context: Context, id: string): Promise<SkillNetwork> {
  const found = await readSkillNetwork(context.db, id);
  if (found === null || !canRead(context.caller.principal, found.scope)) throw skillNotFound();
  return found;
}

/**
 * Replaces the approved hosts of a skill. They apply to its code from the next run, whichever agent uses it. Code of a version that
 * declares more hosts only reaches the approved ones.
 *
 * @param hosts a part of the hosts that versions of the skill declare
 * @param isMeant whether the caller has reviewed this network; `null`: not checked
 */
export async function approveNetwork(
  context: Context,
  id: string,
  hosts: readonly string[],
  isMeant: ((network: SkillNetwork) => Promise<boolean>) | null = null,
): Promise<SkillNetwork> {
  const [network, declared] = await Promise.all([networkOfSkill(context, id), hostsOfVersions(context.db, id)]);
  requireRight(context.caller.principal, "activate", network.scope);
  if (isMeant !== null && !(await isMeant(network))) throw networkChanged();
  const issues = undeclaredHosts(hosts, declared, "No version declares");
  if (issues.length > 0) throw hostsNotDeclared(issues, { declared });
  const wanted = [...new Set(hosts.map((host) => host.toLowerCase()))].sort();
  const change = { before: { hosts: network.approved }, after: { hosts: wanted }, when: "is" } as const;
  const recorded = audited(context, "skill.network.put", id, change);
  await putApprovedNetwork(recorded, network, wanted, isMeant === null ? null : network).catch((error: unknown) => {
    throw isMeant !== null && isConstraintFailure(error) ? networkChanged() : error;
  });
  return { ...network, approved: wanted };
}

/** Returns an issue for each host that is not declared. */
export function undeclaredHosts(hosts: readonly string[], declared: readonly string[], subject: string): Issue[] {
  return hosts.flatMap((host, index) => {
    if (declared.includes(host.toLowerCase())) return [];
    const message = `${subject} the host '${host}'. ${oneOf(declared)}`;
    return [{ code: "NETWORK_NOT_DECLARED", message, path: `hosts.${index}` }];
  });
}

function networkChanged(): GatewayError {
  const message = "The hosts of the skill were changed after you read them. Read them again and review them.";
  return new GatewayError("outdated", "NETWORK_CHANGED", message);
}

/** Returns the error for hosts that are not declared. `details` has those that are. */
export function hostsNotDeclared(issues: readonly Issue[], details: ErrorDetails): GatewayError {
  const message = `Hosts not declared (${issues.length}). Use hosts that the skill declares.`;
  return new GatewayError("invalid", "NETWORK_NOT_DECLARED", message, { issues, ...details });
}

/** Returns the sentence that tells the caller what is declared. */
export function oneOf(declared: readonly string[]): string {
  return declared.length === 0 ? "Declare it in the frontmatter first." : `Use one of: ${declared.join(", ")}.`;
}
