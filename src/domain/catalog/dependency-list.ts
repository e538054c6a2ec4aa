// Interprets a skill's `dependencies`. Most published skills list packages of a programming language there, so a name counts as a skill
// only if nothing indicates otherwise.

import { isName } from "../package/name";
import { foldName } from "../package/path";
import { parseReference, type SkillReference } from "../reference";
import { oneLine } from "../tokens";

/**
 * An entry of the list. `marked`: written as `name@range`, so a skill is meant. `bare`: only a name. `own`: the skill's own name.
 * `foreign`: another form, such as `vllm>=0.5` or `pkg[extra]`.
 */
export interface Dependency extends SkillReference {
  text: string;
  kind: "marked" | "bare" | "own" | "foreign";
}

/** Dependencies that a skill lists and that are missing. */
export interface MissingDependency {
  by: string;
  needs: readonly Dependency[];
}

/** Parses a list of dependencies, in order. */
export function readNeeds(skill: string, texts: readonly string[]): Dependency[] {
  return texts.map((text): Dependency => {
    const reference = parseReference(text);
    if (reference === null || !isName(reference.name)) return { text, name: text, range: "*", kind: "foreign" };
    if (packageName(reference.name) === packageName(skill)) return { text, ...reference, kind: "own" };
    return { text, ...reference, kind: text.includes("@") ? "marked" : "bare" };
  });
}

/** Whether bare names of the list can be skills: a list with foreign entries, or with the skill itself, contains packages. */
export function canUseBareNames(needs: readonly Dependency[]): boolean {
  return !needs.some(({ kind }) => kind === "own" || kind === "foreign");
}

/** Returns one sentence for models and users. The names come from an author and must be escaped before a model sees them. */
export function missingDependencyText({ by, needs }: MissingDependency): string {
  const names = needs.slice(0, NAMED).map(({ text }) => `'${oneLine(text.slice(0, NAMED_CHARS))}'`);
  const more = needs.length > NAMED ? ` and ${needs.length - NAMED} more` : "";
  return `Skill '${by}' lists dependencies that were not loaded, because not all of them are skills available here: ${names.join(", ")}${more}.`;
}

const NAMED = 10;
const NAMED_CHARS = 80;

/** Returns the form in which package managers compare names. */
function packageName(name: string): string {
  return foldName(name).replaceAll("_", "-");
}
