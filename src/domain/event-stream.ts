// Server-sent events as text: taken apart at the blank lines between them, and put together again.

/** One event. What passes unchanged is passed on as `raw`. */
export interface StreamEvent {
  raw: string;
  /** `message` when it names none. */
  type: string;
  id: string | null;
  /** Empty for comments and for events that only set an id. */
  data: string;
}

const BOUNDARY = /\r\n\r\n|\n\n|\r\r/g;
/** A boundary may begin in one piece and end in the next. */
const OVERLAP = 3;

/** Takes a stream apart as it comes. What is kept is the event that is not yet complete. */
export class EventSplitter {
  #pieces: string[] = [];
  #tail = "";
  #size = 0;

  /** Characters of the event that has begun. */
  get size(): number {
    return this.#size;
  }

  /** The events that this piece of the stream completes. */
  push(text: string): StreamEvent[] {
    const events: StreamEvent[] = [];
    const known = this.#tail.length;
    const searched = this.#tail + text;
    let from = 0;
    for (const { 0: boundary, index } of searched.matchAll(BOUNDARY)) {
      const end = index + boundary.length - known;
      // Of the overlap alone nothing new can be complete.
      if (end <= 0) continue;
      events.push(parseEvent(this.#pieces.join("") + text.slice(from, end)));
      this.#pieces = [];
      from = end;
    }
    this.#pieces.push(text.slice(from));
    this.#size = (from === 0 ? this.#size : 0) + text.length - from;
    this.#tail = (from === 0 ? searched : text.slice(from)).slice(-OVERLAP);
    return events;
  }
}

function parseEvent(raw: string): StreamEvent {
  const event: StreamEvent = { raw, type: "message", id: null, data: "" };
  const data: string[] = [];
  for (const line of raw.split(/\r\n|\n|\r/)) {
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "data") data.push(value);
    else if (field === "event") event.type = value === "" ? "message" : value;
    else if (field === "id") event.id = value;
  }
  return { ...event, data: data.join("\n") };
}

/** An event as text. The data is one line or several. */
export function writeEvent({ type, id, data }: Omit<StreamEvent, "raw">): string {
  const lines = [
    ...(type === "message" ? [] : [`event: ${type}`]),
    ...(id === null ? [] : [`id: ${id}`]),
    ...data.split("\n").map((line) => `data: ${line}`),
  ];
  return `${lines.join("\n")}\n\n`;
}
