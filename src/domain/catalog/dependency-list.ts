// What a skill's `dependencies` mean. Most skills of the world list the packages of some language there, so a name counts as a
// skill only where nothing speaks against it.

import { isName } from "../package/name";
import { foldName } from "../package/path";
import { parseReference, type SkillReference } from "../reference";
import { oneLine } from "../tokens";

/**
 * An entry of the list. `marked`: written `name@range`, so a skill is meant. `bare`: a name alone. `own`: the skill's own name.
 * `foreign`: of another form, such as `vllm>=0.5` or `pkg[extra]`.
 */
export interface Dependency extends SkillReference {
  text: string;
  kind: "marked" | "bare" | "own" | "foreign";
}

/** What a skill lists and goes without. */
export interface MissingDependency {
  by: string;
  needs: readonly Dependency[];
}

/** Reads a list of dependencies, in its order. */
export function readNeeds(skill: string, texts: readonly string[]): Dependency[] {
  return texts.map((text): Dependency => {
    const reference = parseReference(text);
    if (reference === null || !isName(reference.name)) return { text, name: text, range: "*", kind: "foreign" };
    if (packageName(reference.name) === packageName(skill)) return { text, ...reference, kind: "own" };
    return { text, ...reference, kind: text.includes("@") ? "marked" : "bare" };
  });
}

/** Whether bare names of the list may be skills: a list that has foreign entries, or the skill itself, is one of packages. */
export function canUseBareNames(needs: readonly Dependency[]): boolean {
  return !needs.some(({ kind }) => kind === "own" || kind === "foreign");
}

/** One sentence for models and users. The names are an author's words, so who shows it to a model escapes its tags. */
export function missingDependencyText({ by, needs }: MissingDependency): string {
  const names = needs.slice(0, NAMED).map(({ text }) => `'${oneLine(text.slice(0, NAMED_CHARS))}'`);
  const more = needs.length > NAMED ? ` and ${needs.length - NAMED} more` : "";
  return `Skill '${by}' lists dependencies that were not loaded with it, since they are not all other skills that are available here: ${names.join(", ")}${more}.`;
}

const NAMED = 10;
const NAMED_CHARS = 80;

/** The form in which package managers compare names. */
function packageName(name: string): string {
  return foldName(name).replaceAll("_", "-");
}
