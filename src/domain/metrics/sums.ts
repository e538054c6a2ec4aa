// Sums of counted values: in an isolate since it last sent them, in the object since its creation.

import { BUCKETS, FAMILIES, type FamilyName, familyNamed, OTHER } from "./families";

/** By family and labels: the sum of a counter; for a histogram, the sum of its values and the count of each bucket. */
export type Sums = Map<string, number[]>;

/** Sums as sent and stored. */
export interface SumRow {
  key: string;
  sum: number[];
}

/** Returns all sums. */
export function rowsOf(sums: Sums): SumRow[] {
  return [...sums].map(([key, sum]) => ({ key, sum }));
}

/** Separates the parts of a key. No label contains it. */
const BETWEEN = "\0";

/** Maximum length of a label, in UTF-16 units. */
const LABEL_CHARS = 100;

/** Adds a value to the sums. */
export function addTo(sums: Sums, family: FamilyName, labels: readonly string[], by: number): void {
  if (!Number.isFinite(by) || by < 0) return;
  const safeLabels = labels.map((label) => label.slice(0, LABEL_CHARS).toWellFormed().replaceAll(BETWEEN, " "));
  put(sums, keyOf(family, safeLabels), FAMILIES[family].type === "counter" ? [by] : observed(by));
}

/** Adds an isolate's counts. Label values above the limit are counted as `OTHER`. */
export function addAll(sums: Sums, rows: readonly SumRow[]): void {
  const named = new Map<string, Set<string>>();
  for (const key of sums.keys()) {
    const { family, labels } = partsOf(key);
    const names = named.get(family) ?? new Set();
    named.set(family, names.add(labels[0] ?? ""));
  }
  for (const { key, sum } of rows) {
    const { family, labels } = partsOf(key);
    const most = familyNamed(family)?.names ?? Number.POSITIVE_INFINITY;
    const names = named.get(family) ?? new Set();
    const [name = "", ...others] = labels;
    const isKnown = names.has(name) || name === OTHER;
    if (isKnown || names.size < most) {
      named.set(family, names.add(name));
      put(sums, key, sum);
    } else put(sums, keyOf(family, [OTHER, ...others]), sum);
  }
}

/** Returns the family and the labels of a sum. */
export function partsOf(key: string): { family: string; labels: string[] } {
  const [family = "", ...labels] = key.split(BETWEEN);
  return { family, labels };
}

function keyOf(family: string, labels: readonly string[]): string {
  return [family, ...labels].join(BETWEEN);
}

function put(sums: Sums, key: string, sum: readonly number[]): void {
  const before = sums.get(key);
  sums.set(
    key,
    sum.map((value, index) => value + (before?.[index] ?? 0)),
  );
}

function observed(seconds: number): number[] {
  const bucket = BUCKETS.findIndex((most) => seconds <= most);
  const at = bucket === -1 ? BUCKETS.length : bucket;
  return [seconds, ...Array.from({ length: BUCKETS.length + 1 }, (_, index) => (index === at ? 1 : 0))];
}
