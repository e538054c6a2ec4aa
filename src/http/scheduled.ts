// The hourly cron of wrangler.toml.

import { sweep } from "../services/sweep";
import { openDatabase } from "../storage/database";

/** Removes what failed publishes left behind. A failure is logged by the platform, and the next hour tries again. */
export async function scheduled(_event: ScheduledController, env: Env): Promise<void> {
  const timings = { storage: 0 };
  // A replica may lag behind a commit; what has no row must be known, not guessed.
  const db = openDatabase(env.DB.withSession("first-primary"), timings);
  const deleted = await sweep({ db, packages: env.PACKAGES, timings, now: () => Date.now() });
  console.log(JSON.stringify({ event: "sweep", deleted }));
}
