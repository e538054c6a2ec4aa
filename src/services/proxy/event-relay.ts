// Relays a server's event stream to a client event by event, so that an error can be inserted between two events.

import { DURATIONS } from "../../domain/durations";
import { UPSTREAM_LIMITS } from "../../domain/limits";
import { EventSplitter, type StreamEvent, writeEvent } from "../../domain/servers/event-stream";
import { answeredId, type RpcId } from "../../domain/servers/rpc-message";
import { UpstreamFault } from "../../upstream/fault";
import type { BodyReader } from "../../upstream/fetch";

export interface EventRelayOptions {
  /** The requests answered by the stream; none for streams without requests. */
  pending: Iterable<RpcId>;
  /** Timeout for the first event with content, and between events, in milliseconds; `null`: none. */
  firstMs: number | null;
  silenceMs: number | null;
  now(): number;
  /** Converts an event; throws a fault to end the stream. */
  pass(event: StreamEvent): string | Promise<string>;
  /** Returns an error response for a request that receives no other. */
  failure(id: RpcId, fault: UpstreamFault): string;
  /** Returns a last event about a fault, in addition to the error responses. */
  failureEvent(fault: UpstreamFault): string;
}

/** A comment line. It keeps proxies from closing an idle connection, and detects clients that are gone. */
const KEEP_ALIVE = ": keep-alive\n\n";

/**
 * Relays a stream. Requests that can receive no response any more get an error as the last event: after a timeout, after an event that is
 * too large, and if the stream ends without event ids, because then no client can resume it.
 */
export function relay(body: BodyReader, options: EventRelayOptions): ReadableStream<Uint8Array> {
  const stream = new Relay(body, options);
  return new ReadableStream<Uint8Array>({
    pull: (controller) => stream.pull(controller),
    cancel: (reason) => stream.cancel(reason),
  });
}

class Relay {
  readonly #decoder = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true });
  readonly #encoder = new TextEncoder();
  readonly #splitter = new EventSplitter();
  readonly #pending: Set<RpcId>;
  /** The pending read of the server's stream. */
  #reading: Promise<ReadableStreamReadResult<Uint8Array>> | null = null;
  /** The remaining time, and the configured time. */
  #left: number | null;
  #limit: number;
  #resumable = false;

  constructor(
    readonly body: BodyReader,
    readonly options: EventRelayOptions,
  ) {
    this.#pending = new Set(options.pending);
    this.#left = options.firstMs;
    this.#limit = options.firstMs ?? 0;
  }

  async pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    const asked = this.options.now();
    try {
      for (;;) {
        // Data that is not relayed, such as comments, does not show the client that the stream is alive.
        const piece = await this.#read(DURATIONS.keepAlive - (this.options.now() - asked));
        if (piece === null) {
          controller.enqueue(this.#encoder.encode(KEEP_ALIVE));
          return;
        }
        const { done, value } = piece;
        if (done) {
          this.#end(controller, new UpstreamFault("closed", "the server ended the connection without an answer"));
          return;
        }
        const passed = await this.#passed(this.#splitter.push(this.#decoder.decode(value, { stream: true })));
        if (this.#splitter.size > UPSTREAM_LIMITS.answerBytes) throw tooLarge();
        if (passed === "" && this.options.now() - asked < DURATIONS.keepAlive) continue;
        controller.enqueue(this.#encoder.encode(passed === "" ? KEEP_ALIVE : passed));
        return;
      }
    } catch (error) {
      void this.cancel(error);
      if (!(error instanceof UpstreamFault)) throw error;
      this.#end(controller, error);
    }
  }

  /** If the client cancels, the server's stream is cancelled too. A broken stream cannot be cancelled and need not be. */
  async cancel(reason: unknown): Promise<void> {
    await this.body.cancel(reason).catch(() => undefined);
  }

  async #passed(events: StreamEvent[]): Promise<string> {
    let passed = "";
    for (const event of events) {
      if (event.data !== null && event.data !== "") this.#restart();
      if (event.id !== null) this.#resumable = true;
      this.#note(event);
      passed += await this.options.pass(event);
    }
    return passed;
  }

  #restart(): void {
    this.#left = this.options.silenceMs;
    this.#limit = this.options.silenceMs ?? 0;
  }

  #note({ data }: StreamEvent): void {
    if (this.#pending.size === 0 || data === null || data === "") return;
    const answered = answeredId(parsed(data));
    if (answered !== null) this.#pending.delete(answered);
  }

  /** Returns the next chunk, or `null` on timeout. Only waiting counts: a slow client does not reduce the server's time. */
  async #read(most: number) {
    this.#reading ??= this.body.read();
    const began = this.options.now();
    const patience = Math.max(0, Math.min(most, this.#left ?? most));
    const { promise: over, resolve } = Promise.withResolvers<null>();
    const timer = setTimeout(() => resolve(null), patience);
    const piece = await Promise.race([this.#reading, over]);
    clearTimeout(timer);
    if (piece !== null) this.#reading = null;
    if (this.#left === null) return piece;
    this.#left -= this.options.now() - began;
    if (piece === null && this.#left <= 0) throw upstreamTimeout(this.#limit);
    return piece;
  }

  #end(controller: ReadableStreamDefaultController<Uint8Array>, fault: UpstreamFault): void {
    const isLost = fault.kind !== "closed" || !this.#resumable;
    for (const id of isLost ? this.#pending : []) {
      const event = writeEvent({ data: this.options.failure(id, fault) });
      controller.enqueue(this.#encoder.encode(event));
    }
    const closingRequest = this.options.failureEvent(fault);
    if (closingRequest !== "") controller.enqueue(this.#encoder.encode(closingRequest));
    controller.close();
  }
}

/** The fault of a server that did not answer in time. */
export function upstreamTimeout(ms: number): UpstreamFault {
  return new UpstreamFault("timeout", `the server did not respond within ${ms / 1_000}s`);
}

/** The fault of a message above the size limit. */
export function tooLarge(): UpstreamFault {
  const most = `${Math.floor(UPSTREAM_LIMITS.answerBytes / 1_048_576)} MiB`;
  return new UpstreamFault("too_large", `the server's answer is too large (limit ${most})`);
}

function parsed(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return null;
  }
}
