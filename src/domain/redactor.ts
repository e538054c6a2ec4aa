// Takes secrets out of whatever leaves: results, errors, warnings, events, logs. Knows a value in the forms it travels in.

import type { JsonValue } from "./skill";

export interface NamedSecret {
  name: string;
  value: string;
}

/** Replaces known secret values by `[secret NAME]`. */
export interface Redactor {
  text(text: string): string;
  /** The same in every string and key of a JSON value. */
  json<T extends JsonValue>(value: T): T;
  /** Whether it knows any secret at all. */
  readonly isIdle: boolean;
}

/** Shorter values are no secrets: taking them out would tear words apart (`SECRET_LIMITS`). */
export function makeRedactor(secrets: readonly NamedSecret[]): Redactor {
  const forms = new Map<string, string>();
  for (const { name, value } of secrets) for (const form of formsOf(value)) forms.set(form, name);
  if (forms.size === 0) return { text: (text) => text, json: (value) => value, isIdle: true };
  // Longest first: of two forms that begin alike the whole one is taken.
  const alternatives = [...forms.keys()]
    .sort((a, b) => b.length - a.length)
    .map((form) => form.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  const pattern = new RegExp(alternatives.join("|"), "g");
  const text = (given: string) => given.replace(pattern, (form) => `[secret ${forms.get(form) ?? ""}]`);
  return { text, json: (value) => redactJson(value, text), isIdle: false };
}

/** Redacts with all of them. */
export function joinRedactors(redactors: readonly Redactor[]): Redactor {
  const busy = redactors.filter((redactor) => !redactor.isIdle);
  return {
    text: (text) => busy.reduce((rest, redactor) => redactor.text(rest), text),
    json: (value) => busy.reduce((rest, redactor) => redactor.json(rest), value),
    isIdle: busy.length === 0,
  };
}

function redactJson<T extends JsonValue>(value: T, text: (given: string) => string): T;
function redactJson(value: JsonValue, text: (given: string) => string): JsonValue {
  if (typeof value === "string") return text(value);
  if (Array.isArray(value)) return value.map((one) => redactJson(one, text));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [text(key), redactJson(one, text)]));
}

/** A value as it is, inside JSON, inside a URL in its usual spellings, and inside base64 wherever it begins. */
function formsOf(value: string): string[] {
  if (value === "") return [];
  const encoded = encodeURIComponent(value.toWellFormed());
  const json = JSON.stringify(value).slice(1, -1);
  const bytes = new TextEncoder().encode(value);
  return [
    value,
    json,
    JSON.stringify(json).slice(1, -1),
    encoded,
    encoded.replace(/%[0-9A-F]{2}/g, (percent) => percent.toLowerCase()),
    encoded.replaceAll("%20", "+"),
    ...[0, 1, 2].flatMap((shift) => base64Core(bytes, shift)),
  ];
}

/** The characters of base64 that depend on these bytes alone when they begin at this place of a group of three. */
function base64Core(bytes: Uint8Array, shift: number): string[] {
  const padded = new Uint8Array(shift + bytes.length);
  padded.set(bytes, shift);
  const all = btoa(Array.from(padded, (byte) => String.fromCharCode(byte)).join("")).replace(/=+$/, "");
  const whole = Math.floor((padded.length * 8) / 6);
  const core = all.slice(Math.ceil((shift * 8) / 6), whole);
  // Too short to be told from chance.
  return core.length < 8 ? [] : [core, core.replaceAll("+", "-").replaceAll("/", "_")];
}
