// JSON values as zod schemas. Parsed JSON is already valid, so it is not traversed again: a transcript of ten thousand messages would be
// checked node by node, and a recursive schema cannot be written to the OpenAPI document.

import * as z from "zod";
export const jsonValue = z.unknown().transform((value): JsonValue => value as JsonValue);

export const jsonObject = z.record(z.string(), z.unknown()).transform((value): JsonObject => value as JsonObject);

/** Whether a JSON value is an object. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Matches numbers that `JSON.parse` and `JSON.stringify` may change. */
const LOSSY = /[0-9]{16}|[0-9][.eE]|-0/;

/** Like `JSON.parse`, for values that are only written again: numbers keep their original text. */
export function parseExactly(text: string): unknown {
  if (!LOSSY.test(text)) return JSON.parse(text);
  const reviver = (_: string, value: unknown, context?: { source?: string }) => {
    const source = context?.source;
    return typeof value === "number" && source !== undefined && String(value) !== source ? JSON.rawJSON(source) : value;
  };
  return JSON.parse(text, reviver);
}

/** Returns the UTF-8 size of a text. */
export function utf8Bytes(text: string): number {
  return new TextEncoder().encode(text).byteLength;
}

/** Splits a text into at least one part of at most `most` UTF-16 units, without splitting characters. */
export function inParts(text: string, most: number): string[] {
  const parts: string[] = [];
  for (let at = 0; at < text.length || at === 0; ) {
    const end = at + most;
    const torn = end < text.length && /[\uD800-\uDBFF]/.test(text[end - 1] ?? "");
    parts.push(text.slice(at, torn ? end - 1 : end));
    at = torn ? end - 1 : end;
  }
  return parts;
}

const [QUOTE, BACKSLASH, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x22, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d];

/** Whether a JSON text nests deeper than this, without parsing it. The result for other texts is undefined. */
export function isDeeper(text: string, most: number): boolean {
  if (text.length <= most) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at + 1);
    else if (code === OPEN_LIST || code === OPEN_OBJECT) depth++;
    else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth--;
    if (depth > most) return true;
  }
  return false;
}

/** Returns where the string that begins here ends: at the first quote after an even number of backslashes. */
export function endOfString(text: string, from: number): number {
  for (let end = text.indexOf('"', from); end >= 0; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return end;
  }
  return text.length;
}

export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };

export type JsonObject = { [key: string]: JsonValue };
