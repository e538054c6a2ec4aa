// Cloudflare's cron triggers for local runs, because workerd does not run them.

const HOUR = 3_600_000;

/**
 * Calls `run` at every full hour for each schedule and ignores the cron expression. All schedules start housekeeping, which may run
 * at another minute or more often, so no cron parser is needed.
 * @param {string[]} schedules those of wrangler.toml
 * @param {(cron: string, at: Date) => void} run
 */
export function runEveryHour(schedules, run) {
  const wait = HOUR - (Date.now() % HOUR);
  setTimeout(() => {
    const now = new Date();
    for (const cron of schedules) run(cron, now);
    runEveryHour(schedules, run);
  }, wait).unref();
}
