// Size limits for results of remote tools.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { UPSTREAM_LIMITS } from "../../../src/domain/limits";
import { LIBRARY_LIMITS } from "../../../src/domain/servers/library/limits";
import { upstreamResult as boundedResult } from "../../../src/domain/servers/result";
import { toolResultSchema } from "../../../src/domain/tool";

const upstreamResult = (value: unknown) => boundedResult(value)?.result ?? null;
const text = (value: string) => ({ type: "text", text: value });

describe("upstreamResult", () => {
  it("passes on small results unchanged", () => {
    const result = {
      content: [text("a"), { type: "image", data: "AA==", mimeType: "image/png" }],
      structuredContent: { a: 1 },
    };
    expect(upstreamResult(result)).toEqual(result);
    expect(upstreamResult({ content: [text("no")], isError: true })).toEqual({ content: [text("no")], isError: true });
    const _meta = { "example.com/any": 1 };
    expect(boundedResult({ content: [], _meta })).toEqual({ result: { content: [], _meta }, whole: null });
    expect(upstreamResult({ structuredContent: { a: 1 } })).toEqual({ content: [], structuredContent: { a: 1 } });
    expect(upstreamResult({ content: [], structuredContent: [1] })).toEqual({ content: [] });
  });

  it.each([null, "text", [], { content: "text" }, { content: [{ text: "no type" }] }])("rejects %j", (value) => {
    expect(upstreamResult(value)).toBeNull();
  });

  it("shares the room for text among the blocks", () => {
    const half = "x".repeat(UPSTREAM_LIMITS.textChars / 2);
    const blocks = upstreamResult({ content: [text(half), text(half), text(half), text("tail")] })?.content ?? [];
    expect(blocks[0]?.text).toBe(half);
    expect(blocks[1]?.text).toMatch(/\(cut: \d+ of 100000 characters are not shown\)$/);
    expect(blocks[2]?.text).toMatch(/^\(left out: a block of type 'text'/);
  });

  it("fits into a row of a conversation's store, in whatever script it is written", () => {
    const block = { type: "resource", resource: { uri: "file:///a", text: "界".repeat(100_000) } };
    const content = Array.from({ length: 14 }, () => block);
    const result = upstreamResult({ content, structuredContent: { a: "界".repeat(199_000) } });
    expect(new TextEncoder().encode(JSON.stringify(result)).byteLength).toBeLessThan(2_000_000);
    expect(result?.content[3]?.text).toMatch(/left out: a block of type 'resource'/);
  });

  it("stores the whole of a cut result, and of no other", () => {
    const long = "x".repeat(UPSTREAM_LIMITS.textChars + 1);
    expect(boundedResult({ content: [text(long)] })?.whole).toEqual({ text: long, mediaType: "text/plain" });
    const mixed = { content: [text(long), text("b")], structuredContent: { a: 1 } };
    expect(boundedResult(mixed)?.whole).toEqual({ text: JSON.stringify(mixed), mediaType: "application/json" });
    expect(boundedResult({ content: [text("a")], structuredContent: { a: 1 } })?.whole).toBeNull();
  });

  it("is an error if a schema was declared and the structured content is too long", () => {
    const answer = { content: [], structuredContent: { a: "x".repeat(UPSTREAM_LIMITS.textChars) } };
    expect(boundedResult(answer, true)?.result).toMatchObject({ isError: true });
    expect(boundedResult(answer, false)?.result).not.toHaveProperty("isError");
  });

  it("passes on no mark of the protocol's own, and none that is too long", () => {
    const meta = (_meta: object) => boundedResult({ content: [], _meta })?.result._meta;
    expect(meta({ "io.modelcontextprotocol/serverInfo": { name: "liar" }, progressToken: 1, a: 1 })).toEqual({ a: 1 });
    expect(meta({ "dev.mcp/x": 1, "com.mcp.tools/y": 2 })).toBeUndefined();
    expect(meta({ a: "x".repeat(LIBRARY_LIMITS.marksChars) })).toBeUndefined();
  });

  it("never answers more than its limits", () => {
    const block = fc.oneof(
      fc.record({ type: fc.constant("text"), text: fc.string({ maxLength: 50 }).map((one) => one.repeat(9_000)) }),
      fc.record({ type: fc.constant("image"), data: fc.nat(3).map((n) => "A".repeat(n * 400_000)) }),
    );
    fc.assert(
      fc.property(fc.array(block, { maxLength: 8 }), (content) => {
        const result = upstreamResult({ content });
        expect(toolResultSchema.safeParse(result).success).toBe(true);
        expect(JSON.stringify(result).length).toBeLessThan(UPSTREAM_LIMITS.resultBytes + 10_000);
      }),
      { numRuns: 30 },
    );
    const many = upstreamResult({ content: Array.from({ length: 5_000 }, () => text("")) });
    expect(many?.content).toHaveLength(UPSTREAM_LIMITS.blocks + 1);
  });
});
