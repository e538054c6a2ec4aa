// Parses and formats W3C trace context: https://www.w3.org/TR/trace-context/.

/** A span of this or another system, as it travels between systems. Plain data. */
export interface TraceContext {
  /** 32 hex digits. */
  traceId: string;
  /** 16 hex digits. */
  spanId: string;
  /** Whether the trace is recorded. */
  sampled: boolean;
  /** `tracestate`, passed on unchanged; empty if there is none. */
  state: string;
}

const PARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const MEMBER =
  /^[a-z0-9][a-z0-9_\-*/]{0,240}(?:@[a-z][a-z0-9_\-*/]{0,13})?=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/;
const STATE = { chars: 512, members: 32 } as const;
/** Headers of later versions are longer. */
const LONGEST = 512;

/**
 * Returns the context of a request; `null` without a valid `traceparent`. An invalid `tracestate` is dropped alone.
 *
 * @param parent the header or `_meta` field `traceparent`
 */
export function readTraceContext(parent: unknown, state?: unknown): TraceContext | null {
  if (typeof parent !== "string" || parent.length > LONGEST) return null;
  const [, version, traceId = "", spanId = "", flags = "", rest] = PARENT.exec(parent.trim()) ?? [];
  if (version === undefined || version === "ff" || (version === "00" && rest !== undefined)) return null;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return null;
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1, state: stateIn(state) };
}

function stateIn(state: unknown): string {
  if (typeof state !== "string" || state.length > STATE.chars) return "";
  const members = state
    .split(",")
    .map((member) => member.trim())
    .filter((member) => member !== "");
  const keys = new Set(members.map((member) => member.split("=")[0]));
  const isValid =
    members.length <= STATE.members && keys.size === members.length && members.every((m) => MEMBER.test(m));
  return isValid ? members.join(",") : "";
}

/** Returns the fields that name a span to another system, as HTTP headers or as members of `_meta` (MCP SEP-414). */
export function traceFields({ traceId, spanId, sampled, state }: TraceContext): Record<string, string> {
  const traceparent = `00-${traceId}-${spanId}-${sampled ? "01" : "00"}`;
  return state === "" ? { traceparent } : { traceparent, tracestate: state };
}

/**
 * Returns whether a new trace is recorded. Depends on the trace id only, so that every system with the same ratio decides the same.
 *
 * @param ratio from 0 to 1
 */
export function isSampledAt(traceId: string, ratio: number): boolean {
  // The last 56 bits are random in every trace id of W3C level 2.
  const random = Number.parseInt(traceId.slice(-14), 16);
  return random >= (1 - ratio) * 2 ** 56;
}
