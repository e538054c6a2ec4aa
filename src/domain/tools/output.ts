// Converts the output of a skill's code to an MCP tool result. Output of an isolate is not trusted.

import * as z from "zod";
import { type JsonValue, jsonObject } from "../json";
import { CONVERSATION_LIMITS } from "../limits";
import { cutText, failed, type ToolResult, text } from "../tool";

const common = { annotations: jsonObject.optional(), _meta: jsonObject.optional() };
const contents = z.looseObject({ uri: z.string(), mimeType: z.string().optional() });
const base64 = z.string().regex(/^[A-Za-z0-9+/]*={0,2}$/, "not base64");

/** MCP's content blocks (2025-11-25) with their required fields. */
const blockSchema = z.lazy(() =>
  z.discriminatedUnion("type", [
    z.object({ type: z.literal("text"), text: z.string(), ...common }),
    z.object({ type: z.literal("image"), data: base64, mimeType: z.string(), ...common }),
    z.object({ type: z.literal("audio"), data: base64, mimeType: z.string(), ...common }),
    z.looseObject({ type: z.literal("resource_link"), uri: z.string(), name: z.string(), ...common }),
    z.object({
      type: z.literal("resource"),
      resource: z.union([contents.extend({ text: z.string() }), contents.extend({ blob: base64 })]),
      ...common,
    }),
  ]),
);

const resultSchema = z.lazy(() =>
  z.object({
    content: z.array(blockSchema),
    structuredContent: jsonObject.optional(),
    isError: z.boolean().optional(),
  }),
);

/**
 * Returns the result: an MCP tool result unchanged; text as a block; other JSON as text, and objects also as structured content. Text above
 * the limit is cut with a note; other output above it is an error.
 */
export function toolResultOf(value: JsonValue, tool: string): ToolResult {
  if (value === null) return text("");
  if (typeof value === "string") return cut(text(value), tool);
  if (typeof value !== "object" || Array.isArray(value)) return cut(text(JSON.stringify(value)), tool);
  if (!("content" in value)) return cut({ ...text(JSON.stringify(value)), structuredContent: value }, tool);
  const parsed = resultSchema.safeParse(value);
  if (parsed.success) return cut(parsed.data as ToolResult, tool);
  const [issue] = parsed.error.issues;
  return failed(
    `Tool '${tool}' returned an invalid result: ${issue?.path.join(".")}: ${issue?.message}. The author of the tool must fix it.`,
  );
}

function cut(result: ToolResult, tool: string): ToolResult {
  const limit = CONVERSATION_LIMITS.toolResultChars;
  const size = JSON.stringify(result).length;
  if (size <= limit) return result;
  const [first, ...rest] = result.content;
  if (first?.type !== "text" || typeof first.text !== "string" || rest.length > 0)
    return failed(
      `Tool '${tool}' returned too much data (limit ${limit} characters, received ${size}). Call it with arguments that return less.`,
    );
  const { structuredContent: _, ...others } = result;
  return { ...others, content: [{ ...first, text: cutText(first.text, limit) }] };
}
