// The server instructions for an MCP client. Hosts cut them, so what to do comes first, then names, then as many descriptions as fit.

import { type CatalogEntry, hasListed, listed, nearestFirst } from "../catalog/catalog";
import type { View } from "../catalog/view";
import { OPENING_LIMITS } from "../limits";
import { escapeSkillTags } from "../tags";
import { catalogLine, oneLine } from "../tokens";

const FIRST =
  "Skills are instructions for particular tasks. Before you start a task that one of them is for, call load_skill with its name and " +
  "follow the answer.";
const REST = "call find_skill(query)";

/** Skills requested by a client's URL or its ghost: found and not found. */
export interface RequestedSkills {
  present: readonly string[];
  absent: readonly string[];
}

/** A server's instructions. They fit what hosts show, except for the ghost's own prompt, which is passed on completely. */
export function openingOf(view: View, { present, absent }: RequestedSkills): string {
  const what = [
    hasListed(listed(view.catalog, view.preload)) ? FIRST : "",
    present.length === 0 ? "" : `Begin with load_skill for: ${named(present)}.`,
    absent.length === 0 ? "" : `Asked for and not available, so go on without: ${named(absent)}.`,
  ];
  const { names, lines } = listIn(view);
  return [what.filter(isSaid).join(" "), names, view.system_prompt, lines].filter(isSaid).join("\n\n");
}

/** Whether the instructions omit a skill or its description, so that the model must search for it. */
export function isOpeningCut(view: View): boolean {
  return listIn(view).isCut;
}

/** Returns names in one line, used if descriptions do not fit, and the descriptions. */
function listIn(view: View): { names: string; lines: string; isCut: boolean } {
  const { shown, more } = listed(view.catalog, view.preload);
  const total = shown.length + more;
  if (total === 0) return { names: "", lines: "", isCut: false };
  const entries = nearest(view);
  const all = entries.map(({ name, description }) => catalogLine(name, description));
  const names = namesOf(entries, total);
  const before = view.system_prompt === "" ? "" : names;
  const whole = described(all, total);
  if (all.length === total && before.length + whole.length <= OPENING_LIMITS.listChars)
    return { names: before, lines: whole, isCut: false };
  const room = OPENING_LIMITS.listChars - names.length - described([], total).length;
  const fit = fitting(all, room, "\n");
  return { names, lines: fit.length === 0 ? "" : described(fit, total), isCut: true };
}

/** Orders skills: preloaded ones, the user's own, then others. Public skills are left out first. */
function nearest(view: View): CatalogEntry[] {
  const { shown } = listed(view.catalog, view.preload);
  const isFirst = ({ name }: CatalogEntry) => view.preload.includes(name);
  return [...shown.filter(isFirst), ...nearestFirst(shown.filter((entry) => !isFirst(entry)))];
}

function namesOf(entries: readonly CatalogEntry[], total: number): string {
  const shown = fitting(
    entries.map(({ name }) => spoken(name)),
    OPENING_LIMITS.nameChars,
    ", ",
  );
  const more = total - shown.length;
  return `Available skills: ${shown.join(", ")}${more > 0 ? `, … and ${more} more: ${REST}` : ""}.`;
}

function described(lines: readonly string[], total: number): string {
  const more = total - lines.length;
  const rest = more > 0 ? [`… and ${more} more: ${REST}`] : [];
  return `## Available Skills\n\n${[...lines, ...rest].join("\n")}`;
}

/** Returns requested names, as many as fit. */
function named(names: readonly string[]): string {
  const shown = fitting(names.map(spoken), OPENING_LIMITS.askedChars, ", ");
  const more = names.length - shown.length;
  return `${shown.join(", ")}${more > 0 ? `, … and ${more} more` : ""}`;
}

/** Joins the first texts that fit. */
function fitting(texts: readonly string[], chars: number, joint: string): string[] {
  let left = chars;
  const rest = texts.findIndex((text) => {
    left -= text.length + joint.length;
    return left < 0;
  });
  return rest === -1 ? [...texts] : texts.slice(0, rest);
}

/** Returns a name for use in a sentence. It may come from a URL. */
function spoken(name: string): string {
  return escapeSkillTags(oneLine(name));
}

function isSaid(text: string): boolean {
  return text !== "";
}
