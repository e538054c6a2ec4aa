// Converts the result of a remote tool to a tool result of limited size. It is not validated against the tool's output schema: an invalid
// result is still returned.

import * as z from "zod";
import { type JsonObject, jsonObject, jsonValue, utf8Bytes } from "../json";
import { UPSTREAM_LIMITS } from "../limits";
import { type ContentBlock, cutText, type ToolResult } from "../tool";
import { marksSchema, present } from "./library/marks";

const answerSchema = z.lazy(() =>
  z.object({
    content: z.array(z.object({ type: z.string() }).catchall(jsonValue)).default([]),
    structuredContent: jsonObject.optional().catch(undefined),
    isError: z.boolean().optional(),
    _meta: marksSchema,
  }),
);

/** A size-limited result, and the whole result if something was cut. */
interface BoundedResult {
  result: ToolResult;
  whole: WholeResult | null;
}

/** A complete result: its text if it only has text, otherwise the result as JSON. */
export interface WholeResult {
  text: string;
  mediaType: "text/plain" | "application/json";
}

/**
 * Returns the result, or `null` if it is invalid. Text above the limit is cut with a note, other blocks are replaced by one.
 *
 * @param declares whether the tool has an output schema: clients validate results without errors against it, and a cut result would be
 * invalid
 */
export function upstreamResult(value: unknown, declares = false): BoundedResult | null {
  const parsed = answerSchema.safeParse(value);
  if (!parsed.success) return null;
  const { structuredContent, isError, content, _meta } = parsed.data;
  const blocks = capped(content);
  const size = structuredContent === undefined ? 0 : JSON.stringify(structuredContent).length;
  const fits = size <= UPSTREAM_LIMITS.textChars;
  const result: ToolResult = {
    content: fits ? blocks : [...blocks, note(`structured content of ${size} characters`)],
    ...(fits && structuredContent !== undefined ? { structuredContent } : {}),
    ...(isError || (!fits && declares) ? { isError: true } : {}),
    ...present({ _meta }),
  };
  const isWhole = fits && blocks.length === content.length && blocks.every((block, index) => block === content[index]);
  return { result, whole: isWhole ? null : wholeOf(content, structuredContent) };
}

function wholeOf(content: readonly ContentBlock[], structuredContent: JsonObject | undefined): WholeResult {
  const [first, ...rest] = content;
  return first?.type === "text" &&
    typeof first.text === "string" &&
    rest.length === 0 &&
    structuredContent === undefined
    ? { text: first.text, mediaType: "text/plain" }
    : { text: JSON.stringify(present({ content, structuredContent })), mediaType: "application/json" };
}

function capped(blocks: readonly ContentBlock[]): ContentBlock[] {
  const acceptedBlocks: ContentBlock[] = [];
  let text = UPSTREAM_LIMITS.textChars;
  let all = UPSTREAM_LIMITS.resultBytes;
  for (const [index, block] of blocks.entries()) {
    if (acceptedBlocks.length >= UPSTREAM_LIMITS.blocks) {
      acceptedBlocks.push(note(`${blocks.length - index} more blocks`));
      break;
    }
    const size = JSON.stringify(block).length;
    const fits = block.type === "text" && typeof block.text === "string" ? cutBlock(block, block.text, text) : block;
    const weight = fits === block ? size : JSON.stringify(fits).length;
    const bytes = utf8Bytes(JSON.stringify(fits));
    if (fits === null || bytes > all) {
      acceptedBlocks.push(note(`a block of type '${block.type.slice(0, 40)}' with ${size} characters`));
      continue;
    }
    acceptedBlocks.push(fits);
    all -= bytes;
    if (block.type === "text") text -= weight;
  }
  return acceptedBlocks;
}

/** Returns a text block that fits into the remaining size; `null` if none is left. */
function cutBlock(block: ContentBlock, text: string, left: number): ContentBlock | null {
  if (left <= 0) return null;
  return text.length <= left ? block : { ...block, text: cutText(text, left) };
}

function note(what: string): ContentBlock {
  return { type: "text", text: `(left out: ${what})` };
}
