// D1 tables of webhooks and of their deliveries.

import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { JsonObject } from "../../../domain/json";
import { now } from "./registry";

/** `scope` is `gateway`, `group:<name>` or `user:<id>`. Webhooks of the gateway receive events of public skills. */
export const webhooks = sqliteTable(
  "webhooks",
  {
    scope: text().notNull(),
    name: text().notNull(),
    url: text().notNull(),
    events: text({ mode: "json" }).$type<string[]>().notNull(),
    enabled: integer({ mode: "boolean" }).notNull(),
    /** Why the gateway disabled it; `null` if it did not. */
    disabledReason: text("disabled_reason"),
    /** The encrypted signing secret. */
    keyId: text("key_id").notNull(),
    iv: text().notNull(),
    ciphertext: text().notNull(),
    createdAt: integer("created_at").notNull().default(now),
    updatedAt: integer("updated_at").notNull().default(now),
  },
  (t) => [primaryKey({ columns: [t.scope, t.name] })],
);

/** Written in the batch of the change, so that no event is lost. Ended rows are deleted after `DURATIONS.webhookDeliveriesKept`. */
export const webhookDeliveries = sqliteTable(
  "webhook_deliveries",
  {
    id: text().primaryKey(),
    scope: text().notNull(),
    webhook: text().notNull(),
    type: text().notNull(),
    data: text({ mode: "json" }).$type<JsonObject>().notNull(),
    /** Time of the event. */
    at: integer().notNull(),
    state: text({ enum: ["pending", "delivered", "failed"] })
      .notNull()
      .default("pending"),
    attempts: integer().notNull().default(0),
    /** Time of the next attempt, or of the last one if it ended. */
    nextAt: integer("next_at").notNull(),
    /** HTTP status of the last attempt; `null` without a response. */
    status: integer(),
    /** Why the last attempt failed. */
    problem: text(),
  },
  (t) => [
    index("webhook_deliveries_due").on(t.state, t.nextAt),
    index("webhook_deliveries_webhook").on(t.scope, t.webhook, t.at),
  ],
);

/** What an export contains of the deliveries of a user's webhooks. */
export const EXPORTED_DELIVERIES = {
  as: "webhook_deliveries",
  columns: {
    webhook: webhookDeliveries.webhook,
    type: webhookDeliveries.type,
    data: webhookDeliveries.data,
    at: webhookDeliveries.at,
    state: webhookDeliveries.state,
    attempts: webhookDeliveries.attempts,
    status: webhookDeliveries.status,
    problem: webhookDeliveries.problem,
  },
};
