// Parses server-sent events.

/** One event: its type, and its data as text. */
export interface ServerEvent {
  event: string;
  data: string;
}

/** Yields the events of a body. Leaving the loop closes the body. An incomplete event at the end is ignored. */
export async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent, void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let event = "message";
  let data: string[] = [];
  try {
    for (;;) {
      const { done, value } = await reader.read();
      text += done ? decoder.decode() : decoder.decode(value, { stream: true });
      // A `\r` at the end may be the first half of `\r\n`.
      const ready = done || !text.endsWith("\r") ? text : text.slice(0, -1);
      const lines = ready.split(/\r\n|\r|\n/);
      text = (lines.pop() ?? "") + text.slice(ready.length);
      for (const line of lines) {
        if (line === "") {
          if (data.length > 0) yield { event, data: data.join("\n") };
          event = "message";
          data = [];
          continue;
        }
        const [, field, said] = /^([^:]*):? ?(.*)$/.exec(line) ?? [];
        if (field === "event") event = said ?? "";
        if (field === "data") data.push(said ?? "");
      }
      if (done) return;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}
