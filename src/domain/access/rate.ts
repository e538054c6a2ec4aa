// How often something may be done, and what a caller who goes beyond it is told.

import { GatewayError } from "../errors";

export interface Rate {
  requests: number;
  /** The window they are counted in. */
  seconds: number;
}

/** Seconds to wait where nothing tells when it will be better. */
const SOON = 2;

/**
 * The refusal of who is too fast.
 * @param policy names the limit in the `RateLimit` headers
 * @param wait seconds until the window ends; all of it where nobody knows when it began
 */
export function rateLimited(policy: string, { requests, seconds }: Rate, wait: number = seconds): GatewayError {
  return new GatewayError(
    "rate_limited",
    "RATE_LIMITED",
    `Too many requests (limit ${requests} in ${seconds} s). Wait, then send fewer requests.`,
    {
      policy,
      limit: requests,
      window_s: seconds,
      retry_after_s: wait,
    },
  );
}

/** Seconds after which the same may succeed, or `null` when waiting changes nothing. */
export function retryAfter({ code, details }: GatewayError): number | null {
  if (typeof details.retry_after_s === "number") return details.retry_after_s;
  return code === "unavailable" || code === "rate_limited" ? SOON : null;
}

/** A limit as the IETF's draft of RateLimit header fields writes it. */
export function ratePolicy(policy: string, { requests, seconds }: Rate): string {
  return `"${policy}";q=${requests};w=${seconds}`;
}

/** What a refusal says in headers: when to come again, and which limit it was that left nothing. */
export function rateHeaders(refusal: GatewayError): Record<string, string> {
  const wait = retryAfter(refusal);
  if (wait === null) return {};
  const { policy, limit, window_s } = refusal.details;
  const headers = { "retry-after": String(wait) };
  if (typeof policy !== "string" || typeof limit !== "number" || typeof window_s !== "number") return headers;
  return {
    ...headers,
    "ratelimit-policy": ratePolicy(policy, { requests: limit, seconds: window_s }),
    ratelimit: `"${policy}";r=0;t=${wait}`,
  };
}
