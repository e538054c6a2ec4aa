// Resolves names to skills for a caller, within the allow-list if there is one.

import { visibleScopes } from "../../domain/access/access";
import { byName, choose } from "../../domain/catalog/precedence";
import { GatewayError } from "../../domain/errors";
import { findNamed, readSkillAt, type SkillRecord, type SkillSummary } from "../../storage/d1/skills";
import type { Context } from "../context";
import { skillNotFound } from "./skills";

/** Returns the row that a name refers to, see `choose`. */
export function chooseSkill(
  rows: readonly SkillSummary[],
  scopes: readonly string[],
  ranges: readonly string[],
): SkillSummary | null {
  const versions = rows.map((row) => {
    const { scope, currentId, versionId, label } = row;
    return { row, scope, current_id: currentId, version_id: versionId, version: label };
  });
  return choose(versions, scopes, ranges)?.row ?? null;
}

/** Returns the skill of a name at its current version, ignoring the allow-list. */
export async function currentOf(
  context: Context,
  scopes: readonly string[],
  name: string,
): Promise<SkillRecord | null> {
  const found = await currentSummary(context, scopes, name.normalize("NFC"));
  return found === null ? null : readSkillAt(context.db, found.versionId);
}

/** Returns the skills of the allow-list, by name. */
export async function allowedOf(
  context: Pick<Context, "db" | "settings">,
  scopes: readonly string[],
  only?: string,
): Promise<SkillSummary[]> {
  const ranges = new Map<string, string>();
  for (const { name, range } of context.settings.SKILLS_ALLOWED) {
    if (!ranges.has(name) && (only === undefined || name === only)) ranges.set(name, range);
  }
  const which = [...ranges.values()].every((range) => range === "*") ? "current" : "all";
  const rows = Map.groupBy(await findNamed(context.db, scopes, [...ranges.keys()], which), (row) => row.name);
  return byName([...ranges].flatMap(([name, range]) => chooseSkill(rows.get(name) ?? [], scopes, [range]) ?? []));
}

/** Returns the instructions of the skill that a name refers to, within the allow-list. */
export async function invokeSkill(context: Context, name: string): Promise<string> {
  if (!context.settings.SKILLS_ENABLED)
    throw new GatewayError("forbidden", "SKILLS_DISABLED", "skills are not enabled");
  const scopes = visibleScopes(context.caller.principal);
  const normal = name.normalize("NFC");
  const chosen =
    context.settings.SKILLS_ALLOWED.length > 0
      ? ((await allowedOf(context, scopes, normal))[0] ?? null)
      : await currentSummary(context, scopes, normal);
  const skill = chosen === null ? null : await readSkillAt(context.db, chosen.versionId);
  if (skill === null) throw skillNotFound();
  if (skill.instructions !== "") return skill.instructions;
  throw new GatewayError("invalid", "SKILL_HAS_NO_PROMPT", `Skill '${skill.name}' has no prompt content.`);
}

async function currentSummary(context: Context, scopes: readonly string[], name: string): Promise<SkillSummary | null> {
  return chooseSkill(await findNamed(context.db, scopes, [name], "current"), scopes, []);
}
