// Reads one message of a transcript in any API's format, as far as restoring needs it.

import { isJsonObject, type JsonObject, type JsonValue } from "../json";
import { parseArguments } from "../tools/formats";

export interface TranscriptCall {
  id: string;
  name: string;
  arguments: JsonObject;
}

export interface TranscriptMessage {
  /** `user` only for messages of a person; a user message that only contains tool results is `tool`. */
  role: "user" | "assistant" | "tool" | "other";
  text: string;
  /** The gateway's own record on an assistant message, or `null`. */
  loadedSkills: string[] | null;
  calls: TranscriptCall[];
  results: TranscriptResult[];
}

export interface TranscriptResult {
  id: string;
  failed: boolean;
  text: string;
}

/** Reads messages in the formats of OpenAI (Chat and Responses), Anthropic, the AI SDK and MCP; others are `other`. */
export function readTranscript(history: readonly JsonValue[]): TranscriptMessage[] {
  return history.map((entry) => (isJsonObject(entry) ? readMessage(entry) : blank("other")));
}

function readMessage(entry: JsonObject): TranscriptMessage {
  // Items of the Responses API are siblings of messages, not parts.
  if (entry.type === "function_call") return { ...blank("assistant"), calls: readCall(entry) };
  if (entry.type === "function_call_output") {
    return { ...blank("tool"), results: [result(entry.call_id, textOf(entry.output))] };
  }
  if (entry.type === "reasoning") return blank("assistant");
  const blocks = blocksOf(entry.content);
  const message: TranscriptMessage = {
    role: roleOf(entry, blocks),
    text: textOf(entry.content),
    loadedSkills: loadedSkillsOf(entry),
    calls: [...list(entry.tool_calls).flatMap(readCall), ...blocks.flatMap(readCall)],
    results: blocks.flatMap(readResult),
  };
  if (entry.role === "tool" && typeof entry.tool_call_id === "string") {
    message.results.push(result(entry.tool_call_id, message.text));
  }
  return message;
}

/** Returns the text of a message, in any API's format. */
export function writtenText({ content }: JsonObject): string {
  return textOf(content);
}

function roleOf(entry: JsonObject, blocks: readonly JsonObject[]): TranscriptMessage["role"] {
  if (entry.role === "assistant" || entry.role === "tool") return entry.role;
  if (entry.role !== "user") return "other";
  const onlyResults = blocks.length > 0 && blocks.every((block) => block.type === "tool_result");
  return onlyResults ? "tool" : "user";
}

/** Reads a call in any format: `{function:{name,arguments}}`, `function_call`, `tool_use`, or the AI SDK's `tool-call`. */
function readCall(block: JsonValue): TranscriptCall[] {
  if (!isJsonObject(block)) return [];
  if (isJsonObject(block.function)) return [call(block.id, block.function.name, block.function.arguments)];
  if (block.type === "function_call") return [call(block.call_id, block.name, block.arguments)];
  if (block.type === "tool_use") return [call(block.id, block.name, block.input)];
  if (block.type === "tool-call") return [call(block.toolCallId, block.toolName, block.input ?? block.args)];
  return [];
}

function call(id: JsonValue | undefined, name: JsonValue | undefined, args: JsonValue | undefined): TranscriptCall {
  return { id: string(id), name: string(name), arguments: parseArguments(args).value ?? {} };
}

function readResult(block: JsonObject): TranscriptResult[] {
  if (block.type === "tool_result") {
    const isError = block.is_error === true || block.isError === true;
    return [result(block.tool_use_id ?? block.toolUseId, textOf(block.content), isError)];
  }
  if (block.type !== "tool-result") return [];
  const output = isJsonObject(block.output) ? block.output : {};
  const isError = output.type === "error-text" || output.type === "error-json";
  return [result(block.toolCallId, textOf(output.value ?? block.result), isError)];
}

function result(id: JsonValue | undefined, text: string, isError = false): TranscriptResult {
  return { id: string(id), failed: isError || isErrorText(text), text };
}

function loadedSkillsOf(entry: JsonObject): string[] | null {
  if (entry.role !== "assistant" || !Array.isArray(entry.loaded_skills)) return null;
  return entry.loaded_skills.filter((name): name is string => typeof name === "string");
}

function isErrorText(text: string): boolean {
  return text.trimStart().startsWith("Error:");
}

function textOf(content: JsonValue | undefined): string {
  if (typeof content === "string") return content;
  return blocksOf(content)
    .map((block) => (typeof block.text === "string" ? block.text : ""))
    .join("\n");
}

function blocksOf(content: JsonValue | undefined): JsonObject[] {
  if (isJsonObject(content)) return [content];
  return list(content).filter(isJsonObject);
}

function list(value: JsonValue | undefined): JsonValue[] {
  return Array.isArray(value) ? value : [];
}

function string(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}

function blank(role: TranscriptMessage["role"]): TranscriptMessage {
  return { role, text: "", loadedSkills: null, calls: [], results: [] };
}
