// The fields of a request to Anthropic's Messages API, according to the API reference and the types of `@anthropic-ai/sdk` 1.11.0
// (`MessageCreateParams`). Unknown fields ("Extra inputs are not permitted") and empty texts are rejected. Fields for the vendor's own
// tools and files are omitted, because the gateway rejects them.

import * as z from "zod";

const cacheControl = z.strictObject({ type: z.literal("ephemeral"), ttl: z.enum(["5m", "1h"]).optional() });
const marked = { cache_control: cacheControl.nullish() };
const location = z.looseObject({ type: z.enum(["char_location", "page_location", "content_block_location"]) });
const citing = z.strictObject({ enabled: z.boolean().optional() });
const textBlock = z.strictObject({
  type: z.literal("text"),
  text: z.string().regex(/\S/, "text content blocks must contain non-whitespace text"),
  citations: z.array(location).nullish(),
  ...marked,
});
const base64 = (type: RegExp) => ({
  type: z.literal("base64"),
  media_type: z.string().regex(type, "Input should be a type of the vendor's list"),
  data: z.base64("Invalid base64 data"),
});
const byUrl = z.strictObject({ type: z.literal("url"), url: z.url() });
const image = z.strictObject({
  type: z.literal("image"),
  source: z.union([z.strictObject(base64(/^image\/(jpeg|png|gif|webp)$/)), byUrl]),
  ...marked,
});
const document = z.strictObject({
  type: z.literal("document"),
  source: z.union([
    z.strictObject(base64(/^application\/pdf$/)),
    z.strictObject({ type: z.literal("text"), media_type: z.literal("text/plain"), data: z.string() }),
    byUrl,
  ]),
  title: z.string().nullish(),
  context: z.string().nullish(),
  citations: citing.nullish(),
  ...marked,
});
const toolUse = z.strictObject({
  type: z.literal("tool_use"),
  id: z.string().regex(/^[a-zA-Z0-9_-]+$/),
  name: z.string().min(1).max(200),
  input: z.record(z.string(), z.unknown()),
  caller: z.strictObject({ type: z.literal("direct") }).optional(),
  ...marked,
});
const toolResult = z.strictObject({
  type: z.literal("tool_result"),
  tool_use_id: z.string().regex(/^[a-zA-Z0-9_-]+$/),
  content: z.union([z.string(), z.array(z.discriminatedUnion("type", [textBlock, image, document]))]).optional(),
  is_error: z.boolean().optional(),
  ...marked,
});
// Without `cache_control`: the vendor rejects it on thinking ("cache_control: Extra inputs are not permitted").
const thinking = z.strictObject({ type: z.literal("thinking"), thinking: z.string(), signature: z.string() });
const redacted = z.strictObject({ type: z.literal("redacted_thinking"), data: z.string().min(1) });

const said = z.string().regex(/\S/, "text content must be non-empty");
const message = z.discriminatedUnion("role", [
  z.strictObject({
    role: z.literal("user"),
    content: z.union([said, z.array(z.discriminatedUnion("type", [textBlock, toolResult, image, document])).min(1)]),
  }),
  z.strictObject({
    role: z.literal("assistant"),
    content: z.union([said, z.array(z.discriminatedUnion("type", [textBlock, toolUse, thinking, redacted])).min(1)]),
  }),
]);
const unitNumber = z.number().min(0).max(1);
const parallel = { disable_parallel_tool_use: z.boolean().optional() };

export const messagesSchema = z.strictObject({
  model: z.string().min(1),
  max_tokens: z.int().min(1),
  stream: z.boolean().optional(),
  cache_control: cacheControl.nullish(),
  metadata: z.strictObject({ user_id: z.string().max(256).nullish() }).optional(),
  output_config: z
    .strictObject({
      effort: z.enum(["low", "medium", "high", "xhigh", "max"]).nullish(),
      format: z.strictObject({ type: z.literal("json_schema"), schema: z.looseObject({}) }).nullish(),
    })
    .optional(),
  service_tier: z.enum(["auto", "standard_only"]).optional(),
  stop_sequences: z.array(z.string()).optional(),
  system: z.union([z.string(), z.array(textBlock)]).optional(),
  temperature: unitNumber.optional(),
  top_p: unitNumber.optional(),
  top_k: z.int().min(0).optional(),
  thinking: z
    .discriminatedUnion("type", [
      z.strictObject({ type: z.literal("adaptive"), display: z.enum(["summarized", "omitted"]).nullish() }),
      z.strictObject({ type: z.literal("enabled"), budget_tokens: z.int().min(1_024) }),
      z.strictObject({ type: z.literal("disabled") }),
    ])
    .optional(),
  tool_choice: z
    .discriminatedUnion("type", [
      z.strictObject({ type: z.enum(["auto", "any"]), ...parallel }),
      z.strictObject({ type: z.literal("tool"), name: z.string(), ...parallel }),
      z.strictObject({ type: z.literal("none") }),
    ])
    .optional(),
  tools: z
    .array(
      z.strictObject({
        type: z.literal("custom").nullish(),
        name: z.string().regex(/^[a-zA-Z0-9_-]{1,128}$/),
        description: z.string().optional(),
        input_schema: z.looseObject({ type: z.literal("object") }),
        strict: z.boolean().optional(),
        eager_input_streaming: z.boolean().nullish(),
        ...marked,
      }),
    )
    .optional(),
  messages: z.array(message).min(1),
});

export type MessagesRequest = z.infer<typeof messagesSchema>;
