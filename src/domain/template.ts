// Variables in a server's URL and headers: `${{ name }}`, from a closed list, filled in at the last moment.

/** What a variable may name besides `secrets.NAME`. A task is a conversation. */
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

/** What a secret may be called. */
export const SECRET_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;

const OPEN = "${{";
const CLOSE = "}}";
const SECRET = "secrets.";
/** What no header may hold: control characters, and what is not one byte. */
const UNSENDABLE = /\p{Cc}|[^\u0020-\u00ff]/u;
/** What the runtime logs whole, as a header that a browser would not send. */
const LOGGED = /[^\u0020-\u007e]/;
/** Scheme and authority of a URL: everything before its path, query or fragment. */
const ORIGIN = /^[^/?#]*(?:\/\/[^/?#]*)?/;

/** A piece of a template: text as it is, or a variable by its name. */
type Piece = { text: string } | { variable: string };

function piecesOf(template: string): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  for (;;) {
    const open = template.indexOf(OPEN, at);
    if (open < 0) return [...pieces, { text: template.slice(at) }];
    const close = template.indexOf(CLOSE, open);
    pieces.push({ text: template.slice(at, open) });
    // What is never closed is no variable of the list.
    if (close < 0) return [...pieces, { variable: `${template.slice(open + OPEN.length)} …` }];
    pieces.push({ variable: template.slice(open + OPEN.length, close).trim() });
    at = close + CLOSE.length;
  }
}

/** The names of the secrets that these templates use. */
export function secretsIn(templates: readonly string[]): string[] {
  const names = templates.flatMap(piecesOf).flatMap((piece) => {
    const name = "variable" in piece && piece.variable.startsWith(SECRET) ? piece.variable.slice(SECRET.length) : "";
    return SECRET_NAME.test(name) ? [name] : [];
  });
  return [...new Set(names)];
}

/** What is wrong with a template before any value is known, in words; `null` when nothing is. */
export function templateProblem(template: string, place: "url" | "header"): string | null {
  for (const piece of piecesOf(template))
    if ("variable" in piece && !isName(piece.variable)) return unknown(piece.variable);
  if (place === "header" || !(ORIGIN.exec(template)?.[0] ?? "").includes(OPEN)) return null;
  return "a variable stands in the scheme or host of its URL; use it in the path or the query";
}

/** A template filled in, or the first reason in words why it cannot be. Values never appear in the reason. */
export type Filled = { text: string } | { problem: string };

/** Fills a URL. Values are percent-encoded, so none of them can change where the URL leads. */
export function fillUrl(template: string, values: ReadonlyMap<string, string>): Filled {
  const problem = templateProblem(template, "url");
  if (problem !== null) return { problem };
  for (const piece of piecesOf(template)) {
    // However they are encoded, these are steps through the path.
    if ("variable" in piece && /^\.{1,2}$/.test(values.get(piece.variable) ?? ""))
      return { problem: `the value of \${{${piece.variable}}} cannot stand in a URL` };
  }
  return fill(template, values, (value) => encodeURIComponent(value.toWellFormed()));
}

/** Fills a header. A control character would end the header, so it is refused. */
export function fillHeader(template: string, values: ReadonlyMap<string, string>): Filled {
  const filled = fill(template, values, (value) => value);
  if ("text" in filled && UNSENDABLE.test(filled.text))
    return { problem: "a header would hold a character that no header may hold" };
  if ("text" in filled && secretsIn([template]).length > 0 && LOGGED.test(filled.text))
    return {
      problem: "a header with a secret would hold a character outside of ASCII; such a secret can only go into the URL",
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
  return `\${{${variable.slice(0, 60)}}} is no variable; there are secrets.NAME, ${VARIABLE_NAMES.join(", ")}`;
}
