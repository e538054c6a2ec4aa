// Defines spans and limits their size. Spans contain no messages, arguments or results.

import type { TraceContext } from "./trace-context";

/** Limits of exported spans. */
export const TRACE_LIMITS = {
  /** Spans that an isolate holds. Further ones are dropped. */
  queue: 2_048,
  /** Spans of one request to the collector. */
  batch: 512,
  attributes: 32,
  /** Characters of a name, and of a value. */
  name: 128,
  value: 256,
} as const;

export type AttributeValue = string | number | boolean | readonly string[];

/** `undefined` values are left out. */
export type Attributes = Readonly<Record<string, AttributeValue | undefined>>;

/** `internal`: work of the gateway. `client`: a request to another system. */
export type SpanKind = "internal" | "client";

/** A finished span. Times are milliseconds since the epoch. */
export interface FinishedSpan {
  context: TraceContext;
  /** The span that caused it; `null` for the first one of a trace. */
  parent: { spanId: string; isRemote: boolean } | null;
  name: string;
  kind: SpanKind;
  start: number;
  end: number;
  /** The user for whom it ran. Exported as a digest. */
  user: string;
  attributes: Attributes;
  /** `error.type`; `null`: no error. */
  error: string | null;
}

/** Returns the span with its texts cut to the limits. */
export function withinLimits(span: FinishedSpan): FinishedSpan {
  const kept = Object.entries(span.attributes).filter(([, value]) => value !== undefined);
  const attributes = Object.fromEntries(
    kept.slice(0, TRACE_LIMITS.attributes).map(([key, value]) => [key, cut(value)]),
  );
  return { ...span, name: cutTo(span.name, TRACE_LIMITS.name), attributes };
}

function cut(value: AttributeValue | undefined): AttributeValue | undefined {
  if (typeof value === "string") return cutTo(value, TRACE_LIMITS.value);
  return Array.isArray(value)
    ? value.slice(0, TRACE_LIMITS.attributes).map((one) => cutTo(one, TRACE_LIMITS.value))
    : value;
}

/** A half of a surrogate pair at the cut would make invalid UTF-8. */
function cutTo(text: string, chars: number): string {
  return text.slice(0, chars).toWellFormed();
}
