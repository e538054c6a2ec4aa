// The gate of predictions: a calibrated probability against the break-even of the prices.

import { describe, expect, it } from "vitest";
import { ledgerPrice } from "../../../../src/domain/conversation/ledger";
import {
  breakEven,
  LEAST_PROBABILITY,
  pays,
  probabilityOf,
  stakeOf,
} from "../../../../src/domain/conversation/prediction/gate";
import { PRICES } from "../../../../src/domain/conversation/prices";

const CLEAR = { score: 20, margin: 0.9, named: 1 };

describe("the probability of a prediction", () => {
  it("rises with the score, the margin and the named words", () => {
    const clear = probabilityOf(CLEAR);
    expect(clear).toBeGreaterThan(LEAST_PROBABILITY);
    expect(probabilityOf({ ...CLEAR, score: 5 })).toBeLessThan(clear);
    expect(probabilityOf({ ...CLEAR, margin: 0.1 })).toBeLessThan(clear);
    expect(probabilityOf({ ...CLEAR, named: 0 })).toBeLessThan(clear);
  });

  it("is low for two equal skills", () => {
    expect(probabilityOf({ score: 20, margin: 0, named: 1 })).toBeLessThan(LEAST_PROBABILITY);
  });
});

describe("the break-even of a price row", () => {
  const claude = ledgerPrice(PRICES.find(({ match }) => match === "claude-sonnet-4-6") ?? null);

  it("writes a wrong skill once and reads it in each turn until it leaves", () => {
    expect(stakeOf(1_000, 10_000, 5, claude).cost).toBeCloseTo(1_000 * (1.25 + 5 * 0.1));
    expect(stakeOf(1_000, 10_000, "conversation", claude).cost).toBeCloseTo(1_000 * (1.25 + 60 * 0.1));
  });

  it("saves one request that reads the prompt from the cache", () => {
    expect(stakeOf(1_000, 10_000, 5, claude).saved).toBeCloseTo(10_000 * 0.1 + 40);
  });

  it("counts ordinary prices for prompts that are too short for the cache", () => {
    expect(stakeOf(100, 500, 0, claude)).toEqual({ cost: 100, saved: 540 });
  });

  it("is higher for large skills and lower for long prompts, in every row", () => {
    for (const row of PRICES) {
      const price = ledgerPrice(row);
      const at = (tokens: number, prompt: number) => breakEven(stakeOf(tokens, prompt, 5, price));
      expect(at(4_000, 8_000), row.match).toBeGreaterThan(at(500, 8_000));
      expect(at(1_000, 50_000), row.match).toBeLessThan(at(1_000, 8_000));
      expect(at(1_000, 8_000), row.match).toBeGreaterThan(0);
      expect(at(1_000, 8_000), row.match).toBeLessThan(1);
    }
  });

  it("rejects a sure prediction that does not pay, and a cheap one that is not sure", () => {
    const large = stakeOf(20_000, 2_000, 5, claude);
    expect(pays(0.95, large)).toBe(false);
    expect(pays(0.95, { cost: 1, saved: 1_000 })).toBe(true);
    expect(pays(LEAST_PROBABILITY - 0.01, { cost: 1, saved: 1_000 })).toBe(false);
  });

  it("does not pay if nothing is at stake", () => {
    expect(breakEven({ cost: 0, saved: 0 })).toBe(1);
  });
});
