// Counts the running chat requests of one user. Each has a lease, so an aborted request frees its slot when the lease expires.

export class ChatLeases {
  /** Expiry of each lease, in milliseconds since the epoch. */
  readonly #leases = new Map<string, number>();

  /** Takes or renews a lease. Returns `false` if all are in use. */
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
