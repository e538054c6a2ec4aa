// Assigns the gateway's messages about a ghost to its fields.

import type { Issue } from "../../../sdk/src/generated/operations";
import { type Draft, halves } from "./draft";

const FIELDS = [
  "systemPrompt",
  "mcpServers",
  "retentionTurns",
  "predict",
  "model",
  "skills",
  "preload_skills",
] as const;

/** A field of the editor, or a skill by name. */
export type Place = "name" | "namespace" | (typeof FIELDS)[number] | `skill ${string}`;

/** Groups issues by the field that shows them; `null` for issues without a field. */
export function byPlace(issues: readonly Issue[], draft: Draft): Map<Place | null, Issue[]> {
  return Map.groupBy(issues, ({ path = "" }) => placeOf(path, draft));
}

function placeOf(path: string, { skills, preload }: Draft): Place | null {
  const [, list, position] = /spec\.(skills|preload_skills)[[.](\d+)/.exec(path) ?? [];
  const entry = list === undefined ? undefined : (list === "skills" ? skills : preload)[Number(position)];
  if (entry !== undefined) return `skill ${halves(entry)[0]}`;
  const [, pinned] = /^spec\.(?:preload_)?skill_refs\.(.+)$/.exec(path) ?? [];
  // Warnings of a preview contain only the name of the skill.
  const named = pinned ?? path;
  if ([...skills, ...preload].some((one) => halves(one)[0] === named)) return `skill ${named}`;
  const field = FIELDS.find((one) => path.startsWith(`spec.${one}`));
  if (field !== undefined) return field;
  if (/(?:^|metadata\.)name$/.test(path)) return "name";
  return /(?:^|metadata\.)namespace$/.test(path) ? "namespace" : null;
}
