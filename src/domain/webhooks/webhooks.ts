// Webhooks: the events they can subscribe to, the message that is sent, and when a failed delivery is tried again.

import { GATEWAY_SCOPE, PUBLIC_SCOPE } from "../access/access";
import type { JsonObject } from "../json";

/** Events of skills and reviews, and `webhook.test`, which only a request for a test sends. */
export const WEBHOOK_EVENTS = [
  "skill.published",
  "skill.activated",
  "skill.yanked",
  "skill.unyanked",
  "skill.deleted",
  "version.failing",
  "review.requested",
  "review.decided",
] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

/** Event that `POST /api/v1/webhooks/{name}/test` sends. */
export const TEST_EVENT = "webhook.test";

/** An event of a skill or a submission, before it is queued for the webhooks of its scope. */
export interface SkillEvent {
  type: WebhookEvent;
  /** The scope of the skill. Webhooks of this scope receive the event. */
  scope: string;
  data: JsonObject;
}

export const WEBHOOK_LIMITS = {
  perScope: 20,
  /** Deliveries of one webhook that wait. Further events are dropped. */
  pending: 1_000,
  /** Ended deliveries of one webhook that are stored. */
  kept: 1_000,
  url: 2_048,
  /** Deliveries that one run sends, and at the same time. Cloudflare allows six connections. */
  perRun: 20,
  /** Deliveries of one owner among those of a scheduled run. */
  perOwner: 5,
  parallel: 4,
  /** Milliseconds for one delivery, and during which no other run sends it again. */
  timeoutMs: 15_000,
  leaseMs: 60_000,
  /** Bytes of the response that are read. It is not stored. */
  responseBytes: 65_536,
  secretBytes: 32,
} as const;

const [MINUTE, HOUR] = [60_000, 3_600_000];

/** Time until the next attempt, after each failed one. Within five minutes of it, because a schedule starts the attempts. */
const RETRY_AFTER = [5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR];

/** Returns when a delivery is tried again after this number of attempts (1 or more); `null`: never. */
export function nextAttempt(attempts: number, now: number): number | null {
  const wait = RETRY_AFTER[attempts - 1];
  return wait === undefined ? null : now + wait;
}

/** The outcome of one attempt. `gone`: the receiver wants no more events (410). */
export type DeliveryOutcome = "delivered" | "failed" | "gone";

/** Returns what a status means: 2xx is accepted, 410 ends the webhook, everything else is tried again (Standard Webhooks 1.0). */
export function deliveryOutcome(status: number): DeliveryOutcome {
  if (status >= 200 && status < 300) return "delivered";
  return status === 410 ? "gone" : "failed";
}

/** Returns the body of a message (Standard Webhooks 1.0): its type, the time of the event and its data. */
export function messageBody(type: string, at: number, data: JsonObject): string {
  return JSON.stringify({ type, timestamp: new Date(at).toISOString(), data });
}

/** Returns an event of a skill. Public skills belong to the webhooks of the gateway. */
export function skillEvent(
  type: WebhookEvent,
  skill: { id: string; name: string; scope: string },
  version: { id: string; label: string | null } | null,
): SkillEvent {
  const scope = skill.scope === PUBLIC_SCOPE ? GATEWAY_SCOPE : skill.scope;
  const data = { skill_id: skill.id, name: skill.name };
  if (version === null) return { type, scope, data };
  return { type, scope, data: { ...data, version_id: version.id, version: version.label } };
}

/** Returns an event of a submission. It names no user. Submissions to public belong to the webhooks of the gateway. */
export function reviewEvent(
  type: "review.requested" | "review.decided",
  review: { id: string; scope: string; name: string; label: string | null; zipSha256: string },
  state: string,
): SkillEvent {
  const scope = review.scope === PUBLIC_SCOPE ? GATEWAY_SCOPE : review.scope;
  const { id, name, label: version, zipSha256: zip_sha256 } = review;
  return { type, scope, data: { review_id: id, name, version, zip_sha256, state } };
}

/** Returns the place that the encrypted secret of a webhook is bound to. */
export function webhookPlace({ scope, name }: { scope: string; name: string }): { scope: string; name: string } {
  return { scope, name: `webhook ${name}` };
}
