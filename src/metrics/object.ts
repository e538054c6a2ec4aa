// One Durable Object for the whole gateway: the sums of what all isolates have counted. It knows of no user.

import { DurableObject } from "cloudflare:workers";
import type { SumRow, Sums } from "../domain/metrics/sums";
import type { MeterObject } from "../services/metrics/outbox";

/** Kept from the first call on. */
let adding: typeof import("../domain/metrics/sums") | null = null;

export class Meter extends DurableObject<Env> implements MeterObject {
  #sums: Sums | null = null;

  /** What is added is in one row: a row is what a write costs. */
  async add(rows: SumRow[]): Promise<void> {
    adding ??= await import("../domain/metrics/sums");
    const sums = this.#read(adding);
    adding.addAll(sums, rows);
    this.ctx.storage.kv.put("sums", JSON.stringify(adding.rowsOf(sums)));
  }

  async read(): Promise<SumRow[]> {
    adding ??= await import("../domain/metrics/sums");
    return adding.rowsOf(this.#read(adding));
  }

  #read({ addAll, sumRowsSchema }: NonNullable<typeof adding>): Sums {
    if (this.#sums !== null) return this.#sums;
    const sums: Sums = new Map();
    addAll(sums, sumRowsSchema.parse(JSON.parse(this.ctx.storage.kv.get<string>("sums") ?? "[]")));
    this.#sums = sums;
    return sums;
  }
}
