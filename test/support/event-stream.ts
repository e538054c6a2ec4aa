// Reads the stream of registry events.

import { exports } from "cloudflare:workers";
import { EventSplitter } from "../../src/domain/servers/event-stream";

export interface ReadEvent {
  id: string | null;
  type: string;
  data: { type?: string; timestamp?: string; data?: Record<string, unknown> };
}

const PATH = "https://gateway.test/api/v1/events";

/** Requests the stream. */
export function askForEvents(key: string, lastId?: string, signal?: AbortSignal): Promise<Response> {
  const headers = {
    authorization: `Bearer ${key}`,
    accept: "text/event-stream",
    ...(lastId === undefined ? {} : { "last-event-id": lastId }),
  };
  return exports.default.fetch(PATH, { headers, ...(signal === undefined ? {} : { signal }) });
}

/** An open stream. Every test closes its streams. */
export class EventReader {
  readonly #reader: ReadableStreamDefaultReader<string>;
  readonly #splitter = new EventSplitter();
  readonly #waiting: ReadEvent[] = [];

  private constructor(body: ReadableStream<Uint8Array>) {
    this.#reader = body.pipeThrough(new TextDecoderStream()).getReader();
  }

  /** Opens a stream and returns it with its first events, up to `ready` or `reset`. */
  static async open(key: string, lastId?: string): Promise<{ stream: EventReader; first: ReadEvent[] }> {
    const answer = await askForEvents(key, lastId);
    if (answer.status !== 200 || answer.body === null) throw new Error(`${answer.status} ${await answer.text()}`);
    const stream = new EventReader(answer.body);
    const first: ReadEvent[] = [];
    for (;;) {
      const event = await stream.next();
      if (event === null) throw new Error("The stream ended.");
      first.push(event);
      if (event.type === "ready" || event.type === "reset") return { stream, first };
    }
  }

  /** Returns the next event; `null` at the end of the stream. */
  async next(): Promise<ReadEvent | null> {
    for (;;) {
      const event = this.#waiting.shift();
      if (event !== undefined) return event;
      const { done, value } = await this.#reader.read();
      if (done) return null;
      for (const { type, data, id } of this.#splitter.push(value))
        if (data !== null) this.#waiting.push({ id: id ?? null, type: type ?? "message", data: JSON.parse(data) });
    }
  }

  /** Returns the names and types of the next events. */
  async take(count: number): Promise<string[]> {
    const taken: string[] = [];
    while (taken.length < count) {
      const event = await this.next();
      if (event === null) return [...taken, "end"];
      taken.push(`${event.type} ${event.data.data?.name}`);
    }
    return taken;
  }

  close(): Promise<void> {
    return this.#reader.cancel();
  }
}
