// What an isolate has counted and not yet sent to the object of all sums. Nothing waits for it, and what an isolate holds when it ends,
// or cannot send, is lost.

import type { Count } from "../../domain/metrics/families";
import { addTo, rowsOf, type SumRow, type Sums } from "../../domain/metrics/sums";
import type { Context } from "../context";

/** The object that keeps the sums of all isolates. */
export interface MeterObject {
  /** Adds what an isolate has counted. */
  add(rows: SumRow[]): Promise<void>;
  read(): Promise<SumRow[]>;
}

/** Where an isolate's counts go, and how. */
export interface MetricsSink {
  meter(): MeterObject;
  later: Context["later"];
  /** How long they may wait for others to go with them, in milliseconds. */
  waitMs: number;
  now(): number;
}

/** So many at once are sent without waiting for more. */
const MOST_WAITING = 200;
/** Who was to send may be gone: so long after it was due somebody else sees to it. */
const LATE_MS = 5_000;

/** An isolate's own, whichever request counts. */
const waiting: Sums = new Map();
let due = 0;

/** Counts into what waits, and has it sent. */
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

/** Sends what waits. */
export async function flush({ meter }: Pick<MetricsSink, "meter">): Promise<void> {
  const rows = rowsOf(waiting);
  waiting.clear();
  due = 0;
  if (rows.length > 0) await meter().add(rows);
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
