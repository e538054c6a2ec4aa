// Defines how use cases start and end spans. `services/telemetry/` implements it.

import type { Attributes, SpanKind } from "./span";
import type { TraceContext } from "./trace-context";

/** What is known of a span when it starts. */
interface SpanStart {
  name: string;
  kind: SpanKind;
  /** Default: the parent of the request. */
  parent?: TraceContext | null | undefined;
  user: string;
  attributes: Attributes;
  /** Milliseconds since the epoch. */
  start: number;
}

/** A running span. */
export interface OpenSpan {
  /** Names the span to other systems; `null` if there is no trace. */
  readonly context: TraceContext | null;
  /** Ends the span once; later calls do nothing. Replaces attributes with the same names, and the name if one is given. */
  end(end: { at: number; error: string | null; attributes?: Attributes; name?: string }): void;
}

/** The traces of one request. */
export interface Tracing {
  /** The span in which the request runs: of the caller's system, or of the gateway itself. */
  parent: TraceContext | null;
  /** Whether new spans can be exported. */
  readonly isOn: boolean;
  begin(span: SpanStart): OpenSpan;
}
