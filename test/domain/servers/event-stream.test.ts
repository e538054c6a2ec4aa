import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EventSplitter, writeEvent } from "../../../src/domain/servers/event-stream";

const events = (text: string) => new EventSplitter().push(text);

describe("an event stream", () => {
  const event = (more: object) => ({ type: "message", id: null, data: null, retry: null, ...more });

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
      expect(events(text)).toEqual([{ type: "endpoint", id: "7", data: "a\nb", retry: "5" }]);
    }
  });

  it("ends each line as it likes: an event is over at the first empty one", () => {
    for (const end of ["\n\n", "\r\r", "\r\n\r\n", "\n\r\n", "\r\n\n", "\n\r", "\r\r\n", "\r\n\r"])
      expect(events(`data: a${end}data: b${end}`)).toEqual([event({ data: "a" }), event({ data: "b" })]);
  });

  it("can begin with one byte order mark, and distinguishes no data from empty data", () => {
    expect(events("\uFEFFdata: a\n\n")).toEqual([event({ data: "a" })]);
    expect(events("\uFEFF\uFEFFdata: a\n\n")).toEqual([]);
    expect(events("data\n\nid: 1\n\n")).toEqual([event({ data: "" }), event({ id: "1" })]);
  });

  it("yields nothing for comments, unknown fields, a type alone, an invalid time or an id with NUL", () => {
    expect(events(": c\n\nx: y\n\nevent: x\n\nretry: 1s\n\nretry:\n\nid: a\0b\n\n")).toEqual([]);
  });

  it("reads fields without a value, and removes only the first space of a value", () => {
    expect(events("event\nid\ndata\ndata:  x\n\n")[0]).toMatchObject({ type: "message", id: "", data: "\n x" });
  });

  it("gives the same events and loses nothing, in whatever pieces it comes", () => {
    const line = fc.constantFrom("data: x", "data", ": c", "id: 1", "event: e", 'data: {"a":1}', "retry: 3", "");
    const end = fc.constantFrom("\n", "\r\n", "\r");
    fc.assert(
      fc.property(fc.array(fc.tuple(line, end)), fc.array(fc.nat(9), { minLength: 1 }), (lines, sizes) => {
        const text = lines.flat().join("");
        const [splitter, whole] = [new EventSplitter(), new EventSplitter()];
        const found = [];
        for (let at = 0, turn = 0; at < text.length; turn++) {
          const size = (sizes[turn % sizes.length] ?? 0) + 1;
          found.push(...splitter.push(text.slice(at, at + size)));
          at += size;
        }
        expect(found).toEqual(whole.push(text));
        expect(splitter.size).toBe(whole.size);
        expect(splitter.push("\n\n")).toEqual(whole.push("\n\n"));
        expect(splitter.size).toBe(0);
      }),
      { numRuns: 500 },
    );
  });

  it("round-trips", () => {
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
