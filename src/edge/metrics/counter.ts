// What counts for operators, and where it goes: made of the Worker's bindings.

import { DURATIONS } from "../../domain/durations";
import type { Count } from "../../domain/metrics/families";
import { settingsFrom } from "../../domain/settings/settings";
import type { Context } from "../../services/context";
import { countInto, type MeterObject } from "../../services/metrics/outbox";

/** What counts for operators in this isolate; nothing is counted where metrics are off, or settings are not valid. */
export function counterIn(env: Env, later: Context["later"], waitMs: number = DURATIONS.counts): Count {
  if (!isCounting(env)) return () => undefined;
  return countInto({ meter: () => meterOf(env), later, waitMs, now: () => Date.now() });
}

function isCounting(env: Env): boolean {
  try {
    return settingsFrom(env).METRICS === "on";
  } catch {
    // Every answer says that settings are not valid.
    return false;
  }
}

/** The one object that has the sums of all isolates. */
export function meterOf(env: Env): MeterObject {
  return env.METER.getByName("meter");
}
