import { describe, expect, it } from "vitest";
import { billedAs, costOf, hasStandardPrice, LIST_PRICES, listPrice } from "../../../src/domain/chat/list-prices";
import { priceOf, writePrice } from "../../../src/domain/conversation/prices";
import type { JsonObject } from "../../../src/domain/json";

const NONE = { fresh: 0, cache_read: 0, cache_write: 0, output: 0 };
const OPUS = "api.anthropic.com/claude-opus-5-5";

describe("the list price of a model", () => {
  it.each([
    ["https://api.anthropic.com/v1", "claude-opus-5-5", "claude-opus-5-5"],
    ["https://api.anthropic.com", "claude-haiku-4-5-20251001", "claude-haiku-4-5"],
    ["https://api.openai.com/v1/", "gpt-5-2025-08-07", "gpt-5"],
  ])("at %s, %s is that of %s", (base_url, model, expected) => {
    expect(listPrice(billedAs({ base_url, model }))?.model).toBe(expected);
  });

  it.each([
    // Another server sells the same model at its own price.
    ["https://openrouter.ai/api/v1", "claude-opus-5-5"],
    ["https://api.anthropic.com.example.net/v1", "claude-opus-5-5"],
    // Names with the same beginning are other models.
    ["https://api.openai.com/v1", "gpt-5-pro"],
    ["https://api.openai.com/v1", "gpt-5-codex-2025-09-15"],
    ["https://api.openai.com/v1", "GPT-5"],
    ["https://api.anthropic.com/v1", "claude-opus-9"],
    ["not an address", "gpt-5"],
  ])("at %s, that of %s is unknown", (base_url, model) => {
    expect(listPrice(billedAs({ base_url, model }))).toBeNull();
  });

  it("agrees with the prices of cached tokens that conversations are charged with", () => {
    for (const { model, input, cache_read, cache_write } of LIST_PRICES) {
      const row = priceOf(model);
      if (row === null) continue;
      expect(cache_read / input, model).toBeCloseTo(row.read, 10);
      expect(cache_write / input, model).toBeCloseTo(writePrice(row), 10);
    }
  });
});

describe("the cost of tokens", () => {
  it("is the sum of each kind at its price", () => {
    const usage = {
      fresh: 1_000_000,
      cache_read: 2_000_000,
      cache_write: 300_000,
      long_write: 100_000,
      output: 50_000,
    };
    // $4 input, $0.20 read, $5 written, $8 written for an hour, $20 output.
    expect(costOf([{ billed_as: OPUS, usage }])).toEqual({ cost_usd: 4 + 0.4 + 1 + 0.8 + 1, priced_tokens: 3_350_000 });
  });

  it("leaves out tokens without a known price, and is unknown without any other", () => {
    const usage = { ...NONE, fresh: 1_000 };
    const unknown = ["llm.internal/claude-opus-5-5", "", null].map((billed_as) => ({ billed_as, usage }));
    expect(costOf([...unknown, { billed_as: OPUS, usage }])).toEqual({ cost_usd: 0.004, priced_tokens: 1_000 });
    expect(costOf(unknown)).toEqual({ cost_usd: null, priced_tokens: 0 });
    expect(costOf([])).toEqual({ cost_usd: null, priced_tokens: 0 });
  });

  it("is rounded once, for the sum", () => {
    // 0.4 millionths of a dollar each.
    const small = { billed_as: OPUS, usage: { ...NONE, cache_read: 2 } };
    expect(costOf([small]).cost_usd).toBe(0);
    expect(costOf([small, small, small]).cost_usd).toBe(0.000_001);
  });
});

describe("a request has no standard price", () => {
  const usage = { ...NONE, fresh: 100 };
  it.each<JsonObject>([
    { service_tier: "priority" },
    { service_tier: "flex" },
    { speed: "fast" },
    { inference_geo: "us" },
    { speed: 1 },
  ])("with %j", (body) => expect(hasStandardPrice(OPUS, body, {}, usage)).toBe(false));

  it("if its vendor reports another tier than it asks for", () =>
    expect(hasStandardPrice(OPUS, { service_tier: "auto" }, { service_tier: "priority" }, usage)).toBe(false));

  it("with more input than the price is for, cached or not", () => {
    const long = { ...NONE, fresh: 1, cache_read: 50_000, cache_write: 50_000 };
    const haiku = "api.anthropic.com/claude-haiku-5-5";
    expect(hasStandardPrice(haiku, {}, {}, long)).toBe(false);
    expect(hasStandardPrice(haiku, {}, {}, { ...long, fresh: 0, output: 9_000 })).toBe(true);
    expect(hasStandardPrice(OPUS, {}, {}, long)).toBe(true);
  });

  it("unless it asks for the standard explicitly", () => {
    const body = { service_tier: "auto", speed: "standard", inference_geo: "global" };
    expect(hasStandardPrice(OPUS, body, {}, usage)).toBe(true);
    expect(hasStandardPrice(OPUS, { service_tier: null }, { service_tier: "standard" }, usage)).toBe(true);
  });
});
