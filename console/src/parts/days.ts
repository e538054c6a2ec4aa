// Days of a chart.

import type { Point } from "./lines";

const DAY_MS = 24 * 60 * 60_000;

/** Returns a point for each of `count` days up to `last` (a date such as 2026-11-26), also for days without a row. */
export function pointsByDay<Row>(
  last: string,
  count: number,
  rows: readonly Row[],
  { dayOf, values }: { dayOf: (row: Row) => string; values: (row: Row | undefined) => readonly number[] },
): Point[] {
  const byDay = new Map(rows.map((row) => [dayOf(row), row]));
  return Array.from({ length: count }, (_, n): Point => {
    const day = new Date(Date.parse(last) - (count - 1 - n) * DAY_MS).toISOString().slice(0, 10);
    return [day, values(byDay.get(day))];
  });
}
