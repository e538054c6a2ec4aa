// Buffers an isolate's counts and sends them to the metrics object. Nothing waits for it; counts that an ending isolate holds or cannot
// send are lost.

import type { Count } from "../../domain/metrics/families";
import { addTo, rowsOf, type SumRow, type Sums } from "../../domain/metrics/sums";
import type { Context } from "../context";

/** The Durable Object with the sums of all isolates. */
export interface MeterObject {
  /** Adds the counts of an isolate. */
  add(rows: SumRow[]): Promise<void>;
  read(): Promise<SumRow[]>;
}

/** Where an isolate's counts go. */
export interface MetricsSink {
  meter(): MeterObject;
  later: Context["later"];
  /** Maximum delay for batching, in milliseconds. */
  waitMs: number;
  now(): number;
}

/** This number of counts is sent without further delay. */
const MOST_WAITING = 200;
/** If the request that should send is gone, another one sends after this time. */
const LATE_MS = 5_000;

/** Shared by all requests of the isolate. */
const waiting: Sums = new Map();
let due = 0;

/** Returns a counter that adds to the buffer and triggers sending. */
export function countInto(sending: MetricsSink): Count {
  return (family, labels, by = 1) => {
    addTo(waiting, family, labels, by);
    if (waiting.size >= MOST_WAITING) {
      sending.later(flush(sending));
      return;
    }
    const now = sending.now();
    if (now < due + LATE_MS) return;
    due = now + sending.waitMs;
    sending.later(sleep(sending.waitMs).then(() => flush(sending)));
  };
}

/** Sends the buffered counts. */
export async function flush({ meter }: Pick<MetricsSink, "meter">): Promise<void> {
  const rows = rowsOf(waiting);
  waiting.clear();
  due = 0;
  if (rows.length > 0) await meter().add(rows);
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
