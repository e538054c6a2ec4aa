// Contains the locations of callers and the round-trip times between them in milliseconds.
//
// Measured: averages between regions of one cloud provider, 19 October to 17 November 2024, from its documentation (IBM Cloud, VPC,
// "network latency", inter-region); the larger value of the two directions. Hong Kong: another provider's matrix (cloudping, of AWS
// regions, November 2026). Neither is Cloudflare's own network, so use these figures only to compare designs.
//
// Interpolated: Johannesburg, from the distance at 0.0202 ms per kilometre, the median of the measured pairs, and other values that are
// marked as interpolated.

export const DATED = "19 October to 17 November 2024; Hong Kong: November 2026; Johannesburg: interpolated";

/** Within a city: from the Worker to an object or replica. Declared, not measured. */
export const METRO = [2, 10];
/** The ratio of a slow route to the average. This is an assumption. */
export const SLOW = 1.25;

/** The regions of D1's primary, and the city assumed in each. */
export const HOMES = { weur: "Frankfurt", enam: "Washington" };

// D1 has at most one replica in each of its regions, and none in South America, Africa and the Middle East. The location within a region is
// not documented. `replica` ranges from the same city to the farthest pair measured there; in Asia Hong Kong–Tokyo, interpolated.
const [EUROPE, AMERICA, ASIA, OCEANIA] = [
  [2, 29],
  [2, 31],
  [2, 58],
  [2, 20],
];

/** @type {Record<string, { Frankfurt: number, Washington: number, replica: number[] }>} */
export const REGIONS = {
  Frankfurt: { Frankfurt: 2, Washington: 91, replica: EUROPE },
  London: { Frankfurt: 13, Washington: 76, replica: EUROPE },
  Madrid: { Frankfurt: 29, Washington: 89, replica: EUROPE },
  Washington: { Frankfurt: 91, Washington: 2, replica: AMERICA },
  Toronto: { Frankfurt: 93, Washington: 19, replica: AMERICA },
  Dallas: { Frankfurt: 123, Washington: 31, replica: AMERICA },
  "São Paulo": { Frankfurt: 198, Washington: 119, replica: [119, 119 * SLOW] },
  Johannesburg: { Frankfurt: 175, Washington: 265, replica: [175, 175 * SLOW] },
  Tokyo: { Frankfurt: 230, Washington: 168, replica: ASIA },
  Osaka: { Frankfurt: 233, Washington: 175, replica: ASIA },
  "Hong Kong": { Frankfurt: 198, Washington: 202, replica: ASIA },
  Sydney: { Frankfurt: 250, Washington: 214, replica: OCEANIA },
};
