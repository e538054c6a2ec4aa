// JSON as zod schemas. What `JSON.parse` made is JSON already, so there is nothing to walk through again: a transcript of ten
// thousand messages would be checked node by node for nothing (and a recursive schema has no end in an OpenAPI document).

import * as z from "zod";
import type { JsonObject, JsonValue } from "./skill";

export const jsonValue = z.unknown().transform((value): JsonValue => value as JsonValue);

export const jsonObject = z.record(z.string(), z.unknown()).transform((value): JsonObject => value as JsonObject);

/** How large a text is as UTF-8. */
export function utf8Bytes(text: string): number {
  return new TextEncoder().encode(text).byteLength;
}
