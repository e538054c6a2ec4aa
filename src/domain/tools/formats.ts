// Converts tool definitions, calls and results between the supported formats: MCP, OpenAI (two), and Anthropic.

import type { JsonObject, JsonValue } from "../json";
import { present } from "../servers/library/marks";
import { type ToolCall, type ToolDefinition, type ToolResult, textOf } from "../tool";

export const FORMATS = ["mcp", "openai", "openai-responses", "anthropic"] as const;
export type Format = (typeof FORMATS)[number];

/** Returns a tool definition in the format of the API's `tools`. */
export function renderTool(tool: ToolDefinition, format: Format): JsonObject {
  const { name, description, inputSchema, annotations, title, outputSchema, icons, _meta } = tool;
  switch (format) {
    case "mcp":
      return { name, description, inputSchema, ...present({ title, outputSchema, annotations, icons, _meta }) };
    case "openai":
      return { type: "function", function: { name, description, parameters: inputSchema } };
    case "openai-responses":
      return { type: "function", name, description, parameters: inputSchema, strict: false };
    case "anthropic":
      return { name, description, input_schema: inputSchema };
  }
}

/** The format of a call, which determines the format of its result in the history. */
export type CallForm = "plain" | "openai" | "openai-responses" | "anthropic" | "ai-sdk";

export interface ReadCall extends ToolCall {
  form: CallForm;
}

/** Returns arguments as an object, from an object, a JSON text, or nothing. `error`: why they cannot be parsed. */
export function parseArguments(value: JsonValue | undefined): { value: JsonObject | null; error?: string } {
  if (value === undefined || value === null || value === "") return { value: {} };
  if (typeof value === "object")
    return Array.isArray(value) ? { value: null, error: "they are a list, not an object" } : { value };
  if (typeof value !== "string") return { value: null, error: `they are a ${typeof value}, not an object` };
  let parsed: JsonValue;
  try {
    parsed = JSON.parse(value);
  } catch {
    return { value: null, error: "they are not valid JSON" };
  }
  return typeof parsed === "string" ? { value: null, error: "they are a text, not an object" } : parseArguments(parsed);
}

/**
 * Reads one entry of `calls`: the model's own object in any format, or `{ id, name, arguments }`. Returns `null` if it has no tool name.
 * `fallbackId` is used if the call has no id.
 */
export function readCall(entry: JsonObject, fallbackId: string): ReadCall | null {
  const { function: inner } = entry;
  if (typeof inner === "object" && inner !== null && !Array.isArray(inner)) {
    return made("openai", entry.id, inner.name, inner.arguments, fallbackId);
  }
  if (entry.type === "function_call")
    return made("openai-responses", entry.call_id, entry.name, entry.arguments, fallbackId);
  if (entry.type === "tool_use") return made("anthropic", entry.id, entry.name, entry.input, fallbackId);
  if (entry.toolName !== undefined)
    return made("ai-sdk", entry.toolCallId, entry.toolName, entry.input ?? entry.args, fallbackId);
  return made("plain", entry.id, entry.name, entry.arguments, fallbackId);
}

function made(
  form: CallForm,
  id: JsonValue | undefined,
  name: JsonValue | undefined,
  args: JsonValue | undefined,
  fallbackId: string,
): ReadCall | null {
  if (typeof name !== "string" || name === "") return null;
  const { value, error } = parseArguments(args);
  const call = { form, id: typeof id === "string" && id !== "" ? id : fallbackId, name, arguments: value ?? {} };
  return error === undefined ? call : { ...call, malformed: error };
}

export interface AnsweredCall {
  call: ReadCall;
  result: ToolResult;
}

/** Returns the results as messages for the history, in the format of the conversation's API. */
export function renderResults(answers: readonly AnsweredCall[], format: Format): JsonObject[] {
  if (answers.length === 0) return [];
  if (format === "openai") {
    return answers.map(({ call, result }) => ({ role: "tool", tool_call_id: call.id, content: textOf(result) }));
  }
  if (format === "openai-responses") {
    return answers.map(({ call, result }) => ({
      type: "function_call_output",
      call_id: call.id,
      output: textOf(result),
    }));
  }
  if (format === "anthropic") {
    const content = answers.map(({ call, result }) => ({
      type: "tool_result",
      tool_use_id: call.id,
      content: [{ type: "text", text: textOf(result) }],
      ...(result.isError ? { is_error: true } : {}),
    }));
    return [{ role: "user", content }];
  }
  if (answers.every(({ call }) => call.form === "ai-sdk")) return [{ role: "tool", content: answers.map(aiSdkResult) }];
  // MCP has messages with tool results only in sampling (2025-11-25): a user message of `tool_result` blocks.
  const content = answers.map(({ call, result }) => ({ type: "tool_result", toolUseId: call.id, ...plain(result) }));
  return [{ role: "user", content }];
}

/** One entry of `results`: a tool result and its call. */
export interface RenderedToolResult extends ToolResult {
  id: string;
  name: string;
}

export function renderResult({ call, result }: AnsweredCall): RenderedToolResult {
  return { id: call.id, name: call.name, ...result };
}

function aiSdkResult({ call, result }: AnsweredCall): JsonObject {
  const type = result.isError ? "error-text" : "text";
  return { type: "tool-result", toolCallId: call.id, toolName: call.name, output: { type, value: textOf(result) } };
}

function plain(result: ToolResult): JsonObject {
  return {
    content: result.content,
    ...(result.structuredContent === undefined ? {} : { structuredContent: result.structuredContent }),
    ...(result.isError ? { isError: true } : {}),
  };
}
