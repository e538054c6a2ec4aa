import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readFrame } from "../../../src/domain/questions/frame";
import { QUESTION_LIMITS } from "../../../src/domain/questions/limits";
import { readTicket, ticketBody, writeTicket } from "../../../src/domain/questions/ticket";

describe("a frame", () => {
  it("is read when it is one of those that pages send", () => {
    expect(readFrame('{"type":"hello"}')).toEqual({ frame: { type: "hello" } });
    expect(readFrame('{"type":"hello","last_seq":7,"client":{"name":"x"},"later":1}')).toEqual({
      frame: { type: "hello", last_seq: 7, client: { name: "x" } },
    });
    const response = { type: "skill:response", request_id: "req_1", success: false, error: { message: "line 3" } };
    expect(readFrame(JSON.stringify(response))).toEqual({ frame: response });
    const answers = { type: "answers", answers: ["form", "a skill's own"] };
    expect(readFrame(JSON.stringify(answers))).toEqual({ frame: answers });
    expect(readFrame(JSON.stringify({ ...response, result: null }))).toEqual({ frame: { ...response, result: null } });
  });

  it.each([
    ["", 4400],
    ["hello", 4400],
    ['{"type":', 4400],
    ["null", 4400],
    ["[]", 4400],
    ['"hello"', 4400],
    ["{}", 4400],
    ['{"type":"welcome"}', 4400],
    ['{"type":"skill:request"}', 4400],
    ['{"type":"__proto__"}', 4400],
    ['{"type":"hello","last_seq":-1}', 4400],
    ['{"type":"hello","last_seq":1.5}', 4400],
    ['{"type":"hello","last_seq":"7"}', 4400],
    ['{"type":"hello","last_seq":1e400}', 4400],
    ['{"type":"answers"}', 4400],
    ['{"type":"answers","answers":"form"}', 4400],
    ['{"type":"hello","answers":[7]}', 4400],
    ['{"type":"skill:response","request_id":"r"}', 4400],
    ['{"type":"skill:response","success":true}', 4400],
    ['{"type":"skill:response","request_id":"","success":true}', 4400],
    ['{"type":"skill:response","request_id":7,"success":true}', 4400],
    ['{"type":"skill:response","request_id":"r","success":"yes"}', 4400],
  ])("that is %s closes with %i", (text, code) => {
    expect(readFrame(text)).toMatchObject({ close: code });
  });

  it("is text, and as large as its limit in UTF-8 at most", () => {
    expect(readFrame(new ArrayBuffer(8))).toMatchObject({ close: 4400 });
    const filled = (fill: string) => `{"type":"hello","client":"${fill}"}`;
    const room = QUESTION_LIMITS.frameBytes - filled("").length;
    expect(readFrame(filled("x".repeat(room)))).toHaveProperty("frame");
    expect(readFrame(filled("x".repeat(room + 1)))).toMatchObject({ close: 4413 });
    expect(readFrame(filled("é".repeat(room / 2 + 1)))).toMatchObject({ close: 4413 });
  });

  it("never makes the reader throw, and its reasons fit a close frame", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        const read = readFrame(text);
        if ("close" in read) expect(new TextEncoder().encode(read.reason).byteLength).toBeLessThanOrEqual(123);
      }),
    );
  });
});

describe("a ticket", () => {
  const secret = "0".repeat(64);
  const mark = "m".repeat(43);
  const ticketOf = (claims: { userId: string; conversation: string }) => writeTicket(ticketBody(claims, secret), mark);

  it("names its conversation, in characters of a sub-protocol", () => {
    for (const claims of [
      { userId: "alice", conversation: "chat:1" },
      { userId: "a@b.example", conversation: "x".repeat(128) },
    ]) {
      const ticket = ticketOf(claims);
      expect(ticket).toMatch(/^[A-Za-z0-9._-]+$/);
      expect(readTicket(ticket)).toEqual({ ...claims, body: ticketBody(claims, secret), mark });
    }
  });

  it("is nothing when it is damaged", () => {
    const good = ticketOf({ userId: "alice", conversation: "c" });
    const bad = [
      "",
      ".",
      "x",
      secret,
      `.${secret}.${mark}`,
      `e30.${secret}.${mark}`,
      `WyJhIl0.${secret}.${mark}`,
      // As sent before marks existed.
      ticketBody({ userId: "alice", conversation: "c" }, secret),
      `${good}.x`,
      good.slice(1),
      good.slice(0, -1),
    ];
    bad.push(ticketOf({ userId: "", conversation: "c" }), ticketOf({ userId: "a", conversation: "c".repeat(129) }));
    expect(bad.map(readTicket)).toEqual(bad.map(() => null));
    fc.assert(fc.property(fc.string(), (text) => readTicket(text) === null));
  });
});
