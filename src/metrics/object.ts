// One Durable Object for the whole gateway: the sums of all isolates' counters. It stores nothing about users.

import { DurableObject } from "cloudflare:workers";
import type { SumRow } from "../domain/metrics/sums";
import type { MeterObject } from "../services/metrics/outbox";
import type { SumStore } from "../storage/object/sums";

export class Meter extends DurableObject<Env> implements MeterObject {
  #store: SumStore | null = null;

  /** Adds the counts of an isolate. */
  async add(rows: SumRow[]): Promise<void> {
    const store = await this.#open();
    store.add(rows);
  }

  async read(): Promise<SumRow[]> {
    const store = await this.#open();
    return store.read();
  }

  /** The module that reads it is loaded at the first call. */
  async #open(): Promise<SumStore> {
    const { SumStore: Store } = await import("../storage/object/sums");
    this.#store ??= new Store(this.ctx.storage);
    return this.#store;
  }
}
