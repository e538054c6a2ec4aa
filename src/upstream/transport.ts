// Wraps the transport of an MCP client: requests use the gateway's fetch, and a request that can get no response fails immediately.

import type {
  FetchLike,
  JSONRPCMessage,
  RequestId,
  StreamableHTTPClientTransport,
  Transport,
  TransportSendOptions,
} from "@modelcontextprotocol/client";
import * as z from "zod";
import { DURATIONS } from "../domain/durations";
import { UPSTREAM_LIMITS } from "../domain/limits";
import { hasOneConnection, type UpstreamTarget } from "../domain/servers/memory";
import type { Redactor } from "../domain/servers/redactor";
import { readTraceContext, type TraceContext, traceFields } from "../domain/telemetry/trace-context";
import { UpstreamFault } from "./fault";
import { guardedFetch } from "./fetch";
import { RequestIds } from "./ids";
import type { Sdk } from "./sdk";
import { SocketTransport } from "./socket-transport";

const ENDED = "the server ended the connection without an answer";
const tracedSchema = z.lazy(() => z.object({ params: z.object({ _meta: z.record(z.string(), z.unknown()) }) }));
const requestSchema = z.lazy(() => z.object({ id: z.union([z.string(), z.number()]), method: z.string() }));

/** The session that a transport resumes without a handshake. */
export interface Resumed {
  /** `null` if the server has no sessions. The handshake is skipped too. */
  id: string | null;
  protocol: string;
}

