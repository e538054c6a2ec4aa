// Simulates the services behind the gateway and records every trip: D1 with a replica that can lag, objects and R2. It wraps the bindings
// of the Worker and of the objects. Used by tests in the pool (`pool.ts`) and by `bench/world.mjs`.

import { database } from "./database";
import { type Lag, type Pair, Replication } from "./replication";
import type { Journey, Place, Trip, Who } from "./trip";

/** The wrapped bindings, and the second database. */
export interface Bindings {
  DB: D1Database;
  CONVERSATIONS: DurableObjectNamespace;
  PACKAGES: R2Bucket;
  REPLICA_DB: D1Database;
}

/**
 * After this number of timers without activity, a round is complete: all its trips have begun. workerd runs a timer when its one thread has
 * nothing else to do, so one would be enough for work inside workerd. The others are for work outside it, such as a request to a server.
 */
const QUIET_TICKS = 3;

/** Simulated duration of a D1 trip during a measurement. A trip to the primary takes longer than any number of replica trips. */
const TAKES = { primary: 1_000, replica: 1 };

/** A D1 trip whose result has arrived but is not delivered yet. */
interface Held {
  trip: Trip;
  /** Times of its start and its delivery on the journey's clock. */
  began: number;
  due: number;
  released: boolean;
}

export class World {
  readonly trips: Trip[] = [];
  /** Result of a query whose session is ahead of the replica: the primary answers, or the query fails. */
  unreached: "primary" | "fail" = "primary";
  /** Makes every query to D1's primary fail. */
  primaryDown = false;
  readonly replication = new Replication();
  #held: Held[] | null = null;
  /** Number of running trips whose result is not held. Their results can cause further trips. */
  #running = 0;
  #stirred = 0;
  /** The simulated clock of the journey. */
  #clock = 0;

  /** Sets the replica's lag. Writes that the replica already has stay. */
  lag(lag: Lag): void {
    this.replication.setLag(lag);
  }

  /** Removes the lag: the replica receives all writes at once. */
  catchUp(): void {
    this.replication.setLag({ writes: 0 });
  }

  /** Returns the bindings for one caller. */
  bindings(env: Bindings, who: () => Who): Pick<Bindings, "DB" | "CONVERSATIONS" | "PACKAGES"> {
    const pair: Pair = { primary: env.DB, replica: env.REPLICA_DB };
    return {
      DB: database(this, pair, who),
      CONVERSATIONS: this.#objects(env.CONVERSATIONS, who),
      PACKAGES: this.#noting(env.PACKAGES, (what) => ({ who: who(), to: "r2", what })),
    };
  }

  /** Runs one trip to D1. During a measurement its result is held until its round is complete. */
  async run<T>(trip: Omit<Trip, "ended">, go: () => Promise<T>): Promise<T> {
    const noted = this.begin(trip);
    const began = this.#clock;
    this.#running += 1;
    try {
      return await go();
    } finally {
      this.#running -= 1;
      await this.#hold(noted, began);
      noted.ended = true;
    }
  }

  begin(trip: Omit<Trip, "ended">): Trip {
    const noted: Trip = { ...trip, ended: false };
    this.trips.push(noted);
    this.#stir();
    return noted;
  }

