// Lists the clients of other registries that cannot use a skill, with reasons.

import { exclusionsForClawHub } from "../../domain/compat/clawhub";
import { exclusionsForIndex } from "../../domain/compat/well-known";
import * as z from "../../edge/zod";
import type { SkillRecord } from "../../storage/d1/skills";

const leftOut = () =>
  z.object({ door: z.enum(["well-known", "marketplace", "clawhub"]), code: z.string(), message: z.string() });

/** Absent if every integration offers the skill. */
export const leftOutSchema = () =>
  z.array(leftOut()).openapi({
    description: "Integrations that do not list the skill, with the reason. Only in responses about a single skill.",
  });

const OFFERING = ["well-known", "marketplace"];

/** A skill's resource with the integrations that do not offer it. */
export function withExcludedClients<R extends { status: object }>(shown: R, skill: SkillRecord): R {
  const indexed = {
    name: skill.name,
    writtenName: skill.manifest.name ?? null,
    isRepaired: skill.warnings.some(({ code }) => code === "FRONTMATTER_REPAIRED"),
    fileCount: skill.fileCount,
    isBlocked: skill.blockedFor !== null,
  };
  const ofIndex = exclusionsForIndex(indexed);
  const left_out = [
    // A marketplace offers each skill of an index as a plugin.
    ...OFFERING.flatMap((door) => ofIndex.map((issue) => ({ door, ...issue }))),
    ...exclusionsForClawHub(skill).map((issue) => ({ door: "clawhub", ...issue })),
  ];
  return left_out.length === 0 ? shown : { ...shown, status: { ...shown.status, left_out } };
}
