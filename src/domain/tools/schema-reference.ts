// What a `$ref` of a JSON Schema means, as far as it stays within the schema.

import { isJsonObject, type JsonValue } from "../json";
import type { JsonSchema } from "../tool";

/** The part of a schema that a reference names; `undefined`, which takes everything, where it leads out of it or nowhere. */
export function schemaAt(root: JsonSchema, reference: string): JsonValue | undefined {
  if (reference !== "#" && !reference.startsWith("#/")) return undefined;
  let found: JsonValue | undefined = root;
  for (const part of reference.split("/").slice(1)) {
    const name = unescaped(part);
    if (typeof found !== "object" || found === null || name === null || !Object.hasOwn(found, name)) return undefined;
    found = Array.isArray(found) ? found[Number(name)] : found[name];
    // Another document begins on the way.
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
