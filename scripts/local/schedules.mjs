// Cloudflare's cron triggers, for local runs: workerd fires none by itself.

const HOUR = 3_600_000;

/**
 * Calls back at every full hour with each schedule, whatever it says: what schedules start is housekeeping, which does no harm when
 * it runs at another minute or too often, and a reader of cron's five fields is not worth that difference.
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
