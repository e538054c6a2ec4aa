// Simulates OpenAI's Responses API without state (`store: false`) with its strict request validation. `RESPONSES_RULES` contains the rules
// and their sources.

import * as z from "zod";
import { functionFields } from "./openai-chat";
import { meteredUsage, type PrefixMeter } from "./prefix-meter";
import type { Move, Rule } from "./rule";

const data = z.union([
  z.string().regex(/^data:[a-z]+\/[a-z0-9.+-]+;base64,[A-Za-z0-9+/]+=*$/),
  z.url({ protocol: /^https$/ }),
]);
const input = z.strictObject({ type: z.literal("input_text"), text: z.string() });
/** `ResponseInputContent` in the types of `openai` 7.55.0, without content stored in the vendor's account. */
const part = z.discriminatedUnion("type", [
  input,
  z.strictObject({
    type: z.literal("input_image"),
    image_url: data,
    detail: z.enum(["auto", "low", "high", "original"]).optional(),
  }),
  z.strictObject({ type: z.literal("input_file"), filename: z.string().optional(), file_data: data }),
]);
const output = z.strictObject({
  type: z.literal("output_text"),
  text: z.string(),
  annotations: z.array(z.unknown()),
  logprobs: z.array(z.unknown()).optional(),
});
const id = z.string().optional();
const status = z.string().optional();
const item = z.union([
  z.strictObject({
    type: z.literal("message").optional(),
    role: z.enum(["system", "developer", "user"]),
    content: z.union([z.string(), z.array(part).min(1)]),
  }),
  // `EasyInputMessage` of the same types.
  z.strictObject({ type: z.literal("message").optional(), role: z.literal("assistant"), content: z.string() }),
  z.strictObject({
    type: z.literal("message"),
    role: z.literal("assistant"),
    id,
    status,
    content: z.array(output).min(1),
  }),
  z.strictObject({
    ...{ type: z.literal("function_call"), id, status },
    ...{ call_id: z.string(), name: z.string(), arguments: z.string() },
  }),
  z.strictObject({
    ...{ type: z.literal("function_call_output"), id, status },
    call_id: z.string(),
    output: z.union([z.string(), z.array(part)]),
  }),
  z.strictObject({
    ...{ type: z.literal("reasoning"), id: z.string(), status },
    summary: z.array(z.unknown()),
    encrypted_content: z.string().nullish(),
  }),
]);

export const responsesSchema = z.strictObject({
  model: z.string().min(1),
  store: z.literal(false),
  include: z.array(z.string()).optional(),
  prompt_cache_key: z.string().max(64).optional(),
  stream: z.boolean().optional(),
  instructions: z.string().nullish(),
  metadata: z.record(z.string(), z.string()).nullish(),
  max_output_tokens: z.int().min(16).nullish(),
  max_tool_calls: z.int().nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  temperature: z.number().nullish(),
  text: z.looseObject({}).optional(),
  tool_choice: z.union([z.enum(["none", "auto", "required"]), z.looseObject({ type: z.string() })]).optional(),
  truncation: z.enum(["auto", "disabled"]).nullish(),
  tools: z
    .array(z.strictObject({ type: z.literal("function"), ...functionFields, strict: z.boolean().nullable() }))
    .optional(),
  input: z.array(item).min(1),
});

export type ResponsesRequest = z.infer<typeof responsesSchema>;

const GUIDE = "platform.openai.com/docs: function calling";
const REASONING = "platform.openai.com/docs: reasoning, keeping reasoning items in context";

/** Returns the id of the item that a reasoning item belongs to. Both ids contain the same number. */
const partner = (reasoning: string) => reasoning.replace("rs_", "");
const madeWith = (each: ResponsesRequest["input"][number]) =>
  "id" in each && each.type !== "reasoning" ? (each.id ?? "").replace(/^(?:fc|msg)_/, "").replace(/_0$/, "") : "";

