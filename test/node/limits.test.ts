import { expect, it } from "vitest";
import { readWranglerConfig } from "../../scripts/kit/wrangler-config.mjs";
import { RATES } from "../../src/domain/limits";

it("the platform counts by the numbers that answers name", async () => {
  const { ratelimits } = await readWranglerConfig();
  const counters: { name: string; simple: { limit: number; period: number } }[] = ratelimits;
  const bound = Object.fromEntries(counters.map(({ name, simple }) => [name, [simple.limit, simple.period]]));
  const said = ({ requests, seconds }: { requests: number; seconds: number }) => [requests, seconds];
  expect(bound).toEqual({
    ADDRESS_RATE: said(RATES.address),
    PRINCIPAL_RATE: said(RATES.principal),
    GUESS_RATE: said(RATES.guesses),
  });
});
