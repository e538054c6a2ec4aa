// Decides whether loading a skill before the model asks for it pays: the calibrated probability against the break-even of the prices.

import type { Retention } from "../../catalog/ghost";
import type { LedgerPrice } from "../ledger-schema";
import { CALIBRATION } from "./calibration";
import type { FirstSkill } from "./rank";

/** Below this probability nothing is predicted, whatever it would save. `npm run bench:predict` measures the precision above it. */
export const LEAST_PROBABILITY = 0.8;

/** Tokens that the model writes to load a skill. */
const CALL_TOKENS = 40;
/**
 * Price of a written token of the model. The price table has none. Every vendor of the table charges more for output than for input, so this
 * understates the savings.
 */
const OUTPUT_PRICE = 1;
/** Number of turns for which retention `conversation` is counted. */
const LONG_RETENTION = 60;

/** Returns the probability that the model would load the skill that ranks first. */
export function probabilityOf({ score, margin, named }: Pick<FirstSkill, "score" | "margin" | "named">): number {
  const { constant, score: ofScore, margin: ofMargin, named: ofName } = CALIBRATION;
  const sum = constant + ofScore * Math.log(score) + ofMargin * margin + ofName * named;
  return 1 / (1 + Math.exp(-sum));
}

/** What a prediction can cost and save, in tokens at the price of an ordinary input token. */
export interface Stake {
  /** If the skill is not needed: its tokens are written once, and read in every request until it leaves. */
  cost: number;
  /** If it is: one model request, which reads the prompt from the cache and writes a call. */
  saved: number;
}

/**
 * Returns what is at stake. One request per turn is counted, so a conversation with more requests loses more and saves the same.
 *
 * @param tokens of the instructions that are appended
 * @param prompt tokens of the prompt before them, all of them cached
 */
export function stakeOf(
  tokens: number,
  prompt: number,
  retention: Retention,
  { read, write, min_tokens }: Pick<LedgerPrice, "read" | "write" | "min_tokens">,
): Stake {
  const turns = retention === "conversation" ? LONG_RETENTION : Math.min(retention, LONG_RETENTION);
  // Providers do not cache short prompts: nothing is read at the cached price, and nothing is billed as a cache write.
  const isCached = prompt + tokens >= min_tokens;
  const [written, again] = isCached ? [write, read] : [1, 1];
  return {
    cost: tokens * (written + turns * again),
    saved: prompt * (isCached ? read : 1) + CALL_TOKENS * OUTPUT_PRICE,
  };
}

/** Returns the probability above which a prediction pays. */
export function breakEven({ cost, saved }: Stake): number {
  return cost + saved === 0 ? 1 : cost / (cost + saved);
}

/** Whether a prediction with this probability is precise enough. */
export function isSure(probability: number): boolean {
  return probability >= LEAST_PROBABILITY;
}

/** Whether it also pays to append the skill. */
export function pays(probability: number, stake: Stake): boolean {
  return isSure(probability) && probability >= breakEven(stake);
}
