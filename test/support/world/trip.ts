// Types of the trips that the world records for each request.

/** Target of a trip. D1 has a primary and one replica, the nearest one. */
export type Place = "primary" | "replica" | "object" | "r2";

/** Origin of a trip: a request's Worker, a conversation's object, the object's alarm, or the test itself. */
export type Who = "worker" | "object" | "alarm" | "test";

/** How the D1 session was opened. `none`: without a session, which uses the primary. */
export type Constraint = "first-primary" | "first-unconstrained" | "bookmark" | "none";

export interface Trip {
  who: Who;
  to: Place;
  /** The beginning of each statement, or the method of the object or bucket. */
  what: string;
  constraint?: Constraint;
  /** The replica had not reached the session's bookmark, so the primary was used. */
  lagged?: true;
  ended: boolean;
}

/** The trips of one request. A round contains concurrent trips. The response waits for all rounds in sequence. */
export interface Journey {
  /** Number of awaited rounds that used D1's primary. */
  primary: number;
  /** Number of awaited rounds that used a replica but not the primary. */
  replica: number;
  /** The trips of each round, in order. */
  rounds: Trip[][];
  /** Numbers of calls to objects and to R2 before the response. */
  object: number;
  r2: number;
  /** Trips that had not ended, or not begun, when the response was complete. */
  background: Trip[];
  awaited: Trip[];
}

/** Formats a journey as a line of a table: `primary 1, replica 0, object 1, r2 0; later: primary`. */
export function told({ primary, replica, object, r2, background }: Journey): string {
  const later = background.map(({ to }) => to).sort();
  const line = `primary ${primary}, replica ${replica}, object ${object}, r2 ${r2}`;
  return later.length === 0 ? line : `${line}; later: ${later.join(" ")}`;
}
