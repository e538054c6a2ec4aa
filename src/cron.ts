// The scheduled jobs of wrangler.toml: housekeeping every hour; checks of MCP servers and retries of webhooks every five minutes.

import { DEPLOYMENT_USER } from "./domain/access/access";
import { settingsFrom } from "./domain/settings/settings";
import { importObjects, makeContext, newId, primaryDatabase } from "./edge/context";
import { cleanUp } from "./services/cleanup";
import { runServerChecks } from "./services/registry/server-checks";
import { sendDueEvents } from "./services/webhooks/send";

/** The schedule of the checks and retries, as in wrangler.toml. Every other schedule starts the housekeeping. */
const CHECKS = "*/5 * * * *";

/** Runs a job. The platform logs a failure. The next run tries again. */
export async function scheduled({ cron }: Pick<ScheduledController, "cron">, env: Env): Promise<void> {
  if (cron === CHECKS) {
    const sending = { primary: primaryDatabase(env, { storage: 0 }), settings: settingsFrom(env), now: Date.now };
    const jobs = await Promise.allSettled([sendDueEvents(sending, null), runChecks(env)]);
    const failed = jobs.flatMap((job) => (job.status === "rejected" ? [job.reason] : []));
    if (failed.length > 0) throw new AggregateError(failed, "A scheduled job failed.");
    return;
  }
  const timings = { storage: 0 };
  // A replica may lag behind a commit. Whether a row exists must be certain here.
  const db = primaryDatabase(env, timings);
  const context = { db, packages: env.PACKAGES, timings, settings: settingsFrom(env), now: () => Date.now() };
  await cleanUp({ ...context, newId: newId }, importObjects(env));
}

async function runChecks(env: Env): Promise<void> {
  const rest: Promise<void>[] = [];
  const principal = { userId: DEPLOYMENT_USER, role: "admin", groups: [], scopes: [], keyId: DEPLOYMENT_USER } as const;
  const caller = { principal, counters: {}, asOf: null, requestId: "scheduled", stale: false };
  await runServerChecks(makeContext(env, { caller, later: (work) => void rest.push(work) }));
  await Promise.allSettled(rest);
}
