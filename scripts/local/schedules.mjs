// Cloudflare's cron triggers for local runs, because workerd does not run them.

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** A schedule such as every five minutes. */
const EVERY_MINUTES = /^\*\/(\d+) \* \* \* \*$/;

/**
 * Calls `run` for each schedule: at its interval for a schedule in minutes, and at every full hour for any other expression. Housekeeping
 * may run at another minute or more often, so no cron parser is needed.
 * @param {string[]} schedules those of wrangler.toml
 * @param {(cron: string, at: Date) => void} run
 */
export function runSchedules(schedules, run) {
  for (const cron of schedules) {
    const minutes = EVERY_MINUTES.exec(cron)?.[1];
    repeat(minutes === undefined ? HOUR : Number(minutes) * MINUTE, (at) => run(cron, at));
  }
}

function repeat(period, run) {
  const wait = period - (Date.now() % period);
  setTimeout(() => {
    run(new Date());
    repeat(period, run);
  }, wait).unref();
}
