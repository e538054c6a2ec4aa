// The common form of tools and results: MCP's. All other forms are converted to it.

import * as z from "zod";
import { type JsonObject, type JsonValue, jsonObject, jsonValue } from "./json";
import { escapeSkillTags } from "./tags";

/** A JSON Schema, draft 2020-12, as a plain value. */
export type JsonSchema = JsonObject;

/** Hints about a tool for a host's user. They are not verified. */
export const toolHintsSchema = z.lazy(() =>
  z
    .object({
      title: z.string().max(200),
      readOnlyHint: z.boolean(),
      destructiveHint: z.boolean(),
      idempotentHint: z.boolean(),
      openWorldHint: z.boolean(),
    })
    .partial(),
);

export type ToolHints = z.infer<typeof toolHintsSchema>;

export interface ToolDefinition {
  name: string;
  description: string;
  inputSchema: JsonSchema;
  annotations?: ToolHints | undefined;
  /** Fields that only MCP has: the output schema, and metadata for hosts and users. */
  title?: string | undefined;
  outputSchema?: JsonSchema | undefined;
  icons?: JsonObject[] | undefined;
  _meta?: JsonObject | undefined;
}

/** A block of a result. The gateway creates text blocks; other types pass through from MCP servers. */
export type ContentBlock = { type: string; [key: string]: JsonValue };

export interface ToolResult {
  content: ContentBlock[];
  structuredContent?: JsonObject;
  isError?: boolean;
  /** `_meta` of extensions, from a server's own result. */
  _meta?: JsonObject;
}

/** The schema of stored results. */
export const toolResultSchema: z.ZodType<ToolResult> = z.lazy(() =>
  z.object({
    content: z.array(z.object({ type: z.string() }).catchall(jsonValue)),
    structuredContent: jsonObject.optional(),
    isError: z.boolean().optional(),
    _meta: jsonObject.optional(),
  }),
);

/** A model's call, from any format. `malformed`: why its arguments could not be parsed. */
export interface ToolCall {
  id: string;
  name: string;
  arguments: JsonObject;
  malformed?: string;
}

/** Returns a result of plain text. */
export function text(value: string): ToolResult {
  return { content: [{ type: "text", text: value }] };
}

/**
 * Returns a failed result. Wegent's texts begin with `Error:`; those of servers do not. A reason may quote others (a dependency's name, an
 * author's code), so it is escaped: the model must not read it as instructions.
 */
export function failed(value: string): ToolResult {
  return { content: [{ type: "text", text: escapeSkillTags(value) }], isError: true };
}

/** Returns the text of a result, for formats whose results are one string. */
export function textOf(result: ToolResult): string {
  return result.content
    .map((block) => (block.type === "text" && typeof block.text === "string" ? block.text : JSON.stringify(block)))
    .join("\n");
}

/** Cuts a long text and adds a note. */
export function cutText(value: string, limit: number): string {
  if (value.length <= limit) return value;
  // Never ends with half of a surrogate pair.
  const end = /[\uD800-\uDBFF]/.test(value[limit - 1] ?? "") ? limit - 1 : limit;
  return `${value.slice(0, end)}\n\n(cut: ${value.length - end} of ${value.length} characters are not shown)`;
}
