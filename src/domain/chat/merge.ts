// Merges the pieces of a streamed answer without knowing their fields, so that fields a vendor adds later are sent back unchanged.

import { isJsonObject, type JsonObject, type JsonValue } from "../json";

/** Strings that are sent once, or repeated with the same value. All other strings arrive in pieces. */
const WHOLE = new Set(["role", "type", "id", "name", "object", "model", "format"]);
/** Longest list that is searched for an entry: far longer than any model sends, and short enough to search for each piece. */
const SEARCHED = 4_096;

/**
 * Merges a piece into the target. Entries of lists are matched by `index`. Entries without one are appended. A field `__proto__` is
 * dropped: the vendor can be any server, and merging it would change the prototype that all objects of the isolate share.
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

/** A number from `JSON.rawJSON` is an object at runtime. It is frozen, and no other object here is. */
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

/** Replaces fields of the same names. A spread would copy all existing fields for each piece. */
export function setFields(target: JsonObject, fields: JsonObject): void {
  for (const [key, value] of Object.entries(fields)) if (key !== "__proto__") target[key] = value;
}

/** Returns a deep copy, because later pieces are merged into its lists and objects. */
function ownCopy(value: JsonObject): JsonObject {
  const copy: JsonObject = {};
  mergePiece(copy, value);
  return copy;
}

/** Adds two usages, field by field. */
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
