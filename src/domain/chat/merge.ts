// Putting the pieces of a streamed answer together without knowing their fields: what a vendor adds tomorrow goes back to it as it came.

import { isJsonObject, type JsonObject, type JsonValue } from "../json";

/** Texts that are said once, or again and again the same; every other text comes in pieces. */
const WHOLE = new Set(["role", "type", "id", "name", "object", "model", "format"]);

/** Merges a piece into what there is. Entries of lists belong together by their `index`; those without one are added. */
export function mergePiece(target: JsonObject, piece: JsonObject): void {
  for (const [key, value] of Object.entries(piece)) {
    const before = target[key];
    if (value === null) target[key] ??= null;
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
    const known = list.find((entry) => isJsonObject(entry) && index !== undefined && entry.index === index);
    if (isJsonObject(known) && isJsonObject(piece)) mergePiece(known, piece);
    else list.push(isPlain(piece) ? ownCopy(piece) : piece);
  }
  return list;
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
    const before = sum[key];
    if (typeof value === "number") sum[key] = (typeof before === "number" ? before : 0) + value;
    else if (isJsonObject(value)) sum[key] = addUsage(isJsonObject(before) ? before : {}, value);
    else sum[key] = value;
  }
  return sum;
}
