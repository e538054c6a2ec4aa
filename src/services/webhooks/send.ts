// Sends queued events to webhooks.

import { Webhook } from "standardwebhooks";
import {
  type DeliveryOutcome,
  deliveryOutcome,
  messageBody,
  nextAttempt,
  WEBHOOK_LIMITS,
  webhookPlace,
} from "../../domain/webhooks/webhooks";
import {
  type Attempt,
  type ClaimedDelivery,
  claimDeliveries,
  disableWebhook,
  recordAttempt,
} from "../../storage/d1/webhooks";
import { faultIn } from "../../upstream/fault";
import { guardedFetch } from "../../upstream/fetch";
import type { Context } from "../context";
import { unseal } from "../secrets/encryption";

/** The part of a context that sends. */
type SendContext = Pick<Context, "settings" | "now" | "primary">;

/**
 * Sends events that are due: signed, each with the id of its delivery, under the host policy of MCP servers. A receiver can get a message
 * twice, if a run dies after sending. Failed ones are due again later; the schedule of wrangler.toml sends them.
 *
 * @param scope whose events; `null`: everybody's, a few of each owner
 */
export async function sendDueEvents(context: SendContext, scope: string | null): Promise<void> {
  const claimed = await claimDeliveries(context.primary, context.now(), scope);
  const rest = claimed.values();
  const worker = async () => {
    for (const one of rest) await sendOne(context, one);
  };
  await Promise.all(Array.from({ length: WEBHOOK_LIMITS.parallel }, worker));
}

async function sendOne(context: SendContext, { delivery, webhook }: ClaimedDelivery): Promise<void> {
  const sent = await attempt(context, { delivery, webhook });
  const { id, attempts } = delivery;
  const next = sent.outcome === "failed" ? nextAttempt(attempts, context.now()) : null;
  const ended: Attempt["state"] = sent.outcome === "delivered" ? "delivered" : "failed";
  const [state, nextAt] = next === null ? [ended, context.now()] : (["pending", next] as const);
  await recordAttempt(context.primary, webhook, {
    id,
    attempts,
    state,
    nextAt,
    status: sent.status,
    problem: sent.problem,
  });
  if (sent.outcome === "gone") await disableWebhook(context.primary, webhook, "the receiver answered 410 (Gone)");
}

interface Sent {
  outcome: DeliveryOutcome;
  status: number | null;
  problem: string | null;
}

async function attempt(context: SendContext, { delivery, webhook }: ClaimedDelivery): Promise<Sent> {
  const failed = (problem: string): Sent => ({ outcome: "failed", status: null, problem });
  const secret = await unseal(context.settings, webhookPlace(webhook), webhook);
  if (secret === null) return failed("its signing secret cannot be decrypted; rotate it");
  const { id, type, at, data } = delivery;
  const body = messageBody(type, at, data);
  const sentAt = new Date(context.now());
  const headers = {
    "content-type": "application/json",
    "user-agent": "skill-gateway",
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(sentAt.getTime() / 1_000)),
    "webhook-signature": new Webhook(secret).sign(id, sentAt, body),
  };
  const { timeoutMs, responseBytes } = WEBHOOK_LIMITS;
  const guard = { development: __DEVELOPMENT__, headersMs: null, totalMs: timeoutMs, bytes: responseBytes };
  try {
    const response = await guardedFetch(webhook.url, { method: "POST", headers, body }, guard);
    await response.body?.cancel();
    const { status } = response;
    const outcome = deliveryOutcome(status);
    return { outcome, status, problem: outcome === "delivered" ? null : `the receiver answered HTTP ${status}` };
  } catch (error) {
    const fault = faultIn(error);
    if (fault === null) throw error;
    return failed(fault.message);
  }
}
