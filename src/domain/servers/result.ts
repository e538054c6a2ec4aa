// What a remote tool answered becomes a tool result of bounded size. Whether it keeps to the tool's own output schema is for the
// reader to judge: a result that does not is still the result.

import * as z from "zod";
import { jsonObject, jsonValue, utf8Bytes } from "../json";
import { UPSTREAM_LIMITS } from "../limits";
import { type ContentBlock, cutText, type ToolResult } from "../tool";

const answerSchema = z.lazy(() =>
  z.object({
    content: z.array(z.object({ type: z.string() }).catchall(jsonValue)).default([]),
    structuredContent: jsonObject.optional().catch(undefined),
    isError: z.boolean().optional(),
  }),
);

/** The result, or `null` where it is none. Text beyond the cap is cut with a note, other blocks are left out with one. */
export function upstreamResult(value: unknown): ToolResult | null {
  const parsed = answerSchema.safeParse(value);
  if (!parsed.success) return null;
  const { structuredContent, isError, content } = parsed.data;
  const blocks = capped(content);
  const result: ToolResult = { content: blocks, ...(isError ? { isError } : {}) };
  if (structuredContent === undefined) return result;
  const size = JSON.stringify(structuredContent).length;
  if (size <= UPSTREAM_LIMITS.textChars) return { ...result, structuredContent };
  return { ...result, content: [...blocks, note(`structured content of ${size} characters`)] };
}

function capped(blocks: readonly ContentBlock[]): ContentBlock[] {
  const kept: ContentBlock[] = [];
  let text = UPSTREAM_LIMITS.textChars;
  let all = UPSTREAM_LIMITS.resultBytes;
  for (const [index, block] of blocks.entries()) {
    if (kept.length >= UPSTREAM_LIMITS.blocks) {
      kept.push(note(`${blocks.length - index} more blocks`));
      break;
    }
    const size = JSON.stringify(block).length;
    const fits = block.type === "text" && typeof block.text === "string" ? cutBlock(block, block.text, text) : block;
    const weight = fits === block ? size : JSON.stringify(fits).length;
    const bytes = utf8Bytes(JSON.stringify(fits));
    if (fits === null || bytes > all) {
      kept.push(note(`a block of type '${block.type.slice(0, 40)}' with ${size} characters`));
      continue;
    }
    kept.push(fits);
    all -= bytes;
    if (block.type === "text") text -= weight;
  }
  return kept;
}

/** A text block that fits into what is left; `null` when nothing is left. */
function cutBlock(block: ContentBlock, text: string, left: number): ContentBlock | null {
  if (left <= 0) return null;
  return text.length <= left ? block : { ...block, text: cutText(text, left) };
}

function note(what: string): ContentBlock {
  return { type: "text", text: `(left out: ${what})` };
}
