// The hourly cron of wrangler.toml.

import { dayOf } from "./domain/access/quota";
import { makeId } from "./domain/id";
import { settingsFrom } from "./domain/settings";
import { sweep } from "./services/registry/sweep";
import { recordSettings } from "./services/settings-record";
import { openDatabase } from "./storage/d1/database";
import { forgetUsage } from "./storage/d1/usage";

/** Removes what failed publishes left behind. A failure is logged by the platform, and the next hour tries again. */
export async function scheduled(_event: ScheduledController, env: Env): Promise<void> {
  const timings = { storage: 0 };
  // A replica may lag behind a commit; what has no row must be known, not guessed.
  const db = openDatabase(env.DB.withSession("first-primary"), timings);
  const deleted = await sweep({ db, packages: env.PACKAGES, timings, now: () => Date.now() });
  console.log(JSON.stringify({ event: "sweep", deleted }));
  await forgetUsage(db, dayOf(Date.now()));
  await recordSettings(db, settingsFrom(env), makeId("usr", Date.now(), crypto.getRandomValues(new Uint8Array(10))));
}
