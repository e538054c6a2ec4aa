// Fetches from servers that skills, ghosts and administrators configure. Every such request uses this module. It checks each URL and limits
// time and size.

import { UPSTREAM_LIMITS } from "../domain/limits";
import { judgeUrl } from "../domain/servers/host-policy";
import { statusFault, UpstreamFault } from "./fault";

/** Headers that control the connection. Server entries cannot set them. */
export const CONNECTION_HEADERS = [
  ...["host", "connection", "content-length", "expect", "keep-alive", "proxy-authorization", "proxy-connection"],
  ...["te", "trailer", "transfer-encoding", "upgrade"],
];

/** Limits of one request. */
export interface Guard {
  /** Whether http and this machine's own addresses are allowed: `__DEVELOPMENT__`. */
  development: boolean;
  /** Milliseconds until the headers arrive. `null`: only the total limit applies. */
  headersMs: number | null;
  /**
   * Milliseconds until the whole response has arrived, including the body, so that a slow body cannot exceed it. `null` for streams that
   * stay open until their signal ends them.
   */
  totalMs: number | null;
  /** Limit on the body in bytes, after decompression. `null`: no limit. */
  bytes: number | null;
  /** Redirects that are followed. Default: `UPSTREAM_LIMITS.redirects`. */
  redirects?: number;
  /** Origins that the operator configured. They are always allowed. */
  origins?: readonly string[];
  /** Called with the error that ended the request, even if no caller reads the body or handles the error. */
  onFault?: (fault: UpstreamFault) => void;
}

/**
 * Fetches a URL under the host policy. Redirects are followed only within the origin and only with the same method. Each redirect is
 * checked again, so data for one origin never reaches another. Cookies are not stored, and no headers are added. The response body ends
 * with the guard, with `init.signal` and with its reader.
 *
 * @throws UpstreamFault `refused`, `unreachable`, `timeout`, `cancelled`, and `too_large` from the body
 */
export async function guardedFetch(url: string | URL, init: RequestInit, guard: Guard): Promise<Response> {
  const { response, body } = await guardedRead(url, init, guard);
  const { status, statusText } = response;
  const headers = new Headers(response.headers);
  // A decompressed body has another encoding and length than the headers declare.
  if (headers.has("content-encoding")) {
    headers.delete("content-encoding");
    headers.delete("content-length");
  }
  return new Response(body === null ? null : streamOf(body), { status, statusText, headers });
}

/** Reads a body piece by piece, as a reader of its stream. */
export type BodyReader = Pick<ReadableStreamDefaultReader<Uint8Array>, "read" | "cancel">;

/** A response whose body is read under the guard. `response.body` must not be used. */
export interface GuardedResponse {
  response: Response;
  body: BodyReader | null;
}

/**
 * Like `guardedFetch`, for callers that read the body themselves. It saves a stream around the stream.
 *
 * @throws UpstreamFault as `guardedFetch`; the reader throws those of the body
 */
export async function guardedRead(url: string | URL, init: RequestInit, guard: Guard): Promise<GuardedResponse> {
  const exchange = new Exchange(init.signal ?? null, guard);
  const headers = exchange.timer(guard.headersMs);
  try {
    const response = await follow(url, init, guard, exchange);
    headers();
    if (response.body !== null) return { response, body: new CountedBody(response.body, guard.bytes, exchange) };
    exchange.end();
    return { response, body: null };
  } catch (error) {
    headers();
    throw exchange.failed(
      error instanceof UpstreamFault ? error : new UpstreamFault("unreachable", "the server cannot be reached"),
    );
  }
}

/** Headers of the WebSocket handshake. Server entries cannot set them. */
const SOCKET_HEADERS = ["accept", "extensions", "key", "protocol", "version"].map((name) => `sec-websocket-${name}`);

/** How a WebSocket is opened. `signal` ends the attempt. */
interface SocketGuard {
  subprotocol: string;
  signal: AbortSignal;
  development: boolean;
  /** Called with the response, also if the server rejects the upgrade. */
  onResponse(response: Response): void;
}

/**
 * Opens a WebSocket under the host policy, with headers. The URL is an http URL. Redirects are not followed.
 *
 * @throws UpstreamFault `refused`, `unreachable`, `cancelled`, and `status` for a response that is not the upgrade
 */
export async function guardedSocket(
  url: string,
  init: Readonly<Record<string, string>>,
  { subprotocol, signal, development, onResponse }: SocketGuard,
): Promise<WebSocket> {
  const target = checkedUrl(url, { development });
  const headers = new Headers(init);
  for (const name of [...CONNECTION_HEADERS, ...SOCKET_HEADERS]) headers.delete(name);
  headers.set("upgrade", "websocket");
  headers.set("sec-websocket-protocol", subprotocol);
  const response = await fetch(target.href, { headers, redirect: "manual", signal }).catch(() => {
    throw signal.aborted
      ? new UpstreamFault("cancelled", "it was cancelled")
      : new UpstreamFault("unreachable", "the server cannot be reached");
  });
  onResponse(response);
  if (response.webSocket !== null) return response.webSocket;
  await response.body?.cancel();
  const retryAfter = Number(response.headers.get("retry-after") ?? Number.NaN);
  throw statusFault(response.status, Number.isInteger(retryAfter) && retryAfter >= 0 ? retryAfter : null);
}

