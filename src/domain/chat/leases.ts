// How many requests of the chat endpoint one user has running. A place is held by a lease: who is gone without a word gives it back.

export class ChatLeases {
  /** When the lease of each ends, in milliseconds since the epoch. */
  readonly #leases = new Map<string, number>();

  /** Takes a place or keeps it. `false`: all are taken. */
  hold(id: string, most: number, now: number, leaseMs: number): boolean {
    for (const [other, until] of this.#leases) if (until <= now) this.#leases.delete(other);
    if (!this.#leases.has(id) && this.#leases.size >= most) return false;
    this.#leases.set(id, now + leaseMs);
    return true;
  }

  release(id: string): void {
    this.#leases.delete(id);
  }
}
