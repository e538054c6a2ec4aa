import { expect, it } from "vitest";
import {
  cacheLifetime,
  isStale,
  PRICES,
  priceNamed,
  priceOf,
  writePrice,
} from "../../../src/domain/conversation/prices";

it.each([
  ["claude-opus-5-5", "claude-opus-5-5"],
  ["anthropic/claude-opus-5.5-20260901", "claude-opus-5-5"],
  ["claude-fable-5-1", "claude-fable-5-1"],
  ["claude-fable-5-2", "claude-fable-5"],
  ["claude-sonnet-9", "claude-"],
  ["openrouter/openai/gpt-5.6-mini", "gpt-5.6"],
  ["GPT-5.4", "gpt-5"],
  ["gpt-4.1-nano", "gpt-4.1"],
])("%s has the price of %s", (model, match) => {
  expect(priceOf(model)?.match).toBe(match);
});

it("knows nothing of a model that is not in the table", () => {
  expect(priceOf("llama-9")).toBeNull();
  expect(cacheLifetime("llama-9")).toBeNull();
  // The model has a price, but its provider guarantees no cache lifetime.
  expect([priceOf("gemini-4")?.read, cacheLifetime("gemini-4")]).toEqual([0.1, null]);
});

it("has the lifetime of a model's cache and the price of writing it", () => {
  expect(["claude-x", "gpt-5.6", "gpt-5"].map(cacheLifetime)).toEqual([300_000, 1_800_000, 86_400_000]);
  expect(["claude-x", "gpt-5.6", "gpt-5"].map((model) => writePrice(priceOf(model)!))).toEqual([1.25, 1.25, 1]);
});

it("has rows that name a source, a day, and prices that caching can have", () => {
  for (const row of PRICES) {
    expect(row.source, row.match).toMatch(/\S+: \S+/);
    expect(Number.isFinite(Date.parse(row.checked)), row.match).toBe(true);
    expect(row.read > 0 && row.read < 1 && writePrice(row) >= 1, row.match).toBe(true);
    expect(priceNamed(row.match)).toBe(row);
  }
});

it("is stale half a year after it was checked", () => {
  const checked = Date.parse("2026-01-01");
  const days = (count: number) => checked + count * 86_400_000;
  expect([180, 181].map((count) => isStale({ checked: "2026-01-01" }, days(count)))).toEqual([false, true]);
});
