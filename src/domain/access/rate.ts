// Rate limits: the error and headers for exceeding them, and the count of one conversation in its Durable Object.

import { GatewayError } from "../errors";
import { PACE } from "../limits";

export interface Rate {
  requests: number;
  /** Length of the window. */
  seconds: number;
}

/** Seconds to wait if the end of the window is unknown. */
const SOON = 2;

/**
 * The error for exceeding a rate limit.
 * @param policy names the limit in the `RateLimit` headers
 * @param wait seconds until the window ends; the whole window if its start is unknown
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

/** Returns the seconds after which a retry may succeed, or `null` if waiting does not help. */
export function retryAfter({ code, details }: GatewayError): number | null {
  if (typeof details.retry_after_s === "number") return details.retry_after_s;
  return code === "unavailable" || code === "rate_limited" ? SOON : null;
}

/** Returns a limit in the format of the IETF RateLimit header draft. */
export function ratePolicy(policy: string, { requests, seconds }: Rate): string {
  return `"${policy}";q=${requests};w=${seconds}`;
}

/** Returns the headers of a refusal: when to retry, and which limit was exceeded. */
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

/** A window and its count. */
export interface Pace {
  /** Milliseconds since the epoch. */
  since: number;
  count: number;
}

/** Counts one more call. Throws `rate_limited` if the window is full. */
export function paced({ since, count }: Pace, now: number): Pace {
  const end = since + PACE.seconds * 1_000;
  if (now >= end || now < since) return { since: now, count: 1 };
  if (count < PACE.requests) return { since, count: count + 1 };
  throw rateLimited("conversation", PACE, Math.ceil((end - now) / 1_000));
}
