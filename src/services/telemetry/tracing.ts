// Starts spans. Without a collector it only passes the caller's trace context on.

import { hexOf } from "../../domain/digest";
import type { FinishedSpan } from "../../domain/telemetry/span";
import { isSampledAt, type TraceContext } from "../../domain/telemetry/trace-context";
import type { OpenSpan, Tracing } from "../../domain/telemetry/tracing";
import { exportSpan, type TraceSink } from "./outbox";

/** The value of `error.type` for errors without a code. */
const OTHER_ERROR = "_OTHER";

/** Returns the traces of a request. `sink` is `null` without a collector. */
export function tracingInto(sink: TraceSink | null, ratio: number, caller: TraceContext | null): Tracing {
  // Spans whose parent is this one cross a system's border.
  const remote = caller;
  const tracing: Tracing = {
    parent: caller,
    isOn: sink !== null,
    begin({ parent = tracing.parent, ...known }) {
      if (sink === null || parent?.sampled === false) return passedOn(parent);
      const traceId = parent?.traceId ?? randomHex(16);
      const sampled = parent !== null || isSampledAt(traceId, ratio);
      const context: TraceContext = { traceId, spanId: randomHex(8), sampled, state: parent?.state ?? "" };
      if (!sampled) return passedOn(context);
      const from = parent === null ? null : { spanId: parent.spanId, isRemote: parent === remote };
      return recorded(sink, { ...known, context, parent: from });
    },
  };
  return tracing;
}

function passedOn(context: TraceContext | null): OpenSpan {
  return { context, end: () => undefined };
}

function recorded(sink: TraceSink, begun: Omit<FinishedSpan, "end" | "error">): OpenSpan {
  let isOpen = true;
  return {
    context: begun.context,
    end({ at, error, attributes = {}, name = begun.name }) {
      if (!isOpen) return;
      isOpen = false;
      exportSpan(sink, { ...begun, name, end: at, error, attributes: { ...begun.attributes, ...attributes } });
    },
  };
}

function randomHex(bytes: number): string {
  return hexOf(crypto.getRandomValues(new Uint8Array(bytes)));
}

/** Returns the value of `error.type`: the code of a refusal, otherwise `_OTHER`. */
export function errorTypeOf(error: unknown): string {
  if (typeof error !== "object" || error === null) return OTHER_ERROR;
  const code = "reason" in error ? error.reason : "code" in error ? error.code : null;
  return typeof code === "string" && /^[A-Za-z0-9_.-]{1,64}$/.test(code) ? code : OTHER_ERROR;
}
