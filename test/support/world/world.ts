// The world between the gateway and what it asks: D1 with a replica that may lag, objects and R2, every trip written down. It stands
// around the bindings of the Worker and of the object alike. Tests in the pool use it (`pool.ts`), and `bench/world.mjs`.

import { database } from "./database";
import { type Lag, type Pair, Replication } from "./replication";
import type { Journey, Place, Trip, Who } from "./trip";

/** The bindings that it stands around, and the second database. */
export interface Bindings {
  DB: D1Database;
  CONVERSATIONS: DurableObjectNamespace;
  PACKAGES: R2Bucket;
  REPLICA_DB: D1Database;
}

/** Nothing happened for so long, in milliseconds: what is asked for and not answered yet is all that this round asks for. */
const QUIET_MS = 10;

/** How long a trip to D1 takes while a journey is measured: no number of replicas is as far as the primary. */
const TAKES = { primary: 1_000, replica: 1 };

/** A trip to D1 whose answer is there and is not told yet. */
interface Held {
  trip: Trip;
  /** When it began, and when it is told, by the journey's own clock. */
  began: number;
  due: number;
  released: boolean;
}

export class World {
  readonly trips: Trip[] = [];
  /** What becomes of a query whose session is ahead of the replica: the primary answers it, or nobody does. */
  unreached: "primary" | "fail" = "primary";
  /** Nobody gets an answer of D1's primary. */
  primaryDown = false;
  readonly replication = new Replication();
  #held: Held[] | null = null;
  /** Trips under way that nobody holds: what they bring may lead to more. */
  #running = 0;
  #stirred = 0;
  /** The journey's clock. */
  #clock = 0;

  /** The replica stays behind so far. It never goes back: what it has it keeps. */
  lag(lag: Lag): void {
    this.replication.setLag(lag);
  }

  /** From now on the replica has everything at once. */
  catchUp(): void {
    this.replication.setLag({ writes: 0 });
  }

  /** The bindings for one of those who ask. */
  bindings(env: Bindings, who: () => Who): Pick<Bindings, "DB" | "CONVERSATIONS" | "PACKAGES"> {
    const pair: Pair = { primary: env.DB, replica: env.REPLICA_DB };
    return {
      DB: database(this, pair, who),
      CONVERSATIONS: this.#objects(env.CONVERSATIONS, who),
      PACKAGES: this.#noting(env.PACKAGES, (what) => ({ who: who(), to: "r2", what })),
    };
  }

  /** Runs one trip to D1. While a journey is measured its result is held until all of its round are there. */
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
   * Asks, and tells what the answer waited for, by a clock of its own: it stands while anything happens, and when nothing can
   * happen any more it moves to the moment at which the next trip to D1 comes back. What is asked for at one time so takes one
   * round, and what nobody waits for is still under way when the answer is there.
   */
  async measure<T>(ask: () => Promise<T>): Promise<{ answer: T; journey: Journey }> {
    if (this.#held !== null) throw new Error("Another journey is being measured.");
    this.#held = [];
    this.#clock = 0;
    const from = this.trips.length;
    let settled = false;
    const answering = ask().finally(() => {
      settled = true;
    });
    // Whoever awaits it below hears of a failure; nobody must hear of it as unhandled before.
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
    const told = {
      primary,
      replica: rounds.length - primary,
      rounds,
      object: count("object"),
      r2: count("r2"),
      awaited,
    };
    await this.settle();
    this.#held = null;
    const background = this.trips.slice(from).filter((trip) => isOfARequest(trip) && !awaited.includes(trip));
    return { answer: await answering, journey: { ...told, background } };
  }

  /** Ends when nothing is under way any more: what was left for later has happened. */
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
    // Each looks for itself: a request may not be woken by another's promise.
    while (!held.released && this.#held !== null) await scheduler.wait(1);
    this.#stir();
  }

  /** Moves the clock to the next trip that comes back, and lets all go that come back with it; `false` where there is none. */
  #release(): boolean {
    const held = (this.#held ?? []).filter(({ released }) => !released);
    if (held.length === 0) return false;
    this.#clock = Math.min(...held.map(({ due }) => due));
    for (const one of held) one.released = one.due === this.#clock;
    return true;
  }

  async #quiet(enough: () => boolean): Promise<void> {
    let [seen, since] = [this.#stirred, performance.now()];
    while (!enough()) {
      await scheduler.wait(2);
      if (this.#stirred !== seen || this.#running > 0) [seen, since] = [this.#stirred, performance.now()];
      else if (performance.now() - since >= QUIET_MS) return;
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

  /** Notes the calls of a binding's methods. What they return is handed on as it is: a call of an object is more than a promise. */
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

/** An alarm rings in its own time, so on a slow machine in the midst of a request that has nothing to do with it. */
function isOfARequest({ who }: Trip): boolean {
  return who !== "alarm";
}

/**
 * The rounds that led to the moment of the answer, the first one first: each is the trip that came back last before the next began,
 * with those that whoever made it began at the same time.
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
