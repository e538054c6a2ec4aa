// Calls every function that stores webhooks and their deliveries, for the query plan test.

import { sql } from "drizzle-orm";
import type { Database } from "../../src/storage/d1/database";
import { deleteOldEvents, eventsAfter, missedEvents, storeEvent } from "../../src/storage/d1/events";
import * as webhooks from "../../src/storage/d1/webhooks";
import { BIG_USER } from "./registry-10k";

const SCOPE = `user:${BIG_USER}`;
const SEALED = { keyId: "key", iv: "iv", ciphertext: "text" };
const PLACE = { scope: SCOPE, name: "hook" };
const QUEUED = { id: "evt_1", scope: SCOPE, webhook: "hook", type: "webhook.test", data: {} };

/** Calls by the name of the function. */
export const WEBHOOK_QUERIES: Record<string, (db: Database) => Promise<unknown>> = {
  putWebhook: (db) =>
    webhooks.putWebhook(db, {
      ...PLACE,
      ...SEALED,
      url: "https://a.example/",
      events: ["skill.deleted"],
      enabled: true,
    }),
  replaceWebhookSecret: (db) => webhooks.replaceWebhookSecret(db, { ...PLACE, ...SEALED }),
  webhooksUnderOtherKeys: (db) => webhooks.webhooksUnderOtherKeys(db, "other", 100),
  reencryptWebhook: async (db) => {
    const row = await webhooks.readWebhook(db, SCOPE, "hook");
    if (row === null) throw new Error("putWebhook comes before.");
    await webhooks.reencryptWebhook(db, row, SEALED);
  },
  readWebhook: (db) => webhooks.readWebhook(db, SCOPE, "hook"),
  listWebhooks: async (db) => {
    await webhooks.listWebhooks(db, SCOPE, 100, null);
    await webhooks.listWebhooks(db, SCOPE, 100, "a");
  },
  queueEvent: async (db) => webhooks.queueEvent(db, { scope: SCOPE, type: "skill.deleted", data: {} }, sql`true`),
  storeEvent: async (db) => storeEvent(db, { scope: SCOPE, type: "skill.deleted", data: {} }, sql`true`),
  eventsAfter: (db) => eventsAfter(db, 0, 500),
  missedEvents: async (db) => {
    await missedEvents(db, [SCOPE, "public"], 0);
    await missedEvents(db, [SCOPE], null);
  },
  deleteOldEvents: (db) => deleteOldEvents(db, 2),
  queueForWebhook: (db) => webhooks.queueForWebhook(db, QUEUED),
  requeueDelivery: (db) => webhooks.requeueDelivery(db, QUEUED),
  claimDeliveries: async (db) => {
    await webhooks.claimDeliveries(db, Date.now() + 1, SCOPE);
    await webhooks.claimDeliveries(db, Date.now() + 1, null);
  },
  recordAttempt: (db) =>
    webhooks.recordAttempt(db, PLACE, {
      id: "evt_1",
      attempts: 1,
      state: "failed",
      nextAt: 1,
      status: 500,
      problem: "no",
    }),
  listDeliveries: async (db) => {
    await webhooks.listDeliveries(db, PLACE, 100, null);
    await webhooks.listDeliveries(db, PLACE, 100, { at: 1, id: "evt_1" });
  },
  disableWebhook: (db) => webhooks.disableWebhook(db, { ...PLACE, url: "https://a.example/" }, "gone"),
  deleteOldDeliveries: (db) => webhooks.deleteOldDeliveries(db, 2),
  deleteWebhook: (db) => webhooks.deleteWebhook(db, SCOPE, "hook"),
};
