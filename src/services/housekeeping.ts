// What the gateway does every hour, without a caller.

import { dayOf } from "../domain/access/quota";
import { DURATIONS } from "../domain/durations";
import { IMPORT_LIMITS } from "../domain/imports/limits";
import { CATALOG_LIMITS } from "../domain/limits";
import { forgetTails } from "../storage/d1/chat/models";
import { forgetSessions } from "../storage/d1/console/sessions";
import { forgetDoorLinks } from "../storage/d1/doors/links";
import { lostImports } from "../storage/d1/imports/imports";
import { forgetClients } from "../storage/d1/sign-in/clients";
import { forgetCodes } from "../storage/d1/sign-in/codes";
import { forgetGrants } from "../storage/d1/sign-in/grants";
import { forgetLinks } from "../storage/d1/sign-in/links";
import { forgetPages } from "../storage/d1/sign-in/pages";
import { forgetUses, putSkillOrder, readMostUsed } from "../storage/d1/skill-use";
import { forgetUsage } from "../storage/d1/usage";
import { sweepImportArchives } from "../storage/r2/import-archives";
import type { Context } from "./context";
import { sweepParts } from "./doors/parts";
import type { OpenImport } from "./imports/api";
import { sweepDrafts } from "./registry/drafts";
import { type SweepContext, sweep } from "./registry/sweep";
import { recordSettings } from "./settings-record";
import { sweepFiles } from "./tools/kept-files";

const DAY_MS = 24 * 60 * 60_000;

/**
 * Removes what failed publishes left behind and files whose time is over, forgets the counts of earlier days, makes tomorrow's order of skills, and records a change
 * of the settings.
 */
export async function keepHouse(
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
  await forgetUsage(db, today);
  await forgetDoorLinks(db, context.now());
  // A conversation that is gone is found by nothing.
  await forgetTails(db, today - settings.CONVERSATION_IDLE_DAYS * DAY_MS);
  const now = context.now();
  await forgetPages(db, now);
  await forgetLinks(db, now);
  await forgetSessions(db, now);
  await forgetClients(db, now);
  // Each is known for a while after its end: what is shown again then tells that two have it.
  await forgetCodes(db, now - DURATIONS.codeKnown);
  await forgetGrants(db, { tokens: now - DURATIONS.accessTokenKnown, grants: now - DURATIONS.grantKept });
  const counts = today - DURATIONS.useHistory;
  await forgetUses(db, today, { counts, batches: today - DURATIONS.useSentKnown });
  // Tomorrow's, and never today's: what stands in front of prompts does not change within a day.
  const most = await readMostUsed(db, today - DURATIONS.useRecent, CATALOG_LIMITS.listedSkills);
  await putSkillOrder(db, today + DAY_MS, most);
  await recordSettings(db, settings, context.newId("usr"));
}

/** Lost at once, by an hour: more than there are. */
const LOST_IMPORTS = 100;

/** Wakes imports whose alarm was lost, and drops archives that a run left behind. */
async function goOnWithImports(context: SweepContext, open: OpenImport): Promise<void> {
  const { db, packages, timings } = context;
  await sweepImportArchives(packages, timings, context.now() - IMPORT_LIMITS.archiveKeptMs);
  for (const { id } of await lostImports(db, context.now() - IMPORT_LIMITS.lostMs, LOST_IMPORTS))
    await open(id).wake(id);
}
