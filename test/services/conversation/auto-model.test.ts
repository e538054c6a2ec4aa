// Random conversations under delivery `auto`: skills are added, removed and updated; callers remove messages as requested or not, pause,
// cut their history and go back. After each step the promises of the documentation are checked. `VITE_SEED=<seed> VITE_CONVERSATIONS=200
// npx vitest run --project worker test/services/conversation/auto-model.test.ts` runs others.

import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import fc from "fast-check";
import { afterEach, it } from "vitest";
import { AutoWorld, NAMES, type Step } from "../../support/auto-world";
import { releaseClock } from "../../support/clock";

const given = import.meta as unknown as { env: Record<string, string | undefined> };
const CONVERSATIONS = Number(given.env.VITE_CONVERSATIONS ?? 5);
const SEED = Number(given.env.VITE_SEED ?? 20_261_122);
const STEPS = 30;

const name = fc.constantFrom(...NAMES);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant("turn" as const),
      selected: fc.oneof({ weight: 3, arbitrary: fc.constant<string[]>([]) }, fc.uniqueArray(name, { maxLength: 2 })),
      pause: fc.constantFrom(0, 0, 1, 10),
      cold: fc.nat(5).map((n) => n === 0),
    }),
  },
  {
    weight: 10,
    arbitrary: fc.record({ do: fc.constant("load" as const), name, reload: fc.nat(3).map((n) => n === 0) }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("unload" as const), name }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("publish" as const), name }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("yank" as const), name }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("move" as const), name }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("evict" as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("forget" as const), turns: fc.integer({ min: 1, max: 4 }) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("back" as const), turns: fc.nat(6) }) },
);
const options = fc.record({
  edits: fc.boolean(),
  have: fc.boolean(),
  retention: fc.constantFrom(0, 1, 2, 5, "conversation" as const),
  small: fc.nat(2).map((n) => n === 0),
});

async function evict(object: DurableObjectStub): Promise<void> {
  // Only running objects can be evicted.
  await runInDurableObject(object, () => undefined);
  await evictDurableObject(object);
}

afterEach(releaseClock);

it(
  `${CONVERSATIONS} random conversations of ${STEPS} steps are as promised`,
  async () => {
    await fc.assert(
      fc.asyncProperty(options, fc.array(step, { minLength: STEPS, maxLength: STEPS }), async (chosen, steps) => {
        const world = new AutoWorld(chosen);
        await world.start();
        for (const [at, each] of steps.entries()) {
          try {
            if (each.do === "evict") await evict(world.user.stub("c"));
            else await world.perform(each);
          } catch (error) {
            const story = [chosen, ...steps.slice(0, at + 1)].map((one) => JSON.stringify(one));
            throw new Error([`seed ${SEED}`, ...story, error].join("\n"), { cause: error });
          }
        }
      }),
      { numRuns: CONVERSATIONS, seed: SEED, endOnFailure: true },
    );
  },
  60_000 + CONVERSATIONS * 10_000,
);
