// Computes milliseconds from the rounds of an operation: rounds follow each other, and each takes as long as its longest part.

import { HOMES, METRO, REGIONS, SLOW } from "./places.mjs";

/**
 * @param {{ rounds: string[][], calls: string[] }[]} journeys of the requests of an operation, one after the other
 * @param {string} region where the caller is
 * @param {"weur" | "enam"} home where D1's primary is
 * @param {"near" | "far"} object in the caller's city, or in the other one of D1's two homes
 * @returns {[low: number, high: number]}
 */
export function timeOf(journeys, region, home, object) {
  const primary = HOMES[home];
  const away = home === "weur" ? HOMES.enam : HOMES.weur;
  const whose = { worker: region, object: object === "near" ? region : away };
  const both = (ms) => [ms, ms * SLOW];
  const leg = (text) => {
    const [who, to] = text.split(" ");
    const from = whose[who] ?? region;
    if (to === "primary") return both(REGIONS[from][primary]);
    if (to === "replica") return REGIONS[from].replica;
    if (to === "object") return object === "near" ? METRO : both(REGIONS[region][away]);
    // The location of R2 is not documented. At best it is near the caller, at worst with D1's primary.
    return [METRO[0], Math.max(METRO[1], REGIONS[from][primary] * SLOW)];
  };
  const total = [0, 0];
  for (const { rounds, calls } of journeys) {
    for (const round of [...rounds, ...calls.map((call) => [call])]) {
      const legs = round.map(leg);
      for (const n of [0, 1]) total[n] += Math.max(...legs.map((times) => times[n]));
    }
  }
  return total;
}

/**
 * Returns the sequential rounds with a call to the primary, the rounds with only calls to a replica, and the calls of objects and of R2.
 */
export function tripsOf(journeys) {
  const rounds = journeys.flatMap((journey) => journey.rounds);
  const far = rounds.filter((round) => round.some((leg) => leg.endsWith("primary"))).length;
  const calls = journeys.flatMap((journey) => journey.calls);
  const count = (place) => calls.filter((leg) => leg.endsWith(place)).length;
  return { primary: far, replica: rounds.length - far, object: count("object"), r2: count("r2") };
}
