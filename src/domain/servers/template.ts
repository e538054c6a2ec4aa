// Variables in a server's URL and headers: `${{ name }}`, from a closed list, filled in last. The URL's target is checked before: a value
// that influenced it would have to be inspected and could leak.

import { isUnambiguous } from "./host-policy";

/** Variable names besides `secrets.NAME`. A task is a conversation. */
export const VARIABLE_NAMES = [
  "user.id",
  "user.name",
  "conversation.id",
  "task.id",
  "ghost.name",
  "skill.name",
  "request.id",
] as const;
export type VariableName = (typeof VARIABLE_NAMES)[number];

/** Wegent's spellings of the same variables. */
const ALIASES: ReadonlyMap<string, VariableName> = new Map([
  ["user_id", "user.id"],
  ["user_name", "user.name"],
  ["task_id", "task.id"],
]);

/** Suggestions for unknown variables. Credentials are always secrets of the user. */
const NEAREST: readonly (readonly [RegExp, string])[] = [
  [/token|secret|passw|key|credential|auth/i, "secrets.NAME, for a secret that is stored under that name"],
  [/^user[._-]?name|login|email/i, "user.name"],
  [/^user/i, "user.id"],
  [/task|conversation|chat|session/i, "task.id"],
  [/^(?:ghost|team|bot|agent)/i, "ghost.name"],
  [/^skill/i, "skill.name"],
  [/^request/i, "request.id"],
];

/** The format of secret names. */
export const SECRET_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;

const OPEN = "${{";
const CLOSE = "}}";
const SECRET = "secrets.";
/** Characters that no header can contain: control characters, and those that are not one byte. */
const UNSENDABLE = /\p{Cc}|[^\u0020-\u00ff]/u;
const UNSENDABLE_HEADER = "a header would contain a character that is not allowed in headers";
/** Characters for which the runtime logs the whole header as invalid for browsers. */
const LOGGED = /[^\u0020-\u007e]/;
/**
 * Placeholders for values while a URL is checked: lower-case letters only, which no URL parser changes. Two different ones, in case the
 * template contains one.
 */
const MARKERS = ["somevalue", "othervaluehere"] as const;

/** A part of a template: a text, or a variable with the gateway's name for it. */
type Piece = { text: string } | { variable: string };

function piecesOf(template: string): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  for (;;) {
    const open = template.indexOf(OPEN, at);
    if (open < 0) return [...pieces, { text: template.slice(at) }];
    const close = template.indexOf(CLOSE, open);
    pieces.push({ text: template.slice(at, open) });
    // An unclosed variable is reported as unknown.
    if (close < 0) return [...pieces, { variable: `${template.slice(open + OPEN.length)} …` }];
    const name = template.slice(open + OPEN.length, close).trim();
    pieces.push({ variable: ALIASES.get(name) ?? name });
    at = close + CLOSE.length;
  }
}

/** Whether these templates have no variables, so that they are filled alike for every caller. */
export function areConstant(templates: readonly string[]): boolean {
  return !templates.some((template) => template.includes(OPEN));
}

/** Returns the names of the secrets in these templates. */
export function secretsIn(templates: readonly string[]): string[] {
  const names = templates.flatMap(piecesOf).flatMap((piece) => {
    const name = "variable" in piece && piece.variable.startsWith(SECRET) ? piece.variable.slice(SECRET.length) : "";
    return SECRET_NAME.test(name) ? [name] : [];
  });
  return [...new Set(names)];
}

/** Returns all known variables in these templates: names of secrets, and the gateway's names of others. */
export function variablesIn(templates: readonly string[]): { secrets: string[]; others: string[] } {
  const names = templates
    .flatMap(piecesOf)
    .flatMap((piece) => ("variable" in piece && isName(piece.variable) ? [piece.variable] : []));
  return { secrets: secretsIn(templates), others: [...new Set(names.filter((name) => !name.startsWith(SECRET)))] };
}

/** A problem of a template that needs no values to detect. */
export interface TemplateProblem {
  /** `VARIABLE_IN_ORIGIN`: a value could influence the URL's origin. */
  code: "BAD_VARIABLE" | "BAD_HEADER" | "VARIABLE_IN_ORIGIN";
  /** In words. */
  problem: string;
}

