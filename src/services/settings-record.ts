// Records changed settings in the audit log. No route changes settings, so the hourly job compares them after a deployment.

import { DEPLOYMENT_USER } from "../domain/access/access";
import { type JsonObject, jsonObject } from "../domain/json";
import { listAudit, recordOnly } from "../storage/d1/audit";
import type { Database } from "../storage/d1/database";

/** Of keys and secrets, only whether they are set is recorded. Numbers are limits and are recorded. */
const SECRET = /KEY|SECRET|TOKEN|OTLP_HEADERS/;
const NOTHING = ['""', "[]", "{}"];

/**
 * Records the settings if they differ from the last record.
 *
 * @param settings as the Worker reads them
 * @param pseudonym a pseudonym for the deployment, if it has none yet
 */
export async function recordSettings(db: Database, settings: object, pseudonym: string): Promise<void> {
  const after: JsonObject = {};
  for (const [name, value] of Object.entries(settings).sort(([a], [b]) => (a < b ? -1 : 1)))
    after[name] =
      SECRET.test(name) && typeof value !== "number"
        ? value !== undefined && !NOTHING.includes(JSON.stringify(value))
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
