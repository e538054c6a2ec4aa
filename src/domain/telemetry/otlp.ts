// Writes spans in the JSON encoding of OTLP 1.9 (https://opentelemetry.io/docs/specs/otlp/), and reads a collector's answer.

import * as z from "zod";
import type { JsonObject } from "../json";
import type { Attributes, AttributeValue, FinishedSpan, SpanKind } from "./span";

/** Numbers of `Span.SpanKind` in the protobuf definition. */
const KINDS: Record<SpanKind, number> = { internal: 1, client: 3 };
/** The JSON of OpenTelemetry's own packages contains the code 0, and receivers exist that require it. */
const [STATUS_UNSET, STATUS_ERROR] = [0, 2];
/** Bits of `Span.flags`: sampled, whether it is known that the parent is remote, and whether it is. */
const [SAMPLED, KNOWS_REMOTE, IS_REMOTE] = [0x1, 0x100, 0x200];

export const SCOPE_NAME = "skill-gateway";

/**
 * Returns an `ExportTraceServiceRequest`.
 *
 * @param userOf returns the value of `user.id`
 */
export function exportRequest(
  spans: readonly FinishedSpan[],
  resource: Attributes,
  userOf: (user: string) => string | undefined,
): JsonObject {
  const written = spans.map((span) => writeSpan(span, userOf(span.user)));
  const scopeSpans = [{ scope: { name: SCOPE_NAME }, spans: written }];
  return { resourceSpans: [{ resource: { attributes: writeAttributes(resource) }, scopeSpans }] };
}

function writeSpan(span: FinishedSpan, user: string | undefined): JsonObject {
  const { context, parent, name, kind, start, end, error } = span;
  const known = { ...span.attributes, "user.id": user, "error.type": error ?? undefined };
  return {
    traceId: context.traceId,
    spanId: context.spanId,
    ...(context.state === "" ? {} : { traceState: context.state }),
    ...(parent === null ? {} : { parentSpanId: parent.spanId }),
    flags: SAMPLED | KNOWS_REMOTE | (parent?.isRemote === true ? IS_REMOTE : 0),
    name,
    kind: KINDS[kind],
    startTimeUnixNano: nanoseconds(start),
    endTimeUnixNano: nanoseconds(Math.max(start, end)),
    attributes: writeAttributes(known),
    status: { code: error === null ? STATUS_UNSET : STATUS_ERROR },
  };
}

/** 64-bit integers are texts in the JSON encoding of protobuf. */
const nanoseconds = (ms: number) => `${Math.round(ms)}000000`;

function writeAttributes(attributes: Attributes): JsonObject[] {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: writeValue(value) }],
  );
}

function writeValue(value: AttributeValue): JsonObject {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value === "number")
    return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  return { arrayValue: { values: value.map((one) => ({ stringValue: one })) } };
}

const answerSchema = z.lazy(() =>
  z.object({
    partialSuccess: z
      .object({ rejectedSpans: z.union([z.string(), z.number()]).optional(), errorMessage: z.string().optional() })
      .optional(),
  }),
);

/** Returns the number of spans that the collector rejected although it accepted the request. */
export function rejectedIn(answer: unknown, sent: number): number {
  const rejected = Number(answerSchema.safeParse(answer).data?.partialSuccess?.rejectedSpans ?? 0);
  return Number.isFinite(rejected) ? Math.min(sent, Math.max(0, Math.trunc(rejected))) : 0;
}

/** What follows from the status of an answer. */
export type ExportOutcome = "accepted" | "again" | "refused";

/** Only these statuses are retried (OTLP, "Failures"). */
const RETRYABLE = [429, 502, 503, 504];

/** Returns what a status means. Everything but success and the retryable statuses is final. */
export function exportOutcome(status: number): ExportOutcome {
  if (status >= 200 && status < 300) return "accepted";
  return RETRYABLE.includes(status) ? "again" : "refused";
}

const [FIRST_WAIT, LONGEST_WAIT] = [1_000, 300_000];

/**
 * Returns the milliseconds until the next attempt.
 *
 * @param failures failed attempts in a row, at least 1
 * @param retryAfter the header `Retry-After`: seconds or a date
 */
export function retryDelay(failures: number, retryAfter: string | null, now: number): number {
  const asked = retryAfter === null ? Number.NaN : Number(retryAfter);
  const wanted = Number.isNaN(asked) ? Date.parse(retryAfter ?? "") - now : asked * 1_000;
  const backOff = FIRST_WAIT * 2 ** Math.min(failures - 1, 10);
  return Math.min(LONGEST_WAIT, Number.isFinite(wanted) && wanted > 0 ? Math.max(wanted, FIRST_WAIT) : backOff);
}
