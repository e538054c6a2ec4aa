import { expect, it } from "vitest";
import { readUsage, sentTokens } from "../../../src/domain/conversation/usage";
import type { JsonObject } from "../../../src/domain/json";

const openaiChat = {
  prompt_tokens: 2_000,
  completion_tokens: 30,
  total_tokens: 2_030,
  prompt_tokens_details: { cached_tokens: 1_280, audio_tokens: 0, cache_write_tokens: 600 },
};
const openaiResponses = {
  input_tokens: 2_000,
  input_tokens_details: { cached_tokens: 1_280 },
  output_tokens: 30,
  output_tokens_details: { reasoning_tokens: 10 },
  total_tokens: 2_030,
};
const anthropic = {
  input_tokens: 12,
  cache_creation_input_tokens: 700,
  cache_read_input_tokens: 1_288,
  output_tokens: 30,
  cache_creation: { ephemeral_5m_input_tokens: 500, ephemeral_1h_input_tokens: 200 },
  service_tier: "standard",
};

it.each<[string, JsonObject, object]>([
  ["OpenAI's chat", openaiChat, { fresh: 120, cache_read: 1_280, cache_write: 600, output: 30 }],
  ["OpenAI's responses", openaiResponses, { fresh: 720, cache_read: 1_280, cache_write: 0, output: 30 }],
  ["Anthropic", anthropic, { fresh: 12, cache_read: 1_288, cache_write: 700, long_write: 200, output: 30 }],
  [
    "one without details",
    { prompt_tokens: 5, completion_tokens: 1 },
    { fresh: 5, cache_read: 0, cache_write: 0, output: 1 },
  ],
  [
    "one with nulls",
    { input_tokens: 5, output_tokens: 1, cache_read_input_tokens: null, cache_creation_input_tokens: null },
    { fresh: 5, cache_read: 0, cache_write: 0, output: 1 },
  ],
  [
    "our own",
    { fresh: 1, cache_read: 2, cache_write: 3, output: 4 },
    { fresh: 1, cache_read: 2, cache_write: 3, output: 4 },
  ],
])("reads the form of %s", (_, said, usage) => {
  expect(readUsage(said)).toEqual({ usage });
});

it("counts OpenAI's input tokens and all of Anthropic's input kinds as sent", () => {
  const sent = [openaiChat, openaiResponses, anthropic].map((said) => {
    const read = readUsage(said);
    return "usage" in read ? sentTokens(read.usage) : null;
  });
  expect(sent).toEqual([2_000, 2_000, 2_000]);
});

it.each<[string, JsonObject, RegExp]>([
  ["nothing known", { tokens: 5 }, /prompt_tokens.*fresh, cache_read/],
  ["a negative number", { prompt_tokens: -1 }, /usage\.prompt_tokens/],
  ["a fraction", { input_tokens: 1.5, output_tokens: 1 }, /usage\.input_tokens/],
  [
    "a word",
    { input_tokens: 5, input_tokens_details: { cached_tokens: "many" } },
    /usage\.input_tokens_details\.cached/,
  ],
  ["a part of our own", { fresh: 1, output: 2 }, /usage\.cache_read.*usage\.cache_write/],
  [
    "more cached than sent",
    { prompt_tokens: 5, prompt_tokens_details: { cached_tokens: 6 } },
    /more tokens are cached/,
  ],
  [
    "more written for an hour than written",
    { input_tokens: 5, cache_creation_input_tokens: 1, cache_creation: { ephemeral_1h_input_tokens: 2 } },
    /for an hour/,
  ],
  ["more than there can be", { prompt_tokens: 1e12 }, /usage\.prompt_tokens/],
])("reports the problem of %s", (_, said, problem) => {
  expect(readUsage(said)).toEqual({ problem: expect.stringMatching(problem) });
});
