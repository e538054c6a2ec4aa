// Parses server-sent events.

/** One event: its type, and its data as text. */
export interface ServerEvent {
  event: string;
  data: string;
  /** The id of the last event that had one; empty if none had. */
  id: string;
}

/**
 * Yields the events of a body. Leaving the loop closes the body. An incomplete event at the end is ignored.
 *
 * @param silenceMs throws if nothing arrives for this time, not even a comment
 */
export async function* eventsOf(
  body: ReadableStream<Uint8Array>,
  silenceMs?: number,
): AsyncGenerator<ServerEvent, void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let event = "message";
  let id = "";
  let data: string[] = [];
  try {
    for (;;) {
      const { done, value } = await (silenceMs === undefined ? reader.read() : within(reader.read(), silenceMs));
      text += done ? decoder.decode() : decoder.decode(value, { stream: true });
      // A `\r` at the end may be the first half of `\r\n`.
      const ready = done || !text.endsWith("\r") ? text : text.slice(0, -1);
      const lines = ready.split(/\r\n|\r|\n/);
      text = (lines.pop() ?? "") + text.slice(ready.length);
      for (const line of lines) {
        if (line === "") {
          if (data.length > 0) yield { event, data: data.join("\n"), id };
          event = "message";
          data = [];
          continue;
        }
        const [, field, said] = /^([^:]*):? ?(.*)$/.exec(line) ?? [];
        if (field === "event") event = said ?? "";
        if (field === "id") id = said ?? "";
        if (field === "data") data.push(said ?? "");
      }
      if (done) return;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

function within<Value>(work: Promise<Value>, ms: number): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("The connection is silent.")), ms);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