/** Ends a request early and stores the reason. */
class Exchange {
  readonly #abort = new AbortController();
  readonly #timers: (() => void)[] = [];
  readonly #outer: AbortSignal | null;
  readonly #onFault: Guard["onFault"];
  readonly #cancel = () => this.stop(new UpstreamFault("cancelled", "it was cancelled"));
  #fault: UpstreamFault | null = null;

  constructor(outer: AbortSignal | null, guard: Guard) {
    this.#outer = outer;
    this.#onFault = guard.onFault;
    if (outer?.aborted) this.#cancel();
    else outer?.addEventListener("abort", this.#cancel, { once: true });
    this.timer(guard.totalMs);
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Ends the request after `ms`. The returned function clears the timer. */
  timer(ms: number | null): () => void {
    if (ms === null) return () => undefined;
    const stop = () => this.stop(new UpstreamFault("timeout", `the server did not respond within ${ms / 1_000}s`));
    const timer = setTimeout(stop, Math.max(0, ms));
    const clear = () => clearTimeout(timer);
    this.#timers.push(clear);
    return clear;
  }

  /** Ends the request. All pending operations fail with this reason. */
  stop(fault: UpstreamFault): void {
    this.#abort.abort(this.failed(fault));
  }

  /** Stores the first reason, and returns it. */
  failed(fault: UpstreamFault): UpstreamFault {
    this.end();
    if (this.#fault === null) {
      this.#fault = fault;
      this.#onFault?.(fault);
    }
    return this.#fault;
  }

  end(): void {
    for (const clear of this.#timers) clear();
    this.#outer?.removeEventListener("abort", this.#cancel);
  }
}

async function follow(url: string | URL, init: RequestInit, guard: Guard, exchange: Exchange): Promise<Response> {
  let target = checkedUrl(String(url), guard);
  const headers = new Headers(init.headers);
  for (const name of CONNECTION_HEADERS) headers.delete(name);
  for (let hops = 0; ; hops++) {
    const response = await fetch(target.href, { ...init, headers, redirect: "manual", signal: exchange.signal });
    const location = response.headers.get("location");
    if (response.status < 300 || response.status > 399 || location === null) return response;
    await response.body?.cancel();
    const next = URL.parse(location, target.href);
    const method = init.method ?? "GET";
    const keeps = response.status > 306 || method === "GET" || method === "HEAD";
    if (
      next === null ||
      next.origin !== target.origin ||
      !keeps ||
      hops >= (guard.redirects ?? UPSTREAM_LIMITS.redirects)
    )
      throw new UpstreamFault("refused", "the server redirects to another address, and redirects are not followed");
    target = checkedUrl(next.href, guard);
  }
}

function checkedUrl(url: string, guard: Pick<Guard, "development" | "origins">): URL {
  const named = URL.parse(url);
  if (named !== null && guard.origins?.includes(named.origin)) return named;
  const verdict = judgeUrl(url, guard.development);
  if (verdict.problem !== undefined) throw new UpstreamFault("refused", `its URL is not allowed: ${verdict.problem}`);
  return verdict.url;
}

/** A body that is counted, and ends with its exchange. */
class CountedBody implements BodyReader {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #stopped = Promise.withResolvers<never>();
  #seen = 0;

  constructor(
    body: ReadableStream<Uint8Array>,
    readonly limit: number | null,
    readonly exchange: Exchange,
  ) {
    this.#reader = body.getReader();
    this.#stopped.promise.catch(() => undefined);
    const { signal } = exchange;
    if (signal.aborted) this.#stop();
    else signal.addEventListener("abort", () => this.#stop(), { once: true });
  }

  async read(): Promise<ReadableStreamReadResult<Uint8Array>> {
    try {
      const piece = await Promise.race([this.#reader.read(), this.#stopped.promise]);
      if (piece.done) this.exchange.end();
      else this.#count(piece.value.byteLength);
      return piece;
    } catch {
      throw this.exchange.failed(new UpstreamFault("closed", "the server closed the connection"));
    }
  }

  async cancel(): Promise<void> {
    this.exchange.end();
    await drop(this.#reader);
  }

  #count(bytes: number): void {
    this.#seen += bytes;
    if (this.limit === null || this.#seen <= this.limit) return;
    const most = `${Math.floor(this.limit / 1_048_576)} MiB`;
    const fault = new UpstreamFault("too_large", `the server's answer is too large (limit ${most})`);
    this.exchange.stop(fault);
    throw fault;
  }

  #stop(): void {
    this.#stopped.reject(this.exchange.signal.reason);
    void drop(this.#reader);
  }
}

/** Returns a stream of what a reader reads. */
function streamOf(body: BodyReader): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await body.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: () => body.cancel(),
  });
}

/** A failed body cannot be cancelled, and needs no cancellation. */
async function drop(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  await reader.cancel().catch(() => undefined);
}