  /**
   * Runs `ask` and returns the trips that its result waited for, measured by a simulated clock. The clock stops while there is activity.
   * Without activity it advances to the end of the next D1 trip. Concurrent trips therefore count as one round, and trips that the response
   * does not wait for are still running when it is complete. A request to a server is activity too, and takes no simulated time.
   */
  async measure<T>(ask: () => Promise<T>): Promise<{ answer: T; journey: Journey }> {
    if (this.#held !== null) throw new Error("Another journey is being measured.");
    this.#held = [];
    this.#clock = 0;
    const from = this.trips.length;
    let settled = false;
    const real = globalThis.fetch;
    globalThis.fetch = (...request: Parameters<typeof fetch>) => this.#active(real(...request));
    const answering = ask().finally(() => {
      settled = true;
    });
    // The error is handled where `answering` is awaited below. This prevents an unhandled rejection before that.
    answering.catch(() => {});
    for (;;) {
      await this.#quiet(() => settled);
      if (settled) break;
      this.#release();
    }
    const rounds = roundsOf(this.#held, this.#clock);
    const awaited = this.trips.slice(from).filter((trip) => trip.ended && isOfARequest(trip));
    const count = (place: Place) => awaited.filter(({ to }) => to === place).length;
    const primary = rounds.filter((round) => round.some(({ to }) => to === "primary")).length;
    const report = {
      primary,
      replica: rounds.length - primary,
      rounds,
      object: count("object"),
      r2: count("r2"),
      awaited,
    };
    await this.settle();
    this.#held = null;
    globalThis.fetch = real;
    const background = this.trips.slice(from).filter((trip) => isOfARequest(trip) && !awaited.includes(trip));
    return { answer: await answering, journey: { ...report, background } };
  }

  /** Waits until no trips are running, including background work. */
  async settle(): Promise<void> {
    for (;;) {
      await this.#quiet(() => false);
      if (!this.#release() && this.#running === 0) return;
    }
  }

  async #hold(trip: Trip, began: number): Promise<void> {
    this.#stir();
    if (this.#held === null || !isOfARequest(trip) || (trip.to !== "primary" && trip.to !== "replica")) return;
    const held = { trip, began, due: began + TAKES[trip.to], released: false };
    this.#held.push(held);
    // It polls, because a request cannot be resumed by a promise of another request's context.
    while (!held.released && this.#held !== null) await scheduler.wait(1);
    this.#stir();
  }

  /** Advances the clock to the end of the next trip and delivers all results due then. Returns `false` if there is none. */
  #release(): boolean {
    const held = (this.#held ?? []).filter(({ released }) => !released);
    if (held.length === 0) return false;
    this.#clock = Math.min(...held.map(({ due }) => due));
    for (const one of held) one.released = one.due === this.#clock;
    return true;
  }

  async #quiet(enough: () => boolean): Promise<void> {
    let [seen, ticks] = [this.#stirred, 0];
    while (!enough() && ticks < QUIET_TICKS) {
      await scheduler.wait(1);
      const isActive = this.#stirred !== seen || this.#running > 0;
      [seen, ticks] = [this.#stirred, isActive ? 0 : ticks + 1];
    }
  }

  async #active<T>(work: Promise<T>): Promise<T> {
    this.#running += 1;
    try {
      return await work;
    } finally {
      this.#running -= 1;
      this.#stir();
    }
  }

  #stir(): void {
    this.#stirred += 1;
  }

  #objects(namespace: DurableObjectNamespace, who: () => Who): DurableObjectNamespace {
    return new Proxy(namespace, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== "function") return member;
        return (...given: unknown[]) => {
          const result: unknown = Reflect.apply(member, target, given);
          if (name !== "get" && name !== "getByName") return result;
          return this.#noting(result as DurableObjectStub, (what) => ({ who: who(), to: "object", what }));
        };
      },
    });
  }

  /** Records calls of a binding's methods. Results are returned unchanged, because the result of an object call is more than a promise. */
  #noting<T extends object>(target: T, tripOf: (method: string) => Omit<Trip, "ended">): T {
    return new Proxy(target, {
      get: (object, name) => {
        const member: unknown = Reflect.get(object, name, object);
        if (typeof member !== "function" || typeof name !== "string" || name === "then") return member;
        return (...given: unknown[]) => {
          const noted = this.begin(tripOf(name));
          const result: unknown = Reflect.apply(member, object, given);
          const end = () => {
            noted.ended = true;
            this.#stir();
          };
          Promise.resolve(result).then(end, end);
          return result;
        };
      },
    });
  }
}

/** Alarms run independently, so on a slow machine one can run during an unrelated request. */
function isOfARequest({ who }: Trip): boolean {
  return who !== "alarm";
}

/**
 * Returns the rounds that the answer waited for, in order. Each round contains the last trip that ended before the next round began, and
 * the trips that the same caller started at the same time.
 */
function roundsOf(held: readonly Held[], answered: number): Trip[][] {
  const rounds: Trip[][] = [];
  for (let end = answered; end > 0; ) {
    const last = held.find(({ due, released }) => released && due === end);
    if (last === undefined) throw new Error("A moment to which no trip led.");
    const beside = held.filter(
      ({ trip, began, due }) => began === last.began && due <= end && trip.who === last.trip.who,
    );
    rounds.unshift(beside.map(({ trip }) => trip));
    end = last.began;
  }
  return rounds;
}
