// Creates the traces of a request from the Worker's bindings.

import { DURATIONS } from "../../domain/durations";
import type { Count } from "../../domain/metrics/families";
import { settingsFrom } from "../../domain/settings/settings";
import { SCOPE_NAME } from "../../domain/telemetry/otlp";
import type { TraceContext } from "../../domain/telemetry/trace-context";
import type { Tracing } from "../../domain/telemetry/tracing";
import type { Context } from "../../services/context";
import { tracingInto } from "../../services/telemetry/tracing";

interface TracePlace {
  later: Context["later"];
  count: Count;
  /** Whether it runs in a Durable Object, which a waiting timer keeps awake. */
  isObject: boolean;
}

/** Returns the traces of a request in which `caller` is the caller's span. */
export function tracingIn(env: Env, { later, count, isObject }: TracePlace, caller: TraceContext | null): Tracing {
  const settings = settingsFrom(env);
  const endpoint = settings.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (endpoint === undefined) return tracingInto(null, 0, caller);
  const delay = settings.OTEL_BSP_SCHEDULE_DELAY;
  const sink = {
    url: `${endpoint.replace(/\/+$/, "")}/v1/traces`,
    headers: settings.OTEL_EXPORTER_OTLP_HEADERS,
    resource: {
      ...settings.OTEL_RESOURCE_ATTRIBUTES,
      "service.name": settings.OTEL_SERVICE_NAME,
      "telemetry.sdk.name": SCOPE_NAME,
      "telemetry.sdk.language": "webjs",
    },
    later,
    waitMs: isObject ? Math.min(delay, DURATIONS.spansOfObject) : delay,
    now: () => Date.now(),
    count,
  };
  return tracingInto(sink, settings.OTEL_TRACES_SAMPLER_ARG, caller);
}
