// Stores webhooks and queues their deliveries in D1.

import { and, asc, desc, eq, gt, inArray, lt, ne, or, type SQL, sql } from "drizzle-orm";
import { WEBHOOK_LIMITS } from "../../domain/webhooks/webhooks";
import type { Database } from "./database";
import { now } from "./schema/registry";
import { webhookDeliveries, webhooks } from "./schema/webhooks";

export type WebhookRow = typeof webhooks.$inferSelect;
export type DeliveryRow = typeof webhookDeliveries.$inferSelect;
/** What a request sets. */
export type WebhookInput = Omit<WebhookRow, "createdAt" | "updatedAt" | "disabledReason">;

const isWebhook = (scope: string, name: string) => and(eq(webhooks.scope, scope), eq(webhooks.name, name));

/**
 * Creates a webhook, or replaces it except for its signing secret. Returns `null` if the scope has `WEBHOOK_LIMITS.perScope` others.
 */
export async function putWebhook(
  db: Database,
  input: WebhookInput,
): Promise<{ row: WebhookRow; created: boolean } | null> {
  const { scope, name, url, events, enabled, keyId, iv, ciphertext } = input;
  const others = sql`SELECT count(*) FROM ${webhooks} WHERE ${webhooks.scope} = ${scope} AND ${webhooks.name} <> ${name}`;
  const [before, , after] = await db.batch([
    db.select({ name: webhooks.name }).from(webhooks).where(isWebhook(scope, name)),
    db
      .insert(webhooks)
      .select(
        sql`SELECT ${scope}, ${name}, ${url}, ${JSON.stringify(events)}, ${enabled ? 1 : 0}, NULL, ${keyId}, ${iv}, ${ciphertext}, ${now}, ${now} WHERE (${others}) < ${WEBHOOK_LIMITS.perScope}`,
      )
      .onConflictDoUpdate({
        target: [webhooks.scope, webhooks.name],
        set: { url, events, enabled, disabledReason: null, updatedAt: now },
      }),
    db.select().from(webhooks).where(isWebhook(scope, name)),
  ]);
  const [row] = after;
  return row === undefined ? null : { row, created: before.length === 0 };
}

/** Replaces the signing secret. Returns `false` if the webhook does not exist. */
export async function replaceWebhookSecret(
  db: Database,
  { scope, name, keyId, iv, ciphertext }: Pick<WebhookRow, "scope" | "name" | "keyId" | "iv" | "ciphertext">,
): Promise<boolean> {
  const [changed] = await db.batch([
    db
      .update(webhooks)
      .set({ keyId, iv, ciphertext, updatedAt: now })
      .where(isWebhook(scope, name))
      .returning({ name: webhooks.name }),
  ]);
  return changed.length > 0;
}

/** Returns webhooks whose secret is encrypted with another key, and their number. */
export async function webhooksUnderOtherKeys(db: Database, keyId: string, limit: number) {
  const other = ne(webhooks.keyId, keyId);
  const [rows, [counted]] = await db.batch([
    db.select().from(webhooks).where(other).limit(limit),
    db.select({ count: sql<number>`count(*)` }).from(webhooks).where(other),
  ]);
  return { rows, count: counted?.count ?? 0 };
}

/** Replaces the ciphertext of a secret, unless it changed meanwhile. */
export async function reencryptWebhook(
  db: Database,
  row: WebhookRow,
  sealed: Pick<WebhookRow, "keyId" | "iv" | "ciphertext">,
): Promise<void> {
  await db
    .update(webhooks)
    .set(sealed)
    .where(and(isWebhook(row.scope, row.name), eq(webhooks.ciphertext, row.ciphertext)));
}

export async function readWebhook(db: Database, scope: string, name: string): Promise<WebhookRow | null> {
  const [found] = await db.select().from(webhooks).where(isWebhook(scope, name));
  return found ?? null;
}

/** Returns webhooks of a scope by name, after the cursor. */
export function listWebhooks(db: Database, scope: string, limit: number, after: string | null): Promise<WebhookRow[]> {
  return db
    .select()
    .from(webhooks)
    .where(and(eq(webhooks.scope, scope), after === null ? undefined : gt(webhooks.name, after)))
    .orderBy(asc(webhooks.name))
    .limit(limit);
}

