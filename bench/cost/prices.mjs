// Contains Cloudflare's list prices beyond the included amounts of the paid plan, in dollars, and the assumed waiting times of an object.

/** Date and source of the prices. */
export const CHECKED = "2026-11-22";
export const SOURCES = {
  Workers: "developers.cloudflare.com/workers/platform/pricing",
  "Durable Objects": "developers.cloudflare.com/durable-objects/platform/pricing",
  D1: "developers.cloudflare.com/d1/platform/pricing",
  R2: "developers.cloudflare.com/r2/pricing",
};

/** Prices per million. */
export const PRICES = {
  request: 0.3,
  objectRequest: 0.15,
  /** A second of an active object: 128 MB at 12.50 per million GB-s, with 1 GB = 1 000 MB. */
  awakeSecond: 12.5 * 0.128,
  rowRead: 0.001,
  rowWritten: 1,
  r2ClassA: 4.5,
  r2ClassB: 0.36,
};

/** Milliseconds. An object is billed while it waits. A local run cannot measure these waits, so they are assumptions. */
export const WAITS = { own: 5, d1: 30, r2: 50, isolate: 5, server: 500, user: 20_000 };

/** Returns the cost of one million runs of an operation. */
export function priced({ requests = 1, units, userWaits = 0 }) {
  const awake = awakeMs(units, userWaits) / 1_000;
  const parts = {
    requests: requests * PRICES.request + units.objectRequests * PRICES.objectRequest,
    awake: awake * PRICES.awakeSecond,
    object: rows(units.objectRowsRead, units.objectRowsWritten + units.alarmsSet),
    d1: rows(units.d1RowsRead, units.d1RowsWritten),
    r2: units.r2ClassA * PRICES.r2ClassA + units.r2ClassB * PRICES.r2ClassB,
  };
  return { ...parts, total: Object.values(parts).reduce((sum, part) => sum + part, 0), awake_ms: awake * 1_000 };
}

function awakeMs({ objectRequests, waits }, userWaits) {
  const waited = Object.entries(waits).reduce((sum, [what, count]) => sum + count * WAITS[what], 0);
  return objectRequests * WAITS.own + waited + userWaits * WAITS.user;
}

const rows = (read, written) => read * PRICES.rowRead + written * PRICES.rowWritten;
