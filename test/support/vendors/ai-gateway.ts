// The API behind the AI SDK's own gateway. It checks only the shape of requests, because the SDK itself matches calls and results before
// sending.

import * as z from "zod";
import type { Move } from "./rule";

export const aiSchema = z.looseObject({
  prompt: z.array(z.object({ role: z.enum(["system", "user", "assistant", "tool"]), content: z.unknown() })).min(1),
  tools: z.array(z.looseObject({ type: z.literal("function"), name: z.string() })).optional(),
});

export function aiAnswer({ calls, text }: Move, step: string): object {
  const made = calls.map(({ name, input }, index) => ({
    ...{ type: "tool-call", toolCallId: `call_${step}_${index}`, toolName: name },
    input: JSON.stringify(input),
  }));
  return {
    content: calls.length === 0 ? [{ type: "text", text }] : made,
    finishReason: { unified: calls.length === 0 ? "stop" : "tool-calls", raw: undefined },
    usage: { inputTokens: { total: 1 }, outputTokens: { total: 1 } },
    warnings: [],
  };
}
