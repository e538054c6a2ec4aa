// What the world writes down of every trip that a request makes.

/** Where a trip leads. D1 has a primary and one replica, the nearest. */
export type Place = "primary" | "replica" | "object" | "r2";

/** Who makes it: a request's Worker, a conversation's object, the object's alarm, or a test itself. */
export type Who = "worker" | "object" | "alarm" | "test";

/** How the D1 session that asks was opened; `none`: without a session, which is the primary. */
export type Constraint = "first-primary" | "first-unconstrained" | "bookmark" | "none";

export interface Trip {
  who: Who;
  to: Place;
  /** The beginning of each statement, the object's method, or the bucket's. */
  what: string;
  constraint?: Constraint;
  /** The replica had not come as far as the session, so the primary was asked in its place. */
  lagged?: true;
  ended: boolean;
}

/** What one request cost. A round is what went on at the same time: the answer waited for all rounds, one after the other. */
export interface Journey {
  /** Awaited rounds in which D1's primary was asked. */
  primary: number;
  /** Awaited rounds in which a replica was, and the primary was not. */
  replica: number;
  /** What each of them was, in their order. */
  rounds: Trip[][];
  /** Calls of objects, and of R2, before the answer. */
  object: number;
  r2: number;
  /** What was not answered yet, or not begun, when the answer was there. */
  background: Trip[];
  awaited: Trip[];
}

/** The journey as a line of a table: `primary 1, replica 0, object 1, r2 0; later: primary`. */
export function told({ primary, replica, object, r2, background }: Journey): string {
  const later = background.map(({ to }) => to).sort();
  const line = `primary ${primary}, replica ${replica}, object ${object}, r2 ${r2}`;
  return later.length === 0 ? line : `${line}; later: ${later.join(" ")}`;
}
