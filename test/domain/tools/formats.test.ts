import { describe, expect, it } from "vitest";
import type { JsonObject, JsonValue } from "../../../src/domain/json";
import { failed, type ToolResult, text } from "../../../src/domain/tool";
import {
  type AnsweredCall,
  FORMATS,
  parseArguments,
  type ReadCall,
  readCall,
  renderResult,
  renderResults,
  renderTool,
} from "../../../src/domain/tools/formats";

const json = JSON.stringify({ skill_name: "x" });
const args = { skill_name: "x" };

describe("renderTool", () => {
  const tool = { name: "t", description: "d", inputSchema: { type: "object" } };
  it("speaks each format", () => {
    expect(FORMATS.map((format) => renderTool(tool, format))).toEqual([
      { name: "t", description: "d", inputSchema: { type: "object" } },
      { type: "function", function: { name: "t", description: "d", parameters: { type: "object" } } },
      { type: "function", name: "t", description: "d", parameters: { type: "object" }, strict: false },
      { name: "t", description: "d", input_schema: { type: "object" } },
    ]);
  });
});

describe("parseArguments", () => {
  it.each<[JsonValue | undefined, JsonObject | null]>([
    [undefined, {}],
    [null, {}],
    ["", {}],
    [{ a: 1 }, { a: 1 }],
    ['{"a":1}', { a: 1 }],
    ["null", {}],
    ["{", null],
    ["[1]", null],
    ['"{}"', null],
    ["7", null],
    [[1], null],
    [7, null],
    [true, null],
  ])("reads %j as %j", (value, expected) => {
    const read = parseArguments(value);
    expect(read.value).toEqual(expected);
    expect(read.error === undefined).toBe(expected !== null);
  });
});

describe("readCall", () => {
  it.each<[string, JsonObject, Partial<ReadCall> | null]>([
    ["plain", { id: "1", name: "load_skill", arguments: args }, { form: "plain", id: "1" }],
    ["plain with JSON", { id: "1", name: "load_skill", arguments: json }, { form: "plain", id: "1" }],
    [
      "OpenAI chat",
      { id: "1", type: "function", function: { name: "load_skill", arguments: json } },
      { form: "openai", id: "1" },
    ],
    [
      "OpenAI responses, by call_id and not by the item's id",
      { type: "function_call", id: "fc_9", call_id: "1", name: "load_skill", arguments: json, status: "completed" },
      { form: "openai-responses", id: "1" },
    ],
    ["Anthropic", { type: "tool_use", id: "1", name: "load_skill", input: args }, { form: "anthropic", id: "1" }],
    [
      "AI SDK",
      { type: "tool-call", toolCallId: "1", toolName: "load_skill", input: args },
      { form: "ai-sdk", id: "1" },
    ],
    ["AI SDK 4", { toolCallId: "1", toolName: "load_skill", args }, { form: "ai-sdk", id: "1" }],
    ["without an id", { name: "load_skill", arguments: args }, { form: "plain", id: "fallback" }],
    ["with an empty id", { id: "", name: "load_skill", arguments: args }, { form: "plain", id: "fallback" }],
    ["without a name", { id: "1", arguments: args }, null],
    ["with an empty name", { id: "1", name: "" }, null],
    ["without a name inside", { id: "1", type: "function", function: { arguments: json } }, null],
  ])("reads a call %s", (_, entry, expected) => {
    const read = readCall(entry, "fallback");
    expect(read).toEqual(expected === null ? null : { name: "load_skill", arguments: args, ...expected });
  });

  it("returns a call whose arguments cannot be read, with the reason", () => {
    expect(readCall({ id: "1", name: "t", arguments: "{oops" }, "f")).toEqual({
      form: "plain",
      id: "1",
      name: "t",
      arguments: {},
      malformed: "they are not valid JSON",
    });
  });
});

describe("renderResults", () => {
  const call = (form: ReadCall["form"], id: string): ReadCall => ({ form, id, name: "t", arguments: {} });
  const answers = (form: ReadCall["form"]): AnsweredCall[] => [
    { call: call(form, "1"), result: { ...text("fine"), structuredContent: { a: 1 } } },
    { call: call(form, "2"), result: failed("Error: no") },
  ];

  it("is ready to append in every format", () => {
    expect(renderResults(answers("openai"), "openai")).toEqual([
      { role: "tool", tool_call_id: "1", content: "fine" },
      { role: "tool", tool_call_id: "2", content: "Error: no" },
    ]);
    expect(renderResults(answers("openai-responses"), "openai-responses")).toEqual([
      { type: "function_call_output", call_id: "1", output: "fine" },
      { type: "function_call_output", call_id: "2", output: "Error: no" },
    ]);
    expect(renderResults(answers("anthropic"), "anthropic")).toEqual([
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "1", content: [{ type: "text", text: "fine" }] },
          { type: "tool_result", tool_use_id: "2", content: [{ type: "text", text: "Error: no" }], is_error: true },
        ],
      },
    ]);
    expect(renderResults(answers("plain"), "mcp")).toEqual([
      {
        role: "user",
        content: [
          {
            type: "tool_result",
            toolUseId: "1",
            content: [{ type: "text", text: "fine" }],
            structuredContent: { a: 1 },
          },
          { type: "tool_result", toolUseId: "2", content: [{ type: "text", text: "Error: no" }], isError: true },
        ],
      },
    ]);
    expect(renderResults(answers("ai-sdk"), "mcp")).toEqual([
      {
        role: "tool",
        content: [
          { type: "tool-result", toolCallId: "1", toolName: "t", output: { type: "text", value: "fine" } },
          { type: "tool-result", toolCallId: "2", toolName: "t", output: { type: "error-text", value: "Error: no" } },
        ],
      },
    ]);
  });

  it.each(FORMATS)("is nothing where nothing was answered (%s)", (format) => {
    expect(renderResults([], format)).toEqual([]);
  });

  it("returns other blocks than text as JSON where only text is possible", () => {
    const result: ToolResult = {
      content: [
        { type: "text", text: "a" },
        { type: "image", data: "…", mimeType: "image/png" },
      ],
    };
    const [message] = renderResults([{ call: call("openai", "1"), result }], "openai");
    expect(message?.content).toBe('a\n{"type":"image","data":"…","mimeType":"image/png"}');
  });

  it("names the call of each result", () => {
    expect(answers("plain").map(renderResult)).toEqual([
      { id: "1", name: "t", content: [{ type: "text", text: "fine" }], structuredContent: { a: 1 } },
      { id: "2", name: "t", content: [{ type: "text", text: "Error: no" }], isError: true },
    ]);
  });
});
