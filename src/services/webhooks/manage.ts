// Manages the webhooks of users, groups and the gateway, and reads their deliveries.

import * as z from "zod";
import { encodeBase64 } from "../../domain/base64";
import { decodeCursor, pageOf } from "../../domain/cursor";
import { GatewayError, invalid } from "../../domain/errors";
import { judgeUrl } from "../../domain/servers/host-policy";
import { TEST_EVENT, WEBHOOK_LIMITS, type WebhookEvent, webhookPlace } from "../../domain/webhooks/webhooks";
import {
  type DeliveryRow,
  deleteWebhook,
  listDeliveries,
  listWebhooks,
  putWebhook,
  queueForWebhook,
  readWebhook,
  replaceWebhookSecret,
  requeueDelivery,
  type WebhookRow,
} from "../../storage/d1/webhooks";
import { audited, scopeInLog } from "../audit";
import type { Context } from "../context";
import { seal } from "../secrets/encryption";
import { ownedScope, type SecretOwner } from "../secrets/secrets";

/** What a request sets. */
export interface WebhookRequest {
  url: string;
  events: WebhookEvent[];
  enabled: boolean;
}

/**
 * Stores a webhook under its name. `secret` is the signing secret of a new one, which is returned only once; `null` if the webhook existed
 * and keeps its secret.
 */
export async function storeWebhook(
  context: Context,
  owner: SecretOwner,
  name: string,
  request: WebhookRequest,
): Promise<{ row: WebhookRow; secret: string | null }> {
  const scope = ownedScope(context, owner);
  const { url, events, enabled } = request;
  const verdict = judgeUrl(url, __DEVELOPMENT__);
  if (verdict.problem !== undefined)
    throw invalid([{ code: "URL_NOT_ALLOWED", path: "url", message: `The URL is not allowed: ${verdict.problem}.` }]);
  const secret = newSecret();
  const sealed = await seal(context.settings, webhookPlace({ scope, name }), secret);
  const recorded = audited(context, "webhook.put", idInLog(scope, name), {
    after: { host: verdict.url.host, events, enabled },
    when: { thing: "is", type: "webhook", id: `${scope}/${name}` },
  });
  const stored = await putWebhook(recorded, { scope, name, url, events, enabled, ...sealed });
  if (stored !== null) return { row: stored.row, secret: stored.created ? secret : null };
  const limit = WEBHOOK_LIMITS.perScope;
  throw new GatewayError("conflict", "QUOTA_EXCEEDED", `Webhook limit reached (${limit}). Delete a webhook first.`, {
    limit,
  });
}

/** Replaces the signing secret at once, and returns the new one. */
export async function rotateWebhookSecret(context: Context, owner: SecretOwner, name: string): Promise<string> {
  const scope = ownedScope(context, owner);
  const secret = newSecret();
  const sealed = await seal(context.settings, webhookPlace({ scope, name }), secret);
  const recorded = audited(context, "webhook.rotate", idInLog(scope, name), {
    when: { thing: "was", type: "webhook", id: `${scope}/${name}` },
  });
  if (!(await replaceWebhookSecret(recorded, { scope, name, ...sealed }))) throw webhookNotFound();
  return secret;
}

export async function findWebhook(context: Context, owner: SecretOwner, name: string): Promise<WebhookRow> {
  const found = await readWebhook(context.db, ownedScope(context, owner), name);
  if (found === null) throw webhookNotFound();
  return found;
}

/** Returns a page by name; `after` is the last name of the previous page. */
export function pageOfWebhooks(context: Context, owner: SecretOwner, limit: number, after: string | null) {
  return listWebhooks(context.db, ownedScope(context, owner), limit, after);
}

export async function removeWebhook(context: Context, owner: SecretOwner, name: string): Promise<void> {
  const scope = ownedScope(context, owner);
  const recorded = audited(context, "webhook.delete", idInLog(scope, name), {
    when: { thing: "was", type: "webhook", id: `${scope}/${name}` },
  });
  if (!(await deleteWebhook(recorded, scope, name))) throw webhookNotFound();
}

/** Sends a test event after the response, and returns its delivery. */
export async function testWebhook(context: Context, owner: SecretOwner, name: string): Promise<DeliveryRow> {
  const scope = ownedScope(context, owner);
  const id = context.newId("evt");
  const queued = await queueForWebhook(context.db, { id, scope, webhook: name, type: TEST_EVENT, data: {} });
  if (queued === null) throw webhookNotFound();
  if (queued === "full") {
    const limit = WEBHOOK_LIMITS.pending;
    throw new GatewayError("conflict", "QUOTA_EXCEEDED", `${limit} events of this webhook wait. Try again later.`, {
      limit,
    });
  }
  context.later(context.sendEvents(scope));
  return queued;
}

const deliveryCursor = z.object({ at: z.int(), id: z.string() });

/** Returns the deliveries of a webhook, newest event first. */
export async function readDeliveries(
  context: Context,
  owner: SecretOwner,
  name: string,
  { limit, cursor }: { limit: number; cursor: string | undefined },
): Promise<{ rows: DeliveryRow[]; nextCursor: string | null }> {
  const before = decodeCursor(cursor, deliveryCursor);
  const scope = ownedScope(context, owner);
  const [webhook, found] = await Promise.all([
    readWebhook(context.db, scope, name),
    listDeliveries(context.db, { scope, name }, limit + 1, before),
  ]);
  if (webhook === null) throw webhookNotFound();
  const { page, nextCursor } = pageOf(found, limit, ({ at, id }) => ({ at, id }));
  return { rows: page, nextCursor };
}

/** Sends a delivery again after the response, under the same id. */
export async function resendDelivery(
  context: Context,
  owner: SecretOwner,
  name: string,
  id: string,
): Promise<DeliveryRow> {
  const scope = ownedScope(context, owner);
  const row = await requeueDelivery(context.db, { scope, webhook: name, id });
  if (row === null)
    throw new GatewayError("not_found", "NOT_FOUND", "Delivery not found. Deliveries are kept for 30 days.");
  context.later(context.sendEvents(scope));
  return row;
}

/** Returns a new secret in the format of Standard Webhooks 1.0. */
function newSecret(): string {
  return `whsec_${encodeBase64(crypto.getRandomValues(new Uint8Array(WEBHOOK_LIMITS.secretBytes)))}`;
}

const idInLog = (scope: string, name: string) => `${scopeInLog(scope)}/${name}`;

function webhookNotFound(): GatewayError {
  return new GatewayError("not_found", "NOT_FOUND", "Webhook not found. Check the name and the scope.");
}
