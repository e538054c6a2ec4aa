import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EventSplitter, writeEvent } from "../../src/domain/event-stream";

const events = (text: string) => new EventSplitter().push(text);

describe("an event stream", () => {
  it("comes apart at blank lines, whatever ends its lines", () => {
    for (const end of ["\n", "\r\n", "\r"]) {
      const text = [
        "event: endpoint",
        "id: 7",
        "data: a",
        "data:b",
        "retry: 5",
        "",
        ": a comment",
        "",
        "data: rest",
      ].join(end);
      expect(events(text).map(({ type, id, data }) => ({ type, id, data }))).toEqual([
        { type: "endpoint", id: "7", data: "a\nb" },
        { type: "message", id: null, data: "" },
      ]);
    }
  });

  it("reads fields without a value, and keeps all but the first space of one", () => {
    expect(events("event\nid\ndata\ndata:  x\n\n")[0]).toMatchObject({ type: "message", id: "", data: "\n x" });
  });

  it("gives the same events and loses nothing, in whatever pieces it comes", () => {
    const line = fc.constantFrom("data: x", "data", ": c", "id: 1", "event: e", 'data: {"a":1}', "");
    const stream = fc.tuple(fc.array(line, { maxLength: 30 }), fc.constantFrom("\n", "\r\n", "\r"));
    fc.assert(
      fc.property(stream, fc.array(fc.nat(9), { minLength: 1 }), ([lines, end], sizes) => {
        const text = lines.join(end);
        const splitter = new EventSplitter();
        const found = [];
        for (let at = 0, turn = 0; at < text.length; turn++) {
          const size = (sizes[turn % sizes.length] ?? 0) + 1;
          found.push(...splitter.push(text.slice(at, at + size)));
          at += size;
        }
        const raw = found.map((event) => event.raw).join("");
        expect(found).toEqual(events(text));
        expect(text.startsWith(raw)).toBe(true);
        expect(splitter.size).toBe(text.length - raw.length);
      }),
      { numRuns: 500 },
    );
  });

  it("is what was written", () => {
    const field = fc.stringMatching(/^[a-z0-9]{1,8}$/);
    const data = fc
      .array(fc.stringMatching(/^[ -~]{0,20}$/), { minLength: 1, maxLength: 4 })
      .map((lines) => lines.join("\n"));
    fc.assert(
      fc.property(field, fc.option(field), data, (type, id, text) => {
        const [event, ...more] = events(writeEvent({ type, id, data: text }));
        expect(more).toEqual([]);
        expect(event).toMatchObject({ type, id, data: text });
      }),
    );
  });
});
