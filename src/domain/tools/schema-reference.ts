// Resolves a `$ref` within a JSON Schema.

import { isJsonObject, type JsonValue } from "../json";
import type { JsonSchema } from "../tool";

/** Returns the referenced part of a schema; `undefined`, which accepts everything, for an external or missing target. */
export function schemaAt(root: JsonSchema, reference: string): JsonValue | undefined {
  if (reference !== "#" && !reference.startsWith("#/")) return undefined;
  let found: JsonValue | undefined = root;
  for (const part of reference.split("/").slice(1)) {
    const name = unescaped(part);
    if (typeof found !== "object" || found === null || name === null || !Object.hasOwn(found, name)) return undefined;
    found = Array.isArray(found) ? found[Number(name)] : found[name];
    // The path enters another document.
    if (isJsonObject(found) && typeof found.$id === "string") return undefined;
  }
  return found;
}

function unescaped(part: string): string | null {
  try {
    return decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    return null;
  }
}