export const RESPONSES_RULES = [
  {
    name: "an output has its call before it",
    source: GUIDE,
    problem: (request) => {
      const called = new Set<string>();
      for (const each of request.input) {
        if (each.type === "function_call") called.add(each.call_id);
        if (each.type === "function_call_output" && !called.has(each.call_id))
          return `No tool call found for function call output with call_id ${each.call_id}.`;
      }
      return null;
    },
  },
  {
    name: "a call has its output",
    source: GUIDE,
    problem: (request) => {
      const answered = new Set(
        request.input.flatMap((each) => (each.type === "function_call_output" ? each.call_id : [])),
      );
      const open = request.input.find((each) => each.type === "function_call" && !answered.has(each.call_id));
      return open?.type === "function_call" ? `No tool output found for function call ${open.call_id}.` : null;
    },
  },
  {
    name: "reasoning has the item behind it that it was made with",
    source: REASONING,
    problem: (request) => {
      for (const [index, each] of request.input.entries()) {
        if (each.type !== "reasoning") continue;
        const next = request.input[index + 1];
        if (next === undefined || madeWith(next) !== partner(each.id))
          return `Item '${each.id}' of type 'reasoning' was provided without its required following item.`;
      }
      return null;
    },
  },
  {
    name: "what was made with reasoning has it before it",
    source: REASONING,
    problem: (request) => {
      for (const [index, each] of request.input.entries()) {
        const step = madeWith(each);
        const before = request.input[index - 1];
        if (/^\d+$/.test(step) && !(before?.type === "reasoning" && partner(before.id) === step))
          return `Item of type '${each.type}' was provided without its required 'reasoning' item: 'rs_${step}'.`;
      }
      return null;
    },
  },
  {
    name: "a model that does not think seals no thoughts",
    source: `${REASONING} (encrypted reasoning items are for reasoning models)`,
    problem: ({ model, include }) =>
      model.startsWith("gpt-4") && include?.includes("reasoning.encrypted_content")
        ? "Encrypted content is not supported with this model."
        : null,
  },
  {
    name: "reasoning brings its content, since nothing is stored",
    source: REASONING,
    problem: (request) => {
      const bare = request.input.find((each) => each.type === "reasoning" && !each.encrypted_content);
      return bare?.type === "reasoning"
        ? `Item with id '${bare.id}' not found. Items are not persisted when \`store\` is set to false.`
        : null;
    },
  },
] as const satisfies readonly Rule<ResponsesRequest>[];

/** Returns an answer: reasoning, then calls or text. */
export function responsesAnswer(
  request: ResponsesRequest,
  { calls, text }: Move,
  step: string,
  meter: PrefixMeter,
): object {
  const isEncrypted = request.include?.includes("reasoning.encrypted_content") === true;
  const made = calls.map(({ name, input: given }, index) => ({
    ...{ type: "function_call", id: `fc_${step}_${index}`, call_id: `call_${step}_${index}`, status: "completed" },
    ...{ name, arguments: JSON.stringify(given) },
  }));
  const said = {
    ...{ type: "message", id: `msg_${step}`, role: "assistant", status: "completed" },
    content: [{ type: "output_text", text, annotations: [] }],
  };
  const reasoning = {
    ...{ type: "reasoning", id: `rs_${step}`, summary: [] },
    ...(isEncrypted ? { encrypted_content: `thoughts of step ${step}` } : {}),
  };
  const { input: tokens, cached } = meter.read([...(request.tools ?? []), ...request.input]);
  return {
    ...{ id: `resp_${step}`, object: "response", created_at: 0, model: request.model, status: "completed" },
    output: [...(request.model.startsWith("gpt-4") ? [] : [reasoning]), ...(calls.length > 0 ? made : [said])],
    ...{ store: false, tools: request.tools ?? [], tool_choice: request.tool_choice ?? "auto" },
    usage: meteredUsage("input", "output", tokens, cached),
  };
}
