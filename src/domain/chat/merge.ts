// Putting the pieces of a streamed answer together without knowing their fields: what a vendor adds tomorrow goes back to it as it came.

import { isJsonObject, type JsonObject, type JsonValue } from "../json";

/** Texts that are said once, or again and again the same; every other text comes in pieces. */
const WHOLE = new Set(["role", "type", "id", "name", "object", "model", "format"]);
/** Entries of the longest list in which one is looked for: far more than a model's, and few enough to look through at each piece. */
const SEARCHED = 4_096;

/**
 * Merges a piece into what there is. Entries of lists belong together by their `index`; those without one are added. A vendor is
 * anybody's server: a field `__proto__` would be merged into the prototype that all objects of this isolate share, and is left out.
 */
export function mergePiece(target: JsonObject, piece: JsonObject): void {
  for (const [key, value] of Object.entries(piece)) {
    if (key === "__proto__") continue;
    const before = Object.hasOwn(target, key) ? target[key] : undefined;
    if (value === null) target[key] = before ?? null;
    else if (typeof value === "string" && typeof before === "string")
      target[key] = WHOLE.has(key) ? value || before : before + value;
    else if (Array.isArray(value)) target[key] = mergeLists(Array.isArray(before) ? before : [], value);
    else if (isPlain(value) && isPlain(before)) mergePiece(before, value);
    else target[key] = isPlain(value) ? ownCopy(value) : value;
  }
}

/** What `JSON.rawJSON` made looks like an object, and is a number. It is frozen, and nothing else here is. */
const isPlain = (value: JsonValue | undefined): value is JsonObject => isJsonObject(value) && !Object.isFrozen(value);

function mergeLists(list: JsonValue[], pieces: readonly JsonValue[]): JsonValue[] {
  for (const piece of pieces) {
    const index = isJsonObject(piece) ? piece.index : undefined;
    const isSearched = index !== undefined && list.length <= SEARCHED;
    const known = isSearched ? list.find((entry) => isJsonObject(entry) && entry.index === index) : undefined;
    if (isJsonObject(known) && isJsonObject(piece)) mergePiece(known, piece);
    else list.push(isPlain(piece) ? ownCopy(piece) : piece);
  }
  return list;
}

/** Puts fields in the place of those of the same names. A spread would copy all that is there for each piece that comes. */
export function setFields(target: JsonObject, fields: JsonObject): void {
  for (const [key, value] of Object.entries(fields)) if (key !== "__proto__") target[key] = value;
}

/** A copy whose lists and objects are its own, since what follows is merged into them. */
function ownCopy(value: JsonObject): JsonObject {
  const copy: JsonObject = {};
  mergePiece(copy, value);
  return copy;
}

/** The numbers of two usages added up, field by field. */
export function addUsage(total: JsonObject, more: JsonObject): JsonObject {
  const sum: JsonObject = { ...total };
  for (const [key, value] of Object.entries(more)) {
    if (key === "__proto__") continue;
    const before = Object.hasOwn(sum, key) ? sum[key] : undefined;
    if (typeof value === "number") sum[key] = (typeof before === "number" ? before : 0) + value;
    else if (isJsonObject(value)) sum[key] = addUsage(isJsonObject(before) ? before : {}, value);
    else sum[key] = value;
  }
  return sum;
}
