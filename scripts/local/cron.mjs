// Cloudflare's cron triggers, for local runs: workerd fires none by itself.

import { Refusal } from "../kit/refusal.mjs";

/**
 * Calls back in every minute that one of the schedules names.
 * @param {string[]} schedules five fields, as in wrangler.toml
 * @param {(cron: string, at: Date) => Promise<void>} run
 */
export function followSchedules(schedules, run) {
  const parsed = schedules.map((cron) => ({ cron, isDue: parseSchedule(cron) }));
  const next = () => {
    const wait = 60_000 - (Date.now() % 60_000);
    setTimeout(() => {
      const now = new Date();
      for (const { cron, isDue } of parsed) if (isDue(now)) void run(cron, now);
      next();
    }, wait).unref();
  };
  if (parsed.length > 0) next();
}

/** @returns {(at: Date) => boolean} in UTC, as at Cloudflare */
export function parseSchedule(cron) {
  const fields = cron.trim().split(/\s+/);
  if (fields.length !== 5) throw new Refusal(`'${cron}' is not a schedule of five fields.`);
  const tests = fields.map(parseField);
  return (at) => {
    const now = [at.getUTCMinutes(), at.getUTCHours(), at.getUTCDate(), at.getUTCMonth() + 1, at.getUTCDay()];
    return tests.every((test, i) => test(now[i]));
  };
}

// `*`, `5`, `1-5`, each also with a step after a slash, and lists of these.
function parseField(field, i) {
  const minimum = i === 2 || i === 3 ? 1 : 0;
  const parts = field.split(",").map((part) => {
    const match = /^(?:\*|(\d+)(?:-(\d+))?)(?:\/(\d+))?$/.exec(part);
    if (match === null) throw new Refusal(`'${field}' is not understood in a schedule.`);
    const [, from, to, every] = match;
    const first = Number(from ?? minimum);
    const last =
      to !== undefined ? Number(to) : from !== undefined && every === undefined ? first : Number.POSITIVE_INFINITY;
    return (value) => value >= first && value <= last && (value - first) % Number(every ?? 1) === 0;
  });
  return (value) => parts.some((fits) => fits(value));
}
