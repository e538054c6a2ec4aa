// When tools of servers are found in place of listed.

import { expect, it } from "vitest";
import type { ToolDefinition } from "../../../src/domain/tool";
import { areFound } from "../../../src/domain/tools/listing";

function tools(count: number, description = ""): ToolDefinition[] {
  return Array.from({ length: count }, (_, n) => ({ name: `t${n}`, description, inputSchema: { type: "object" } }));
}

it("lists 40 tools and finds 41", () => {
  expect([areFound(tools(40), "auto"), areFound(tools(41), "auto")]).toEqual([false, true]);
});

it("finds few tools whose definitions have more than 6 000 tokens", () => {
  const words = "word ".repeat(1_000);
  expect([areFound(tools(5, words), "auto"), areFound(tools(7, words), "auto")]).toEqual([false, true]);
});

it("does what a conversation is set to", () => {
  expect([areFound(tools(500), "list"), areFound([], "search")]).toEqual([false, true]);
});