/** Returns the problem of a template, or `null`. Needs no values. */
export function templateProblem(template: string, place: "url" | "header"): TemplateProblem | null {
  for (const piece of piecesOf(template))
    if ("variable" in piece && !isName(piece.variable))
      return { code: "BAD_VARIABLE", problem: unknown(piece.variable) };
  if (place === "header") {
    const written = piecesOf(template).some((piece) => "text" in piece && UNSENDABLE.test(piece.text));
    return written ? { code: "BAD_HEADER", problem: UNSENDABLE_HEADER } : null;
  }
  if (markedUrl(template) !== null) return null;
  const problem =
    "a variable can change the scheme, user, host or port of its URL; write https://host/ literally and use variables after it";
  return { code: "VARIABLE_IN_ORIGIN", problem };
}

/**
 * Returns the URL with placeholders instead of values, which can be checked and shown; `null` if a value could influence its scheme, user,
 * host or port. Uses the URL parser, because it repairs more than a pattern could anticipate.
 */
export function markedUrl(template: string): string | null {
  const pieces = piecesOf(template);
  // Without variables there is nothing to hide; the host policy checks whether it is a URL.
  if (pieces.every((piece) => "text" in piece)) return template;
  const [one, other] = MARKERS.map((marker) => pieces.map((p) => ("text" in p ? p.text : marker)).join(""));
  if (one === undefined || other === undefined || !isUnambiguous(one)) return null;
  const [url, same] = [URL.parse(one), URL.parse(other)];
  if (url === null || same === null) return null;
  const leads = ({ protocol, username, password, host }: URL) => JSON.stringify([protocol, username, password, host]);
  return leads(url) === leads(same) ? one : null;
}

/** Returns the filled template, or the first reason why it cannot be filled. Values never appear in the reason. */
export type Filled = { text: string } | { problem: string };

/** Fills a URL. Values are percent-encoded, so no value can change the target of the URL. */
export function fillUrl(template: string, values: ReadonlyMap<string, string>): Filled {
  const found = templateProblem(template, "url");
  if (found !== null) return { problem: found.problem };
  for (const piece of piecesOf(template)) {
    // In any encoding, these are path traversal.
    if ("variable" in piece && /^\.{1,2}$/.test(values.get(piece.variable) ?? ""))
      return { problem: `the value of \${{${piece.variable}}} is not allowed in a URL` };
  }
  return fill(template, values, (value) => encodeURIComponent(value.toWellFormed()));
}

/** Fills a header. A control character would end the header. */
export function fillHeader(template: string, values: ReadonlyMap<string, string>): Filled {
  const filled = fill(template, values, (value) => value);
  if ("text" in filled && UNSENDABLE.test(filled.text)) return { problem: UNSENDABLE_HEADER };
  if ("text" in filled && secretsIn([template]).length > 0 && LOGGED.test(filled.text))
    return {
      problem: "a header with a secret would contain a character outside ASCII; use the secret in the URL instead",
    };
  return filled;
}

function fill(template: string, values: ReadonlyMap<string, string>, encode: (value: string) => string): Filled {
  let text = "";
  for (const piece of piecesOf(template)) {
    if ("text" in piece) {
      text += piece.text;
      continue;
    }
    if (!isName(piece.variable)) return { problem: unknown(piece.variable) };
    const value = values.get(piece.variable);
    if (value === undefined) return { problem: `\${{${piece.variable}}} has no value here` };
    text += encode(value);
  }
  return { text };
}

function isName(variable: string): boolean {
  if (variable.startsWith(SECRET)) return SECRET_NAME.test(variable.slice(SECRET.length));
  return VARIABLE_NAMES.some((name) => name === variable);
}

function unknown(variable: string): string {
  const [, nearest] = NEAREST.find(([about]) => about.test(variable)) ?? [];
  const hint = nearest === undefined ? "" : `the nearest is ${nearest}; `;
  return `\${{${variable.slice(0, 60)}}} is not a variable; ${hint}allowed are secrets.NAME, ${VARIABLE_NAMES.join(", ")}`;
}
