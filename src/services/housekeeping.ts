// What the gateway does every hour, without a caller.

import { dayOf } from "../domain/access/quota";
import { forgetUsage } from "../storage/d1/usage";
import type { Context } from "./context";
import { type SweepContext, sweep } from "./registry/sweep";
import { recordSettings } from "./settings-record";

/** Removes what failed publishes left behind, forgets the counts of earlier days, and records a change of the settings. */
export async function keepHouse(context: SweepContext & Pick<Context, "settings" | "newId">): Promise<void> {
  const { db, settings } = context;
  const deleted = await sweep(context);
  console.log(JSON.stringify({ event: "sweep", deleted }));
  await forgetUsage(db, dayOf(context.now()));
  await recordSettings(db, settings, context.newId("usr"));
}
