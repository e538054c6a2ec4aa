// Counts requests in the memory of the Worker, with the interface of Cloudflare's rate limits. A restart begins at zero.

/** Keys of one period. Above it, the oldest are forgotten. */
const MOST_KEYS = 100_000;

export class Counter {
  #limit;
  #period;
  #began = 0;
  #counts = new Map();

  /** @param {{ limit: number, period: number }} rate requests of one key in each period; its length in seconds */
  constructor({ limit, period }) {
    this.#limit = limit;
    this.#period = period * 1_000;
  }

  /** @returns {Promise<{ success: boolean }>} */
  async limit({ key }) {
    const now = Date.now();
    if (now - this.#began >= this.#period) {
      this.#began = now;
      this.#counts.clear();
    }
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    if (this.#counts.size > MOST_KEYS) this.#counts.delete(this.#counts.keys().next().value);
    return { success: count <= this.#limit };
  }
}
