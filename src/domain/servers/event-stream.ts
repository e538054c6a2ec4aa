// Reads server-sent events as the HTML standard defines them, and writes them again. No original text is passed on, so a client receives
// exactly what was parsed here.

/** A server-sent event with data, an id, or a reconnection time. */
export interface StreamEvent {
  /** `message` by default. */
  type: string;
  id: string | null;
  /** `null` if absent, which differs from an empty id. */
  data: string | null;
  /** Reconnection time in milliseconds as written; `null` if absent. */
  retry: string | null;
}

const LINE_END = /\r\n|\n|\r/g;
const BYTE_ORDER_MARK = "\uFEFF";
const nothing = () => ({ type: "", id: null as string | null, data: [] as string[], retry: null as string | null });

/** Splits a stream into events. Stores only the incomplete event. Comments and unknown fields are dropped. */
export class EventSplitter {
  #event = nothing();
  /** Chunks of the current line. */
  #pieces: string[] = [];
  #pending = 0;
  #fields = 0;
  #isFirst = true;
  /** Whether a line feed now belongs to the preceding carriage return. */
  #afterReturn = false;

  /** Characters stored of the current event. */
  get size(): number {
    return this.#pending + this.#fields;
  }

  /** Returns the events that this piece of the stream completes. */
  push(piece: string): StreamEvent[] {
    if (piece === "") return [];
    const marked = this.#isFirst && piece.startsWith(BYTE_ORDER_MARK);
    this.#isFirst = false;
    const skipped = marked || (this.#afterReturn && piece.startsWith("\n"));
    const text = skipped ? piece.slice(1) : piece;
    this.#afterReturn = piece.endsWith("\r");
    const events: StreamEvent[] = [];
    let from = 0;
    for (const { 0: end, index } of text.matchAll(LINE_END)) {
      const line = this.#pieces.join("") + text.slice(from, index);
      this.#pieces = [];
      this.#pending = 0;
      from = index + end.length;
      if (line !== "") this.#read(line);
      else events.push(...this.#complete());
    }
    this.#pieces.push(text.slice(from));
    this.#pending += text.length - from;
    return events;
  }

  #read(line: string): void {
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "data") this.#event.data.push(value);
    else if (field === "event") this.#event.type = value;
    else if (field === "id" && !value.includes("\0")) this.#event.id = value;
    else if (field === "retry" && /^[0-9]+$/.test(value)) this.#event.retry = value;
    else return;
    // A replaced value is counted again, so that a server repeating a field forever is stopped too.
    this.#fields += line.length + 1;
  }

  #complete(): StreamEvent[] {
    const { type, id, data, retry } = this.#event;
    this.#event = nothing();
    this.#fields = 0;
    if (data.length === 0 && id === null && retry === null) return [];
    return [{ type: type === "" ? "message" : type, id, data: data.length === 0 ? null : data.join("\n"), retry }];
  }
}

/** Returns an event as text. Each line of the data is written separately. */
export function writeEvent({ type, id, data, retry }: Partial<StreamEvent>): string {
  const lines = [
    ...(type === undefined || type === "message" ? [] : [`event: ${type}`]),
    ...(id == null ? [] : [`id: ${id}`]),
    ...(retry == null ? [] : [`retry: ${retry}`]),
    ...(data == null ? [] : data.split(LINE_END).map((line) => `data: ${line}`)),
  ];
  return lines.length === 0 ? "" : `${lines.join("\n")}\n\n`;
}
