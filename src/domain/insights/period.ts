// The period of figures: whole days or hours in UTC.

import { dayOf } from "../access/quota";
import { invalid } from "../errors";

const DAY_MS = 24 * 60 * 60_000;
const HOUR_MS = 60 * 60_000;

/** Figures of hours exist for about a week. */
export const INSIGHT_LIMITS = {
  days: 400,
  /** Days of a period by hour, and for which sums are stored by hour. Older ones are stored by day. */
  hourDays: 8,
  defaultDays: 30,
  /** Days for which searches without a result are stored. */
  queryDays: 30,
  /** Rows of a CSV file. */
  csvRows: 1_000,
  /** Days without use after which a skill counts as unused. */
  unusedDays: 30,
} as const;

export type Interval = "hour" | "day";
export const intervalMs = (interval: Interval): number => (interval === "hour" ? HOUR_MS : DAY_MS);

/** What a request says of the period: days as `YYYY-MM-DD`, both included. */
export interface AskedPeriod {
  from?: string | undefined;
  to?: string | undefined;
  interval?: Interval | undefined;
}

/** Returns the period from the start of the first day to the end of the last. Default: the last 30 days, including today. */
export function periodOf({ from, to, interval = "day" }: AskedPeriod, now: number): { from: number; to: number } {
  const last = to === undefined ? dayOf(now) : Date.parse(to);
  const days = interval === "hour" ? INSIGHT_LIMITS.hourDays : INSIGHT_LIMITS.defaultDays;
  const first = from === undefined ? last - (days - 1) * DAY_MS : Date.parse(from);
  const count = (last - first) / DAY_MS + 1;
  const wrong = (message: string, path: string) => invalid([{ code: "INVALID_FIELD", message, path }]);
  if (Number.isNaN(first)) throw wrong("The date does not exist. Use YYYY-MM-DD.", "from");
  if (Number.isNaN(last)) throw wrong("The date does not exist. Use YYYY-MM-DD.", "to");
  if (count < 1) throw wrong("`from` is after `to`. Exchange them.", "from");
  const most = interval === "hour" ? INSIGHT_LIMITS.hourDays : INSIGHT_LIMITS.days;
  if (count > most) {
    const message = `The period is too long (limit ${most} days${interval === "hour" ? " by hour" : ""}). Use a later \`from\`.`;
    throw wrong(message, "from");
  }
  return { from: first, to: last + DAY_MS };
}

/** Returns a day as `YYYY-MM-DD`. */
export const dateText = (day: number): string => new Date(day).toISOString().slice(0, 10);
