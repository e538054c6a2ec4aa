// Reads the sums of all isolates for an admin, including this isolate's unsent counts.

import { GatewayError } from "../../domain/errors";
import { addAll, type Sums } from "../../domain/metrics/sums";
import { requireAdmin } from "../admin";
import type { Context } from "../context";
import { flush, type MeterObject } from "./outbox";

/** Returns the sums since metrics were first turned on. */
export async function readSums({ caller, settings }: Context, meter: () => MeterObject): Promise<Sums> {
  requireAdmin(caller.principal, "Only admins can read metrics. Use an admin's key.");
  if (settings.METRICS === "off")
    throw new GatewayError(
      "not_found",
      "METRICS_OFF",
      "Metrics are off. Set `METRICS=on` in the gateway's settings and restart or deploy it.",
    );
  await flush({ meter });
  const sums: Sums = new Map();
  addAll(sums, await meter().read());
  return sums;
}
