// Refresh token families in D1 under random histories over HTTP: parallel requests are answered as in some sequential order, and later
// requests continue from there.

import { env } from "cloudflare:workers";
import fc from "fast-check";
import { expect, it, vi } from "vitest";
import { readRefreshToken } from "../../src/domain/sign-in/tokens";
import { FamilyModel } from "../support/family-model";
import { initializeWith, pass, post, refreshForm, signedIn } from "../support/grants";

const MINUTE = 60_000;

const act = fc.record({
  /** For each token of the parallel requests: the number of generations since it was the newest. */
  backs: fc.array(fc.nat({ max: 2 }), { minLength: 1, maxLength: 3 }),
  /** No sum of them is close to the grace period, so that the test's clock does not matter. */
  pause: fc.constantFrom(0, 0, 65_000, 7 * MINUTE, 180 * MINUTE),
  uses: fc.boolean(),
});

interface Tokens {
  access_token: string;
  refresh_token: string;
}

it("concurrent exchanges are answered like some sequence of them", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 1, maxLength: 8 }), async (acts) => {
      const first = await signedIn({ userId: "interleaved" });
      const texts = [first.refresh_token];
      const grantId = readRefreshToken(first.refresh_token)?.grantId ?? "";
      let model = new FamilyModel();
      for (const { backs, pause, uses } of acts) {
        await pass(pause);
        model.now += pause;
        const shown = backs.map((back) => Math.max(0, model.family.generation - back));
        const answers = await Promise.all(shown.map((generation) => show(texts[generation] ?? "")));
        const seen = answers.map((tokens) => (tokens === null ? null : generationOf(tokens)));
        const after = ordersOf(shown, model).find(({ answered }) => `${answered}` === `${seen}`)?.model;
        expect(after, `${shown} at once: ${seen}`).toBeDefined();
        if (after === undefined) return;
        model = after;
        const got = answers.filter((tokens) => tokens !== null).toSorted((a, b) => generationOf(b) - generationOf(a));
        for (const tokens of got) {
          // One generation has one token, even if several requests received it.
          texts[generationOf(tokens)] ??= tokens.refresh_token;
          expect(tokens.refresh_token).toBe(texts[generationOf(tokens)]);
        }
        const [newest] = got;
        if (newest === undefined || model.ended || !uses) continue;
        await use(newest, grantId);
        model.use(generationOf(newest));
      }
      const living = await env.DB.prepare("SELECT ended_at IS NULL AS lives, generation FROM grants WHERE id = ?")
        .bind(grantId)
        .first();
      expect(living).toEqual({ lives: model.ended ? 0 : 1, generation: model.family.generation });
    }),
    { numRuns: 40 },
  );
});

/** Returns the results of every sequential order of these tokens, listed in the given order. */
function ordersOf(
  shown: readonly number[],
  before: FamilyModel,
): { answered: (number | null)[]; model: FamilyModel }[] {
  return permutations(shown.map((_, index) => index)).map((order) => {
    const model = before.copy();
    const answered: (number | null)[] = shown.map(() => null);
    for (const index of order) answered[index] = model.show(shown[index] ?? 0);
    return { answered, model };
  });
}

function permutations(of: readonly number[]): number[][] {
  if (of.length === 0) return [[]];
  return of.flatMap((one) => permutations(of.filter((other) => other !== one)).map((rest) => [one, ...rest]));
}

async function show(token: string): Promise<Tokens | null> {
  const answer = await post("/oauth/token", refreshForm(token));
  if (answer.status === 200) return answer.json<Tokens>();
  expect([answer.status, await answer.json()]).toMatchObject([400, { error: "invalid_grant" }]);
  return null;
}

function generationOf({ refresh_token }: Tokens): number {
  return readRefreshToken(refresh_token)?.generation ?? Number.NaN;
}

/** Uses an access token and waits until D1 has recorded its arrival. */
async function use(tokens: Tokens, grantId: string): Promise<void> {
  expect((await initializeWith("/mcp", tokens.access_token)).status).toBe(200);
  await vi.waitFor(async () => {
    const arrived = await env.DB.prepare("SELECT arrived FROM grants WHERE id = ?").bind(grantId).first("arrived");
    expect(arrived).toBe(generationOf(tokens));
  });
}
