// Creates the metrics counter from the Worker's bindings.

import { DURATIONS } from "../../domain/durations";
import type { Count } from "../../domain/metrics/families";
import { settingsFrom } from "../../domain/settings/settings";
import type { Context } from "../../services/context";
import { countInto, type MeterObject } from "../../services/metrics/outbox";

/** Returns this isolate's counter; it does nothing if metrics are off or settings are invalid. */
export function counterIn(env: Env, later: Context["later"], waitMs: number = DURATIONS.counts): Count {
  if (!isCounting(env)) return () => undefined;
  return countInto({ meter: () => meterOf(env), later, waitMs, now: () => Date.now() });
}

function isCounting(env: Env): boolean {
  try {
    return settingsFrom(env).METRICS === "on";
  } catch {
    // Every response reports invalid settings.
    return false;
  }
}

/** The object with the sums of all isolates. */
export function meterOf(env: Env): MeterObject {
  return env.METER.getByName("meter");
}
