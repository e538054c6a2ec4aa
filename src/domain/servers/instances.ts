// Chooses among several addresses of one server, and decides when a failed one is used again. Pure functions.

/** One address of a server. Its share of sessions and requests is its weight. */
export interface Instance {
  url: string;
  weight: number;
}

/** Why an instance is not used, until when. `times`: in a row. */
export interface Ejection {
  times: number;
  /** Milliseconds since the epoch. From then on one probe at a time may return it. */
  until: number;
}

/** First and longest time of an ejection, in milliseconds. */
const EJECTION = { first: 5_000, most: 5 * 60_000 };

/** HTTP statuses of a proxy in front of a server that does not answer. */
const BAD_GATEWAY = new Set([502, 503, 504, 520, 521, 522, 523, 524, 525, 526, 530]);
/** Statuses with which Cloudflare reports that it could not connect, so that the server has not received the request. */
const NOT_CONNECTED = new Set([521, 522, 523, 525, 526, 530]);

/** Whether a status means that an instance is down, rather than that it rejected the request. */
export function isInstanceDown(status: number): boolean {
  return BAD_GATEWAY.has(status);
}

/** Whether a request that received this status was certainly not sent to the server. */
export function isNotSent(status: number | null): boolean {
  return status !== null && NOT_CONNECTED.has(status);
}

/**
 * Returns an instance by weight among those that are in use. If all are ejected, the one whose time ends first.
 *
 * @param random 0 to 1, without 1
 * @param ejectionOf returns the ejection of a URL, if it is not in use
 */
export function chooseInstance(
  instances: readonly Instance[],
  random: number,
  ejectionOf: (url: string) => Ejection | undefined,
): Instance | null {
  let total = 0;
  for (const { url, weight } of instances) if (ejectionOf(url) === undefined) total += weight;
  if (total === 0) return earliest(instances, ejectionOf);
  let left = random * total;
  let last: Instance | null = null;
  for (const instance of instances) {
    if (ejectionOf(instance.url) !== undefined) continue;
    last = instance;
    left -= instance.weight;
    if (left < 0) return instance;
  }
  return last;
}

function earliest(instances: readonly Instance[], ejectionOf: (url: string) => Ejection | undefined): Instance | null {
  const end = ({ url }: Instance) => ejectionOf(url)?.until ?? 0;
  return instances.toSorted((a, b) => end(a) - end(b))[0] ?? null;
}

/** Returns the ejection after a failure. Each one in a row lasts twice as long. Failures during an ejection do not extend it. */
export function ejectionAfter(before: Ejection | undefined, now: number): Ejection {
  if (before !== undefined && before.until > now) return before;
  const times = (before?.times ?? 0) + 1;
  return { times, until: now + Math.min(EJECTION.first * 2 ** (times - 1), EJECTION.most) };
}
