// No route changes settings, so the hourly job records a change of them once the next deployment is at work.

import { DEPLOYMENT_USER } from "../domain/access/access";
import { type JsonObject, jsonObject } from "../domain/json";
import { listAudit, recordOnly } from "../storage/d1/audit";
import type { Database } from "../storage/d1/database";

/** What keys and secrets are is nobody's to read: only whether they are set. A number is how many there may be of something. */
const SECRET = /KEY|SECRET|TOKEN/;

/**
 * Records the settings when they are not those that were recorded last.
 *
 * @param settings as the Worker reads them
 * @param pseudonym of the deployment, if it has none yet
 */
export async function recordSettings(db: Database, settings: object, pseudonym: string): Promise<void> {
  const after: JsonObject = {};
  for (const [name, value] of Object.entries(settings).sort(([a], [b]) => (a < b ? -1 : 1)))
    after[name] =
      SECRET.test(name) && typeof value !== "number"
        ? value !== undefined && String(value) !== ""
        : (JSON.stringify(value) ?? null);
  const [last] = await listAudit(db, { action: "settings.change" }, 1, null);
  if (last !== undefined && JSON.stringify(last.after) === JSON.stringify(after)) return;
  const before = last === undefined ? null : jsonObject.parse(last.after);
  const actor = {
    userId: DEPLOYMENT_USER,
    keyId: DEPLOYMENT_USER,
    requestId: "scheduled",
    pseudonym,
    otherPseudonym: pseudonym,
  };
  await recordOnly(db, actor, {
    action: "settings.change",
    resourceType: "settings",
    resourceId: "settings",
    before,
    after,
    about: null,
    when: null,
  });
}
