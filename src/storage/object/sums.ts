// Stores the sums of all isolates in one row, because each row costs a write.

import * as z from "zod";
import { addAll, rowsOf, type SumRow, type Sums } from "../../domain/metrics/sums";

const rowsSchema = z.lazy(() => z.array(z.object({ key: z.string(), sum: z.array(z.number()) })));

export class SumStore {
  readonly #storage: DurableObjectStorage;
  readonly #sums: Sums = new Map();

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
    addAll(this.#sums, rowsSchema.parse(JSON.parse(storage.kv.get<string>("sums") ?? "[]")));
  }

  add(rows: readonly SumRow[]): void {
    addAll(this.#sums, rows);
    this.#storage.kv.put("sums", JSON.stringify(this.read()));
  }

  read(): SumRow[] {
    return rowsOf(this.#sums);
  }
}