/** A transport that reports how its requests ended. With streamable HTTP it carries one exchange at a time. */
export class WatchedTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport["onmessage"];
  readonly hasPerRequestStream: boolean;
  /** Rejects if the server ended an exchange that is still pending. */
  readonly broken: Promise<never>;
  /** The last `Retry-After`, in seconds. */
  retryAfter: number | null = null;
  /** The scopes that the server last required in addition (`insufficient_scope`), separated by spaces. */
  requiredScope: string | null = null;
  readonly #break: (fault: UpstreamFault) => void;
  readonly #inner: Transport;
  /** The same transport, if it uses streamable HTTP. */
  readonly #streamable: StreamableHTTPClientTransport | null;
  /** Redacts all data from the server before it is parsed, stored, truncated or shown. */
  readonly redactor: Redactor;
  readonly #resumed: Resumed | null;
  /** Requests without a response, and those whose response is a stream, by their ids at the server. */
  readonly #waiting = new Map<RequestId, string>();
  readonly #streamed = new Set<RequestId>();
  readonly #ids = new RequestIds();
  readonly #notices = new Set<Promise<void>>();
  #fault: UpstreamFault | null = null;
  /** The span of the message that is being sent, for servers that read only headers. */
  #trace: TraceContext | null = null;
  /** State of the standing stream: whether it is wanted, and the server's last status. */
  #listens = false;
  #listened: number | null = null;

  constructor(sdk: Sdk, target: UpstreamTarget, resumed: Resumed | null, development: boolean) {
    const { promise, reject } = Promise.withResolvers<never>();
    promise.catch(() => undefined);
    this.broken = promise;
    this.#break = reject;
    this.#resumed = resumed;
    this.redactor = target.redactor;
    const isStream = target.type === "sse";
    this.hasPerRequestStream = !hasOneConnection(target);
    const url = new URL(target.url);
    const requestInit = { headers: { ...target.headers } };
    const fetch: FetchLike = async (at, init) => {
      const response = await this.#fetch(at, init ?? {}, isStream, development);
      this.requiredScope = requiredScopeIn(sdk, response);
      return response;
    };
    this.#streamable = hasOneConnection(target)
      ? null
      : new sdk.StreamableHTTPClientTransport(url, {
          requestInit,
          fetch,
          ...(resumed === null ? {} : { protocolVersion: resumed.protocol }),
          ...(resumed === null || resumed.id === null ? {} : { sessionId: resumed.id }),
        });
    this.#inner =
      this.#streamable ??
      (isStream
        ? new sdk.SSEClientTransport(url, { requestInit, fetch })
        : this.#socketTransport(sdk, target, development));
    const isRepeated = isStream ? repetitions() : () => false;
    this.#inner.onmessage = (message, extra) => {
      if (isRepeated(message)) return;
      if ("id" in message && !("method" in message) && message.id !== undefined) this.#waiting.delete(message.id);
      this.onmessage?.(withoutSecrets(this.#ids.inward(message), this.redactor), extra);
    };
    this.#inner.onclose = () => this.onclose?.();
    this.#inner.onerror = (error) => {
      // The stream with all responses has ended. It would be reopened, but pending responses are lost.
      if (error instanceof sdk.SseError) this.#break(this.#fault ?? new UpstreamFault("closed", ENDED));
      this.onerror?.(error);
    };
  }

  #socketTransport(sdk: Sdk, { url, headers }: UpstreamTarget, development: boolean): Transport {
    return new SocketTransport(sdk, {
      ...{ url, headers, development },
      onResponse: (response) => {
        this.retryAfter = readRetryAfter(response);
        this.requiredScope = requiredScopeIn(sdk, response);
      },
      onFault: (fault) => {
        this.#fault ??= fault;
        this.#break(fault);
      },
    });
  }

  /** The client skips the handshake if the transport has a session. */
  get sessionId(): string | undefined {
    return this.#inner.sessionId ?? (this.#resumed === null ? undefined : "none");
  }

  /** The session id from the server, or `null` if it sent none. */
  get givenSession(): string | null {
    return this.#inner.sessionId ?? null;
  }

  /** The fault that ended an exchange, if the gateway has more information than the library. */
  get fault(): UpstreamFault | null {
    return this.#fault;
  }

  setProtocolVersion(version: string): void {
    this.#inner.setProtocolVersion?.(version);
  }

  start(): Promise<void> {
    return this.#inner.start();
  }

  /**
   * Opens the stream on which the server of a session sends its own requests, until the transport is closed. It is reopened after a
   * failure. Returns the status of the response, or `null` if there was none.
   */
  async listen(): Promise<number | null> {
    this.#listens = true;
    // Failures are reported by the status and `onerror`. The empty event id is the library's way to open a stream for the first time.
    await this.#streamable?.resumeStream("").catch(() => undefined);
    return this.#listened;
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    this.#trace = traceIn(message);
    const translated = this.#ids.outward(message);
    const request = requestSchema.safeParse(translated).data;
    if (request === undefined) return this.#notify(translated, options);
    const { id, method } = request;
    this.#waiting.set(id, method);
    await this.#inner.send(translated, { ...options, onRequestStreamEnd: () => this.#ended(id) });
    if (this.hasPerRequestStream && !this.#streamed.has(id)) this.#ended(id);
  }

  /** Closes the transport after pending messages are sent. Never fails, and needs no `await`. */
  async close(): Promise<void> {
    if (this.#notices.size > 0) {
      const late = Promise.withResolvers<void>();
      const timer = setTimeout(late.resolve, DURATIONS.sessionEnd);
      await Promise.race([Promise.allSettled(this.#notices), late.promise]);
      clearTimeout(timer);
    }
    await this.#inner.close();
  }

  async #notify(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    const sent = this.#inner.send(message, options);
    this.#notices.add(sent);
    try {
      await sent;
    } finally {
      this.#notices.delete(sent);
    }
  }

  /** The response to a request has ended. If it contained no result, none will arrive. */
  #ended(id: RequestId): void {
    const method = this.#waiting.get(id);
    if (method === undefined) return;
    this.#waiting.delete(id);
    if (method === "server/discover" && this.#fault === null) {
      // Servers that do not support the method are of the older era.
      this.onmessage?.({ jsonrpc: "2.0", id: this.#ids.own(id), error: { code: -32601, message: ENDED } });
      return;
    }
    this.#break(this.#fault ?? new UpstreamFault("closed", ENDED));
  }

  async #fetch(url: string | URL, init: RequestInit, isStream: boolean, development: boolean): Promise<Response> {
    const method = init.method ?? "GET";
    const headers = new Headers(init.headers);
    // Only `listen` opens the standing stream. Otherwise changes are detected in the streams of calls and by listing again.
    const isAnew = !isStream && method === "GET" && !headers.has("last-event-id");
    if (isAnew && !this.#listens) return new Response(null, { status: 405 });
    const stands = method === "GET" && (isStream || this.#listens);
    const bytes = stands ? UPSTREAM_LIMITS.streamBytes : UPSTREAM_LIMITS.answerBytes;
    const onFault = (fault: UpstreamFault) => {
      this.#fault ??= fault;
    };
    if (method === "POST" && this.#trace !== null)
      for (const [name, value] of Object.entries(traceFields(this.#trace)))
        if (!headers.has(name)) headers.set(name, value);
    const guard = { development, headersMs: null, totalMs: null, bytes, onFault };
    const response = await guardedFetch(url, { ...init, headers }, guard);
    this.retryAfter = readRetryAfter(response);
    if (stands) this.#listened = response.status;
    if (/^text\/event-stream\b/i.test(response.headers.get("content-type") ?? "")) this.#markStream(init.body);
    return response;
  }

  #markStream(body: RequestInit["body"]): void {
    if (typeof body !== "string") return;
    const request = requestSchema.safeParse(JSON.parse(body)).data;
    if (request !== undefined) this.#streamed.add(request.id);
  }
}

/** Returns the span that a message names in `_meta`. */
function traceIn(message: JSONRPCMessage): TraceContext | null {
  const meta = tracedSchema.safeParse(message).data?.params._meta;
  return meta === undefined ? null : readTraceContext(meta.traceparent, meta.tracestate);
}

/**
 * Returns a function that detects the second delivery of a message. For an `sse` server every message arrives twice at once: workerd calls
 * the `onmessage` of an event target itself, and so does the library's EventSource.
 */
function repetitions(): (message: JSONRPCMessage) => boolean {
  let last: string | null = null;
  return (message) => {
    const text = JSON.stringify(message);
    const isSecond = text === last;
    last = isSecond ? null : text;
    if (!isSecond)
      queueMicrotask(() => {
        last = null;
      });
    return isSecond;
  };
}

/** Returns a message with redacted content. Id and method are unchanged, because they are not shown. */
function withoutSecrets(message: JSONRPCMessage, redactor: Redactor): JSONRPCMessage {
  if (redactor.isIdle) return message;
  if ("method" in message)
    return message.params === undefined ? message : { ...message, params: redactor.json(message.params) };
  return "error" in message
    ? { ...message, error: redactor.json(message.error) }
    : { ...message, result: redactor.json(message.result) };
}

function readRetryAfter(response: Response): number | null {
  const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? Math.ceil(seconds) : null;
}

/** Returns the scopes of a response that requires more scopes than the token has; `null` for other responses. */
export function requiredScopeIn(sdk: Sdk, response: Response): string | null {
  if (response.status !== 403) return null;
  const { error, scope = null } = sdk.extractWWWAuthenticateParams(response);
  return error === "insufficient_scope" ? scope : null;
}
