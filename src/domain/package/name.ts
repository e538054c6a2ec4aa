// Validates the names of skills.

import type { Issue } from "../errors";
import { printable } from "./path";

/** The result of checking a name. Use `name` only if `issues` is empty. */
export interface NameCheck {
  /** NFC. */
  name: string;
  issues: Issue[];
  warnings: Issue[];
}

const LONGEST = 64;
/** The rule of the Agent Skills specification, which the strict clients follow. */
const STRICT = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
/** Invisible characters. With one of them, two different names look the same. */
const UNSEEN = /\p{Default_Ignorable_Code_Point}/u;
/** Beyond the specification the gateway accepts `_`, capitals, and letters and digits of every script. */
const isAccepted = (name: string) => /^[\p{L}\p{M}\p{N}_]+(?:-[\p{L}\p{M}\p{N}_]+)*$/u.test(name);

/**
 * Checks the name of a skill. Issue: `NAME_INVALID`. A name that is valid here but hidden by clients that strictly follow the specification
 * produces the warning `NAME_NOT_STRICT`.
 *
 * @param where the `path` of the issue: the folder, `SKILL.md` or a form field
 */
export function checkName(text: string, where: string): NameCheck {
  const name = text.normalize("NFC");
  const reason = refusal(name);
  if (reason !== null) {
    const message = `'${printable(name)}' is not a valid skill name: ${reason}. Choose another name.`;
    return { name, issues: [{ code: "NAME_INVALID", message, path: where }], warnings: [] };
  }
  const message = `The name '${name}' has characters other than a-z, 0-9 and single hyphens. Strict clients do not list the skill.`;
  return { name, issues: [], warnings: STRICT.test(name) ? [] : [{ code: "NAME_NOT_STRICT", message, path: where }] };
}

/** Whether a text is a valid skill name. */
export function isName(text: string): boolean {
  return refusal(text.normalize("NFC")) === null;
}

function refusal(name: string): string | null {
  if (name === "") return "it is empty";
  if ([...name].length > LONGEST) return `it is longer than ${LONGEST} characters`;
  // Names become keys of JSON objects in responses.
  if (name === "__proto__") return "it is reserved";
  if (UNSEEN.test(name)) return "it contains an invisible character";
  if (isAccepted(name)) return null;
  if (name.startsWith("-") || name.endsWith("-")) return "it begins or ends with a hyphen";
  if (name.includes("--")) return "it has a double hyphen";
  return "only letters, digits, `-` and `_` are allowed";
}
