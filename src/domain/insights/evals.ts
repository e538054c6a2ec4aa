// Results of a skill's test cases: what is stored of a case, and which cases fail that passed before.

import type { Issue } from "../errors";
import { redactedCredentials } from "../inspection/rules";
import { EVAL_LIMITS } from "../limits";

/** The result of one case. */
export interface EvalCase {
  name: string;
  passed: boolean;
  /** Why it failed. */
  reason?: string;
}

/** Cases that pass with the version before and fail now. */
export interface Regressions {
  before: { versionId: string; label: string | null };
  /** Names of the cases. */
  names: string[];
}

/** Characters that change how a line is shown: controls, line separators and bidirectional marks. */
const CONTROLS = /[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Returns a text on one line, without credentials, cut after `most` characters. */
export function evalText(text: string, most: number): string {
  const line = redactedCredentials(text.toWellFormed()).replace(CONTROLS, " ").replaceAll(/\s+/g, " ").trim();
  const characters = [...line];
  return characters.length > most ? `${characters.slice(0, most - 1).join("")}…` : line;
}

/** Returns a case as it is stored. A case that passed needs no reason. */
export function storedCase({ name, passed, reason }: EvalCase): EvalCase {
  const stored = { name: evalText(name, EVAL_LIMITS.nameChars), passed };
  return passed || reason === undefined ? stored : { ...stored, reason: evalText(reason, EVAL_LIMITS.reasonChars) };
}

/** Whether names identify the cases as they are stored: each has visible text, and no two are equal. */
export function hasDistinctNames(cases: readonly { name: string }[]): boolean {
  // More than the limits is refused anyway, and not worth the time of the redaction.
  const some = cases.slice(0, EVAL_LIMITS.cases);
  const names = some.map(({ name }) => evalText(name.slice(0, EVAL_LIMITS.sentChars), EVAL_LIMITS.nameChars));
  return !names.includes("") && new Set(names).size === names.length;
}

/** Returns the names of cases that passed before and fail now. Cases that one of the runs does not have are not compared. */
export function regressedCases(before: readonly EvalCase[], now: readonly EvalCase[]): string[] {
  const passed = new Set(before.filter((one) => one.passed).map(({ name }) => name));
  return now.filter((one) => !one.passed && passed.has(one.name)).map(({ name }) => name);
}

/** Number of cases that a warning names. */
const NAMED = 3;

/** Returns the warning of a publish or an activation. */
export function regressionWarning({ before, names }: Regressions): Issue {
  const [first, ...rest] = names;
  const named = [first, ...rest.slice(0, NAMED - 1)].map((name) => `'${name}'`).join(", ");
  const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : "";
  const count = names.length === 1 ? "1 test case that passes" : `${names.length} test cases that pass`;
  const message = `${count} with version ${before.label ?? before.versionId} ${names.length === 1 ? "fails" : "fail"} now: ${named}${more}. Run \`skillgate test\`, and use the version before until they pass.`;
  return { code: "EVALS_REGRESSED", message };
}
