// Parses the token usage that a provider reports, in any format a back end has.

import * as z from "zod";
import type { JsonObject } from "../json";

const tokens = z.int().min(0).max(1_000_000_000);

/** Tokens of one model request. The first three together are all input tokens. */
export const usageSchema = z.object({
  /** Input tokens that were neither read from a cache nor written to one. */
  fresh: tokens,
  cache_read: tokens,
  cache_write: tokens,
  /** The part of `cache_write` with a longer lifetime, which costs more. */
  long_write: tokens.optional(),
  output: tokens,
});

export type Usage = z.infer<typeof usageSchema>;

export const NO_USAGE: Usage = { fresh: 0, cache_read: 0, cache_write: 0, output: 0 };

/** Returns the sum of two counts. */
export function sumOfUsage(a: Usage, b: Usage): Usage {
  return {
    fresh: a.fresh + b.fresh,
    cache_read: a.cache_read + b.cache_read,
    cache_write: a.cache_write + b.cache_write,
    long_write: (a.long_write ?? 0) + (b.long_write ?? 0),
    output: a.output + b.output,
  };
}

/** Providers omit fields or send null. */
const some = tokens.nullish().transform((value) => value ?? 0);
const details = z
  .object({ cached_tokens: some, cache_write_tokens: some })
  .nullish()
  .transform((value) => value ?? { cached_tokens: 0, cache_write_tokens: 0 });

const chat = z.lazy(() => z.object({ prompt_tokens: tokens, completion_tokens: some, prompt_tokens_details: details }));
const responses = z.lazy(() => z.object({ input_tokens: tokens, output_tokens: some, input_tokens_details: details }));
const anthropic = z.lazy(() =>
  z.object({
    input_tokens: tokens,
    output_tokens: some,
    cache_read_input_tokens: some,
    cache_creation_input_tokens: some,
    cache_creation: z.object({ ephemeral_1h_input_tokens: some }).nullish(),
  }),
);
const own = usageSchema.omit({ long_write: true });

const FORMS =
  "`usage` must be the provider's own object (OpenAI: `prompt_tokens` or `input_tokens`; Anthropic: `input_tokens`) or { fresh, cache_read, cache_write, output }";

/** Reads a usage object of OpenAI's APIs, of Anthropic's, or the gateway's own. Returns a problem for any other value. */
export function readUsage(value: JsonObject): { usage: Usage } | { problem: string } {
  if ("prompt_tokens" in value)
    return read(chat, value, (said) =>
      withoutCached(said.prompt_tokens, said.prompt_tokens_details, said.completion_tokens),
    );
  if ("input_tokens" in value && isAnthropic(value)) return read(anthropic, value, ofAnthropic);
  if ("input_tokens" in value)
    return read(responses, value, (said) =>
      withoutCached(said.input_tokens, said.input_tokens_details, said.output_tokens),
    );
  if ("fresh" in value) return read(own, value, (said) => said);
  return { problem: `${FORMS}.` };
}

/** Returns the total of input tokens. */
export function sentTokens({ fresh, cache_read, cache_write }: Usage): number {
  return fresh + cache_read + cache_write;
}

/** Returns the total of input and output tokens. */
export function spentTokens(usage: Usage): number {
  return sentTokens(usage) + usage.output;
}

function read<T>(
  form: z.ZodType<T>,
  value: JsonObject,
  usageOf: (said: T) => Usage | string,
): ReturnType<typeof readUsage> {
  const parsed = form.safeParse(value);
  if (!parsed.success) {
    const wrong = parsed.error.issues.map(({ path, message }) => `\`usage.${path.join(".")}\`: ${message}`);
    return { problem: `${FORMS}, in whole numbers. ${wrong.join("; ")}.` };
  }
  const usage = usageOf(parsed.data);
  return typeof usage === "string" ? { problem: usage } : { usage };
}

/** Only Anthropic counts cached tokens separately from input tokens. */
function isAnthropic(value: JsonObject): boolean {
  return "cache_read_input_tokens" in value || "cache_creation_input_tokens" in value || "cache_creation" in value;
}

function ofAnthropic(said: z.infer<typeof anthropic>): Usage | string {
  const written = said.cache_creation_input_tokens;
  const long = said.cache_creation?.ephemeral_1h_input_tokens ?? 0;
  if (long > written) return "`usage` is inconsistent: more tokens are written for an hour than are written in total.";
  const usage = { fresh: said.input_tokens, cache_read: said.cache_read_input_tokens, output: said.output_tokens };
  return { ...usage, cache_write: written, ...(long === 0 ? {} : { long_write: long }) };
}

function withoutCached(sent: number, cached: z.infer<typeof details>, output: number): Usage | string {
  const fresh = sent - cached.cached_tokens - cached.cache_write_tokens;
  if (fresh < 0) return "`usage` is inconsistent: more tokens are cached than were sent.";
  return { fresh, cache_read: cached.cached_tokens, cache_write: cached.cache_write_tokens, output };
}
