// The Durable Object of an import: handles its alarm and stores the rest of a run's plan. The code of the run is loaded with the first
// alarm.

import { DurableObject } from "cloudflare:workers";
import type { ImportObject } from "../services/imports/api";
import type { WakeCounter } from "./alarm-handler";

/** Cached from the first alarm on. */
let ringing: typeof import("./alarm-handler") | null = null;

export class Import extends DurableObject<Env> implements ImportObject {
  #leaving = new AbortController();
  readonly #bell: WakeCounter = { woken: 0 };

  /** Continues an import at once. */
  async wake(id: string): Promise<void> {
    this.ctx.storage.kv.put("id", id);
    this.#bell.woken += 1;
    await this.ctx.storage.setAlarm(Date.now());
  }

  /** Deletes everything and cancels work in progress. */
  async end(): Promise<void> {
    this.#leaving.abort();
    this.#leaving = new AbortController();
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
  }

  override async alarm(): Promise<void> {
    ringing ??= await import("./alarm-handler");
    await ringing.runImportAlarm(this.ctx, this.env, this.#bell, this.#leaving.signal);
  }
}