/** Deletes a webhook with its deliveries. Returns `false` if it does not exist. */
export async function deleteWebhook(db: Database, scope: string, name: string): Promise<boolean> {
  const [gone] = await db.batch([
    db.delete(webhooks).where(isWebhook(scope, name)).returning({ name: webhooks.name }),
    db.delete(webhookDeliveries).where(and(eq(webhookDeliveries.scope, scope), eq(webhookDeliveries.webhook, name))),
  ]);
  return gone.length > 0;
}

/** An event, before it is queued for webhooks of a scope. */
interface QueuedEvent {
  scope: string;
  type: string;
  data: object;
}

/** Statement that queues an event for those webhooks `w` of its scope that satisfy a condition and have room for one more. */
function queueWhere(db: Database, id: SQL, { scope, type, data }: QueuedEvent, condition: SQL) {
  const waiting = sql`SELECT count(*) FROM ${webhookDeliveries} AS d WHERE d.scope = w.scope AND d.webhook = w.name AND d.state = 'pending'`;
  return db.insert(webhookDeliveries).select(
    sql`SELECT ${id}, w.scope, w.name, ${type}, ${JSON.stringify(data)}, ${now}, 'pending', 0, ${now}, NULL, NULL
    FROM ${webhooks} AS w
    WHERE w.scope = ${scope} AND ${condition} AND (${waiting}) < ${WEBHOOK_LIMITS.pending}`,
  );
}

/**
 * Statement that queues an event for the webhooks of a scope that subscribe to it.
 *
 * @param event `scope` of the webhooks
 * @param only an additional condition, such as that the event happened
 */
export function queueEvent(db: Database, event: QueuedEvent, only: SQL) {
  const subscribes = sql`w.enabled = 1 AND instr(w.events, ${JSON.stringify(event.type)}) > 0`;
  return queueWhere(db, sql`'evt_' || lower(hex(randomblob(13)))`, event, sql`${subscribes} AND ${only}`);
}

/**
 * Queues an event for one webhook, also if it does not subscribe to the event. Returns the delivery; `null` if the webhook does not exist;
 * `full` if too many of its deliveries wait.
 */
export async function queueForWebhook(
  db: Database,
  delivery: Pick<DeliveryRow, "id" | "scope" | "webhook" | "type" | "data">,
): Promise<DeliveryRow | "full" | null> {
  const { id, scope, webhook } = delivery;
  const [, [row], [found]] = await db.batch([
    queueWhere(db, sql`${id}`, delivery, sql`w.name = ${webhook}`),
    db.select().from(webhookDeliveries).where(eq(webhookDeliveries.id, id)),
    db.select({ name: webhooks.name }).from(webhooks).where(isWebhook(scope, webhook)),
  ]);
  return row ?? (found === undefined ? null : "full");
}

/** Makes an ended delivery due again, with the same id. Returns `null` if it does not exist. */
export async function requeueDelivery(
  db: Database,
  { scope, webhook, id }: Pick<DeliveryRow, "scope" | "webhook" | "id">,
): Promise<DeliveryRow | null> {
  const [row] = await db
    .update(webhookDeliveries)
    .set({ state: "pending", attempts: 0, nextAt: now })
    .where(
      and(eq(webhookDeliveries.id, id), eq(webhookDeliveries.scope, scope), eq(webhookDeliveries.webhook, webhook)),
    )
    .returning();
  return row ?? null;
}

/** A delivery that this run sends, with its webhook. */
export interface ClaimedDelivery {
  delivery: DeliveryRow;
  webhook: WebhookRow;
}

/**
 * Claims deliveries that are due, for `leaseMs`: no other run sends them meanwhile, and they are due again if this run dies. Deliveries of
 * disabled webhooks wait. The later of the two clocks counts, because the database wrote the time of a new delivery.
 *
 * @param scope whose deliveries; `null`: everybody's, the oldest of each owner first, and at most `WEBHOOK_LIMITS.perOwner` of each
 */
