// Cloudflare's cron triggers, for local runs: workerd fires none by itself.

const HOUR = 3_600_000;

/**
 * Calls `run` at every full hour for each schedule, whatever its cron expression. The schedules start housekeeping, which can run at
 * another minute or too often without harm, so this avoids a parser for cron.
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
