// A collector that accepts only what the protobuf definitions of OTLP 1.9 allow: fields, types and encodings. `npm run try:otel` compares
// them with the classes that OpenTelemetry generates from these definitions.

import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

/** A field's type. `repeated` is a list; a name is another message. */
type FieldType =
  | "string"
  | "bool"
  | "double"
  | "int64"
  | "fixed64"
  | "uint32"
  | "fixed32"
  | "enum"
  | "traceId"
  | "spanId"
  | string;
type Message = Record<string, FieldType | { repeated: FieldType }>;

/** Messages of `opentelemetry/proto/{collector/trace,trace,common,resource}/v1`, by their JSON names. */
const MESSAGES: Record<string, Message> = {
  ExportTraceServiceRequest: { resourceSpans: { repeated: "ResourceSpans" } },
  ResourceSpans: { resource: "Resource", scopeSpans: { repeated: "ScopeSpans" }, schemaUrl: "string" },
  Resource: { attributes: { repeated: "KeyValue" }, droppedAttributesCount: "uint32" },
  ScopeSpans: { scope: "InstrumentationScope", spans: { repeated: "Span" }, schemaUrl: "string" },
  InstrumentationScope: {
    ...{ name: "string", version: "string", attributes: { repeated: "KeyValue" }, droppedAttributesCount: "uint32" },
  },
  Span: {
    ...{ traceId: "traceId", spanId: "spanId", traceState: "string", parentSpanId: "spanId", flags: "fixed32" },
    ...{ name: "string", kind: "enum", startTimeUnixNano: "fixed64", endTimeUnixNano: "fixed64" },
    ...{ attributes: { repeated: "KeyValue" }, droppedAttributesCount: "uint32", events: { repeated: "Event" } },
    ...{ droppedEventsCount: "uint32", links: { repeated: "Link" }, droppedLinksCount: "uint32", status: "Status" },
  },
  Event: {
    ...{ timeUnixNano: "fixed64", name: "string", attributes: { repeated: "KeyValue" } },
    droppedAttributesCount: "uint32",
  },
  Link: {
    ...{ traceId: "traceId", spanId: "spanId", traceState: "string", attributes: { repeated: "KeyValue" } },
    ...{ droppedAttributesCount: "uint32", flags: "fixed32" },
  },
  Status: { message: "string", code: "enum" },
  KeyValue: { key: "string", value: "AnyValue" },
  AnyValue: {
    ...{ stringValue: "string", boolValue: "bool", intValue: "int64", doubleValue: "double" },
    ...{ arrayValue: "ArrayValue", kvlistValue: "KeyValueList" },
  },
  ArrayValue: { values: { repeated: "AnyValue" } },
  KeyValueList: { values: { repeated: "KeyValue" } },
};

const isNumber = (value: unknown, most: number) =>
  Number.isInteger(value) && Number(value) >= 0 && Number(value) <= most;
const isWhole = (value: unknown, pattern: RegExp) => typeof value === "string" && pattern.test(value);
const SCALARS: Record<string, (value: unknown) => boolean> = {
  string: (value) => typeof value === "string" && value.isWellFormed(),
  bool: (value) => typeof value === "boolean",
  double: (value) => typeof value === "number",
  int64: (value) => isWhole(value, /^-?\d{1,19}$/),
  fixed64: (value) => isWhole(value, /^\d{1,20}$/),
  uint32: (value) => isNumber(value, 2 ** 32 - 1),
  fixed32: (value) => isNumber(value, 2 ** 32 - 1),
  enum: (value) => isNumber(value, 5),
  traceId: (value) => isWhole(value, /^(?!0+$)[0-9a-f]{32}$/),
  spanId: (value) => isWhole(value, /^(?!0+$)[0-9a-f]{16}$/),
};

/** Returns what is wrong with a message, by path. */
export function otlpProblems(value: unknown, type: FieldType = "ExportTraceServiceRequest", at = type): string[] {
  const scalar = SCALARS[type];
  if (scalar !== undefined) return scalar(value) ? [] : [`${at}: ${JSON.stringify(value)} is not ${type}`];
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [`${at}: not a message`];
  const fields = MESSAGES[type] ?? {};
  const own = type === "AnyValue" && Object.keys(value).length !== 1 ? [`${at}: needs one value`] : [];
  const rest = Object.entries(value).flatMap(([name, inner]) => {
    const field = fields[name];
    const place = `${at}.${name}`;
    if (field === undefined) return [`${place}: unknown field`];
    if (typeof field === "string") return otlpProblems(inner, field, place);
    if (!Array.isArray(inner)) return [`${place}: not a list`];
    return inner.flatMap((one, n) => otlpProblems(one, field.repeated, `${place}[${n}]`));
  });
  return [...own, ...rest];
}

export interface ReceivedSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  traceState?: string;
  flags: number;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  status: { code?: number };
  attributes: Record<string, unknown>;
  resource: Record<string, unknown>;
}

interface Value {
  stringValue?: string;
  boolValue?: boolean;
  intValue?: string;
  doubleValue?: number;
  arrayValue?: { values: Value[] };
}

function plain(value: Value): unknown {
  if (value.intValue !== undefined) return Number(value.intValue);
  return value.arrayValue?.values.map(plain) ?? value.stringValue ?? value.boolValue ?? value.doubleValue;
}

const recordOf = (list: { key: string; value: Value }[]) =>
  Object.fromEntries(list.map(({ key, value }) => [key, plain(value)]));

type RawSpan = Omit<ReceivedSpan, "attributes" | "resource"> & { attributes: { key: string; value: Value }[] };
interface RawRequest {
  resourceSpans: { resource: { attributes: { key: string; value: Value }[] }; scopeSpans: { spans: RawSpan[] }[] }[];
}

/** Returns the spans of a request. */
export function spansIn(request: RawRequest): ReceivedSpan[] {
  return request.resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        ...span,
        attributes: recordOf(span.attributes),
        resource: recordOf(resource.attributes),
      })),
    ),
  );
}

export class Collector {
  url = "";
  readonly spans: ReceivedSpan[] = [];
  readonly problems: string[] = [];
  readonly requests: { path: string; headers: IncomingHttpHeaders; text: string }[] = [];
  readonly #server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    this.requests.push({ path: request.url ?? "", headers: request.headers, text });
    const body = JSON.parse(text);
    const problems = otlpProblems(body);
    if (request.method !== "POST" || request.url !== "/v1/traces") problems.push(`${request.method} ${request.url}`);
    if (request.headers["content-type"] !== "application/json") problems.push("content-type");
    this.problems.push(...problems);
    if (problems.length === 0) this.spans.push(...spansIn(body));
    response.writeHead(problems.length === 0 ? 200 : 400, { "content-type": "application/json" });
    response.end("{}");
  });

  async start(): Promise<this> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return this;
  }

  async close(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  /** Returns the spans that satisfy a condition, once there are this many. */
  async wait(count: number, is: (span: ReceivedSpan) => boolean = () => true): Promise<ReceivedSpan[]> {
    const deadline = Date.now() + 20_000;
    for (;;) {
      const found = this.spans.filter(is);
      if (found.length >= count || Date.now() > deadline) return found;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}