export async function claimDeliveries(db: Database, at: number, scope: string | null): Promise<ClaimedDelivery[]> {
  const isDue = sql`d.state = 'pending' AND d.next_at <= max(${at}, ${now}) AND w.enabled = 1`;
  const joined = sql`${webhookDeliveries} AS d JOIN ${webhooks} AS w ON w.scope = d.scope AND w.name = d.webhook`;
  const { perRun, perOwner } = WEBHOOK_LIMITS;
  const due =
    scope === null
      ? sql`SELECT id FROM (SELECT d.id, d.next_at, row_number() OVER (PARTITION BY d.scope ORDER BY d.next_at) AS place FROM ${joined} WHERE ${isDue})
          WHERE place <= ${perOwner} ORDER BY place, next_at LIMIT ${perRun}`
      : sql`SELECT d.id FROM ${joined} WHERE d.scope = ${scope} AND ${isDue} ORDER BY d.next_at LIMIT ${perRun}`;
  const claimed = await db
    .update(webhookDeliveries)
    .set({ nextAt: at + WEBHOOK_LIMITS.leaseMs, attempts: sql`${webhookDeliveries.attempts} + 1` })
    .where(sql`${webhookDeliveries.id} IN (${due})`)
    .returning();
  if (claimed.length === 0) return [];
  const places = JSON.stringify(claimed.map(({ scope, webhook }) => [scope, webhook]));
  const rows = await db
    .select()
    .from(webhooks)
    .where(sql`(${webhooks.scope}, ${webhooks.name}) IN (SELECT value ->> 0, value ->> 1 FROM json_each(${places}))`);
  const byPlace = new Map(rows.map((row) => [JSON.stringify([row.scope, row.name]), row]));
  return claimed.flatMap((delivery) => {
    const webhook = byPlace.get(JSON.stringify([delivery.scope, delivery.webhook]));
    return webhook === undefined ? [] : [{ delivery, webhook }];
  });
}

/** The result of an attempt. */
export type Attempt = Pick<DeliveryRow, "id" | "attempts" | "state" | "nextAt" | "status" | "problem">;

/**
 * Stores a result, and deletes ended deliveries of the webhook that are older than the newest `WEBHOOK_LIMITS.kept`. A delivery that was
 * requeued or deleted meanwhile stays as it is.
 */
export async function recordAttempt(
  db: Database,
  { scope, name }: Pick<WebhookRow, "scope" | "name">,
  { id, attempts, ...result }: Attempt,
): Promise<void> {
  const { at, state, webhook } = webhookDeliveries;
  const oldest = sql`SELECT d.at FROM ${webhookDeliveries} AS d WHERE d.scope = ${scope} AND d.webhook = ${name}
    ORDER BY d.at DESC LIMIT 1 OFFSET ${WEBHOOK_LIMITS.kept - 1}`;
  await db.batch([
    db
      .update(webhookDeliveries)
      .set(result)
      .where(and(eq(webhookDeliveries.id, id), eq(webhookDeliveries.attempts, attempts))),
    db
      .delete(webhookDeliveries)
      .where(
        and(eq(webhookDeliveries.scope, scope), eq(webhook, name), ne(state, "pending"), sql`${at} < (${oldest})`),
      ),
  ]);
}

/** Disables a webhook whose URL has not changed since. */
export async function disableWebhook(
  db: Database,
  { scope, name, url }: Pick<WebhookRow, "scope" | "name" | "url">,
  reason: string,
): Promise<void> {
  await db
    .update(webhooks)
    .set({ enabled: false, disabledReason: reason })
    .where(and(isWebhook(scope, name), eq(webhooks.url, url)));
}

/** Returns deliveries of a webhook, newest first, before the cursor. */
export function listDeliveries(
  db: Database,
  { scope, name }: Pick<WebhookRow, "scope" | "name">,
  limit: number,
  before: { at: number; id: string } | null,
): Promise<DeliveryRow[]> {
  const { at, id } = webhookDeliveries;
  const older = before === null ? undefined : or(lt(at, before.at), and(eq(at, before.at), lt(id, before.id)));
  return db
    .select()
    .from(webhookDeliveries)
    .where(and(eq(webhookDeliveries.scope, scope), eq(webhookDeliveries.webhook, name), older))
    .orderBy(desc(at), desc(id))
    .limit(limit);
}

/** Deletes deliveries that ended before this time. */
export async function deleteOldDeliveries(db: Database, before: number): Promise<void> {
  await db
    .delete(webhookDeliveries)
    .where(and(inArray(webhookDeliveries.state, ["delivered", "failed"]), lt(webhookDeliveries.nextAt, before)));
}
