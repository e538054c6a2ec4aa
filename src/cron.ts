// The hourly cron of wrangler.toml. What it does is read when it rings: no request waits for it.

import { settingsFrom } from "./domain/settings/settings";
import { freshId, primaryDatabase } from "./edge/context";

/** Does what is due every hour. A failure is logged by the platform, and the next hour tries again. */
export async function scheduled(_event: ScheduledController, env: Env): Promise<void> {
  const { keepHouse } = await import("./services/housekeeping");
  const timings = { storage: 0 };
  // A replica may lag behind a commit; what has no row must be known, not guessed.
  const db = primaryDatabase(env, timings);
  await keepHouse({
    db,
    packages: env.PACKAGES,
    timings,
    settings: settingsFrom(env),
    now: () => Date.now(),
    newId: freshId,
  });
}
