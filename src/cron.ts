// The hourly cron of wrangler.toml.

import { settingsFrom } from "./domain/settings/settings";
import { importObjects, newId, primaryDatabase } from "./edge/context";
import { cleanUp } from "./services/cleanup";

/** Runs the hourly jobs. The platform logs a failure. The next run tries again. */
export async function scheduled(_event: ScheduledController, env: Env): Promise<void> {
  const timings = { storage: 0 };
  // A replica may lag behind a commit. Whether a row exists must be certain here.
  const db = primaryDatabase(env, timings);
  const context = { db, packages: env.PACKAGES, timings, settings: settingsFrom(env), now: () => Date.now() };
  await cleanUp({ ...context, newId: newId }, importObjects(env));
}
