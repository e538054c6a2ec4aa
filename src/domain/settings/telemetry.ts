// Settings of exported traces, named as OpenTelemetry names its environment variables. Part of `settings.ts`.

import { count, entriesOf, optionalText, own, textOr } from "./kinds";

const MOST_PAIRS = 32;
/** Headers that describe the connection or the body. */
const RESERVED = /^(?:host|connection|content-.*|transfer-encoding|upgrade|te|trailer|expect|keep-alive|proxy-.*)$/i;

/** `name=value` pairs between commas, percent-encoded. Problems never quote a value, because values are secrets. */
function pairs(nameOf: RegExp, most: number) {
  return own<Record<string, string>>({}, (text, say) => {
    const entries = entriesOf(text);
    if (entries.length > most) say(`use at most ${most} pairs`);
    const read = entries.map((entry) => pairIn(entry, nameOf));
    const wrong = read.indexOf(null);
    if (wrong !== -1) say(`pair ${wrong + 1} is not a percent-encoded name=value`);
    return Object.fromEntries(read.filter((pair) => pair !== null));
  });
}

function pairIn(entry: string, nameOf: RegExp): [string, string] | null {
  const at = entry.indexOf("=");
  if (at < 1) return null;
  try {
    const name = decodeURIComponent(entry.slice(0, at).trim());
    const value = decodeURIComponent(entry.slice(at + 1).trim());
    return nameOf.test(name) && !RESERVED.test(name) && /^[\x20-\x7e]{1,4096}$/.test(value) ? [name, value] : null;
  } catch {
    return null;
  }
}

function isCollector(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.username + url.password + url.search + url.hash === "";
}

export const telemetrySettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: optionalText((value) =>
    isCollector(value) ? null : "use an http or https address without user and query",
  ).describe("The address of an OpenTelemetry collector, without `/v1/traces`. See [Observability](observability.md)."),
  OTEL_EXPORTER_OTLP_HEADERS: pairs(/^[\w!#$%&'*+.^`|~-]{1,128}$/, MOST_PAIRS).describe(
    "Comma-separated `name=value` headers for the collector, percent-encoded. A secret.",
  ),
  OTEL_TRACES_SAMPLER_ARG: own(1, (value, say) => {
    const ratio = value.trim() === "" ? Number.NaN : Number(value);
    if (!(ratio >= 0 && ratio <= 1)) say("use a number from 0 to 1");
    return ratio;
  }).describe("The part of new traces that is exported, from `0` to `1`, unless the caller sends `traceparent`."),
  OTEL_BSP_SCHEDULE_DELAY: count(5_000, 0, 25_000).describe(
    "Milliseconds until a Worker sends its spans; at most 500 in Durable Objects.",
  ),
  OTEL_SERVICE_NAME: textOr("skill-gateway", (value) =>
    value.trim() === "" || value.length > 128 ? "use 1 to 128 characters" : null,
  ).describe("The name of the gateway in traces (`service.name`)."),
  OTEL_RESOURCE_ATTRIBUTES: pairs(/^[\x21-\x2b\x2d-\x3c\x3e-\x7e]{1,128}$/, MOST_PAIRS).describe(
    "Comma-separated `name=value` attributes of the gateway in traces.",
  ),
};
