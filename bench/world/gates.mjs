// Checks the guarantees of `npm run bench:world`: mainly round trips, and three times for Hong Kong with D1 in Frankfurt.

import { timeOf, tripsOf } from "./time.mjs";

/** The highest number of round trips to the primary and to a replica that each operation waits for, in all its requests together. */
const TRIPS = {
  "message, creating": { primary: 1, replica: 1 },
  "message, cold": { primary: 0, replica: 1 },
  "message, warm": { primary: 0, replica: 0 },
  "message, cold, unread skill": { primary: 0, replica: 2 },
  "file, cold": { primary: 0, replica: 1 },
  "file, warm": { primary: 0, replica: 0 },
  "page's answer, first": { primary: 0, replica: 1 },
  "page's answer, later": { primary: 0, replica: 0 },
};

/** Maximum milliseconds, at the upper end, with the object in the same city. */
const HONG_KONG = { "message, warm": 60, "message, cold": 120, "message, creating": 350 };

/** @returns {{ gate: string, worst: string, ok: boolean }[]} */
export function gates(journeys, before) {
  const trips = Object.entries(TRIPS).map(([name, most]) => {
    const { primary, replica } = tripsOf(journeys[name]);
    return {
      gate: `${name}: at most ${most.primary} rounds to the primary, ${most.replica} to a replica`,
      worst: `${primary}, ${replica}`,
      // A trip to the primary can be replaced by one to a replica, but not the other way round.
      ok: primary <= most.primary && primary + replica <= most.primary + most.replica,
    };
  });
  const strict = Object.keys(journeys).filter((name) => name.startsWith("publish"));
  const publishing = strict.map((name) => {
    const [now, then] = [journeys, before].map((of) => tripsOf(of[name]).primary);
    return { gate: `${name}: at most as many rounds as before`, worst: `${now}, before ${then}`, ok: now <= then };
  });
  const times = Object.entries(HONG_KONG).map(([name, most]) => {
    const [, high] = timeOf(journeys[name], "Hong Kong", "weur", "near");
    const gate = `Hong Kong, D1 in Frankfurt, ${name}: at most ${most} ms`;
    return { gate, worst: `${Math.round(high)} ms`, ok: high <= most };
  });
  return [...trips, ...publishing, ...times];
}
