// Changes of one conversation run one after another.

import { expect, it } from "vitest";
import { exclusively } from "../../src/services/session";

it("a change begins after all earlier ones have ended, also failed ones", async () => {
  const session = { queue: Promise.resolve<unknown>(undefined) };
  const steps: string[] = [];
  const change = (name: string, fails = false) =>
    exclusively(session, async () => {
      steps.push(`${name} begins`);
      await Promise.resolve();
      await Promise.resolve();
      steps.push(`${name} ends`);
      if (fails) throw new Error(name);
      return name;
    });
  const all = await Promise.allSettled([change("one"), change("two", true), change("three")]);
  expect(all.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(steps).toEqual(["one begins", "one ends", "two begins", "two ends", "three begins", "three ends"]);
});
