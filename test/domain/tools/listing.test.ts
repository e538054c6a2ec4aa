// When tools of servers are searched instead of listed.

import { expect, it } from "vitest";
import type { ToolDefinition } from "../../../src/domain/tool";
import { areToolsFound } from "../../../src/domain/tools/listing";

function tools(count: number, description = ""): ToolDefinition[] {
  return Array.from({ length: count }, (_, n) => ({ name: `t${n}`, description, inputSchema: { type: "object" } }));
}

it("lists 40 tools and finds 41", () => {
  expect([areToolsFound(tools(40), "auto"), areToolsFound(tools(41), "auto")]).toEqual([false, true]);
});

it("finds few tools whose definitions have more than 6 000 tokens", () => {
  const words = "word ".repeat(1_000);
  expect([areToolsFound(tools(5, words), "auto"), areToolsFound(tools(7, words), "auto")]).toEqual([false, true]);
});

it("follows the conversation's setting", () => {
  expect([areToolsFound(tools(500), "list"), areToolsFound([], "search")]).toEqual([false, true]);
});
