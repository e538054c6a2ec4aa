// Hourly maintenance, without a caller.

import { dayOf } from "../domain/access/quota";
import { DURATIONS } from "../domain/durations";
import { IMPORT_LIMITS } from "../domain/imports/limits";
import { INSIGHT_LIMITS } from "../domain/insights/period";
import { CATALOG_LIMITS } from "../domain/limits";
import { deleteOldChatTails } from "../storage/d1/chat/models";
import { deleteExpiredSharedLinks } from "../storage/d1/compat/links";
import { deleteExpiredSessions } from "../storage/d1/console/sessions";
import { deleteOldEvents } from "../storage/d1/events";
import { stalledImports } from "../storage/d1/imports/imports";
import { addListings, deleteOldInsights, deleteOldSearches, rollUpHours } from "../storage/d1/insights/add";
import { deleteExpiredPublishingKeys } from "../storage/d1/publishers";
import { deleteOldSkillUsers } from "../storage/d1/registry/ratings";
import { deleteOldReports } from "../storage/d1/registry/reports";
import { deleteOldReviews } from "../storage/d1/review/reviews";
import { deleteOldServerChecks } from "../storage/d1/servers/checks";
import { deleteExpiredConnectRequests, deleteUnusedUpstreamClients } from "../storage/d1/servers/connect-requests";
import { deleteOrphanConnections, deleteUnproved } from "../storage/d1/servers/connections";
import { deleteUnusedClients } from "../storage/d1/sign-in/clients";
import { deleteExpiredCodes } from "../storage/d1/sign-in/codes";
import { deleteExpiredGrants } from "../storage/d1/sign-in/grants";
import { deleteExpiredLinks } from "../storage/d1/sign-in/links";
import { deleteExpiredPages } from "../storage/d1/sign-in/pages";
import { deleteOldUses, putSkillOrder, readMostUsed } from "../storage/d1/skill-use";
import { deleteOldUsage } from "../storage/d1/usage";
import { deleteOldDeliveries } from "../storage/d1/webhooks";
import { sweepImportArchives } from "../storage/r2/import-archives";
import { sweepParts } from "./compat/upload-parts";
import { revokeConnections } from "./connections/revoke";
import type { Context } from "./context";
import type { OpenImport } from "./imports/api";
import { compareVersions } from "./insights/failing";
import { sweepDrafts } from "./registry/drafts";
import { type SweepContext, sweep } from "./registry/sweep";
import { recordSettings } from "./settings-record";
import { sweepFiles } from "./tools/stored-files";

const DAY_MS = 24 * 60 * 60_000;

/** Deletes remains of failed publishes, expired files and old counts, computes tomorrow's skill order, and records changed settings. */
export async function cleanUp(
  context: SweepContext & Pick<Context, "settings" | "newId">,
  openImport: OpenImport,
): Promise<void> {
  const { db, settings } = context;
  const deleted = await sweep(context);
  const files = await sweepFiles(context);
  const drafts = await sweepDrafts(context);
  const parts = await sweepParts(context);
  console.log(JSON.stringify({ event: "sweep", deleted, files, drafts, parts }));
  await goOnWithImports(context, openImport);
  const today = dayOf(context.now());
  await deleteOldUsage(db, today);
  await deleteExpiredSharedLinks(db, context.now());
  // Deleted conversations are not found by their tails.
  await deleteOldChatTails(db, today - settings.CONVERSATION_IDLE_DAYS * DAY_MS);
  const now = context.now();
  await deleteExpiredPages(db, now);
  await deleteExpiredLinks(db, now);
  await deleteExpiredSessions(db, now);
  await deleteExpiredPublishingKeys(db, now);
  await deleteExpiredConnectRequests(db, now);
  const unused = [...(await deleteUnproved(db, now)), ...(await deleteOrphanConnections(db, ORPHANS))];
  await revokeConnections(context, unused);
  await deleteUnusedUpstreamClients(db, now - DAY_MS);
  await deleteUnusedClients(db, now);
  await deleteOldServerChecks(db, now - DURATIONS.serverChecksKept);
  await deleteOldReviews(db, now - DURATIONS.reviewsKept, OLD_REVIEWS);
  await deleteOldDeliveries(db, now - DURATIONS.webhookDeliveriesKept);
  await deleteOldEvents(db, now - DURATIONS.eventsKept);
  // Codes are kept for a while after their end, so that a second use is detected as a leak.
  await deleteExpiredCodes(db, now - DURATIONS.codeKnown);
  await deleteExpiredGrants(db, { tokens: now - DURATIONS.accessTokenKnown, grants: now - DURATIONS.grantKept });
  const counts = today - DURATIONS.useHistory;
  for (let round = 0; round < LISTING_ROUNDS && (await addListings(db)); round++);
  await compareVersions(context);
  await rollUpHours(db, today - INSIGHT_LIMITS.hourDays * DAY_MS);
  await deleteOldInsights(db, counts);
  // Without the setting, nothing is stored any longer.
  await deleteOldSearches(
    db,
    settings.INSIGHT_QUERIES === "on" ? now - INSIGHT_LIMITS.queryDays * DAY_MS : now + DAY_MS,
  );
  await deleteOldSkillUsers(db, today - DURATIONS.skillUsersKept);
  await deleteOldReports(db, now - DURATIONS.reportsKept);
  await deleteOldUses(db, today, { counts, batches: today - DURATIONS.useSentKnown });
  // For tomorrow, never for today: the skill order in prompts does not change within a day.
  const most = await readMostUsed(db, today - DURATIONS.useRecent, CATALOG_LIMITS.listedSkills);
  await putSkillOrder(db, today + DAY_MS, most);
  await recordSettings(db, settings, context.newId("usr"));
}

/** Maximum number of statements that add lists of skills per hour. */
const LISTING_ROUNDS = 20;

/** Maximum number of connections to deleted servers that are revoked per hour. */
const ORPHANS = 100;

/** Maximum number of old submissions that are deleted per hour. */
const OLD_REVIEWS = 1_000;

/** Maximum number of stalled imports woken per hour. */
const LOST_IMPORTS = 100;

/** Wakes imports whose alarm was lost, and deletes archives of finished runs. */
async function goOnWithImports(context: SweepContext, open: OpenImport): Promise<void> {
  const { db, packages, timings } = context;
  await sweepImportArchives(packages, timings, context.now() - IMPORT_LIMITS.archiveKeptMs);
  for (const { id } of await stalledImports(db, context.now() - IMPORT_LIMITS.lostMs, LOST_IMPORTS))
    await open(id).wake(id);
}
