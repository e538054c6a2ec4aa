// The billed tokens of a conversation, and those of other ways to deliver its skills.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fold } from "../../../src/domain/conversation/activation";
import { type ConversationEvent, eventSchema, type TurnLedger } from "../../../src/domain/conversation/event";
import { billedOf, hasNoCache, ledgerPrice } from "../../../src/domain/conversation/ledger";
import { priceOf } from "../../../src/domain/conversation/prices";
import { freeze, thaw } from "../../../src/domain/conversation/snapshot";
import type { Usage } from "../../../src/domain/conversation/usage";
import { loaded, policy, ref, turn, unloaded } from "./activation/events";

const MINUTE = 60_000;
const auto = policy(5, { delivery: "auto", tool_mode: "fixed" });
const cost = { static: 5_000, list: 200 };

const told = (at: number, more: Partial<TurnLedger> = {}): TurnLedger => ({
  at,
  cold: false,
  price: ledgerPrice(priceOf("gpt-5.4")),
  shared: 1_000,
  own: 500,
  history_tokens: null,
  usage: null,
  steps: 0,
  ...more,
});
const big = (name: string) => ({ ...ref(name), tokens: 2_000 });
const begun = (number: number, ledger: TurnLedger, more: object = {}) =>
  turn(number, [], { policy: auto, cost, ledger, ...more });
const used = (fresh: number, cache_read: number, output = 100): Usage => ({
  fresh,
  cache_read,
  cache_write: 0,
  output,
});
const step = (number: number, at: number, usage: Usage, alone = false): ConversationEvent => ({
  type: "step",
  turn: number,
  step: { at, alone },
  usage,
});
const load = (number: number, at: number, name: string): ConversationEvent => ({
  ...(loaded(number, [big(name)], [name]) as Extract<ConversationEvent, { type: "loaded" }>),
  call: `call-${name}`,
  step: { at, alone: true },
});
const bill = (events: ConversationEvent[]) => billedOf(fold(events).ledger);

describe("an estimated bill", () => {
  it("contains the prompt and the messages, read from the cache if they were sent before", () => {
    const first = bill([begun(1, told(0, { history_tokens: 300 }))]);
    expect(first).toMatchObject({ actual: 1_800, paste: 6_300, append_only: 1_800, estimated: false });
    const second = bill([
      begun(1, told(0, { history_tokens: 300 })),
      begun(2, told(MINUTE, { history_tokens: 1_000 })),
    ]);
    // 1 800 and 6 300 are read from the cache for a tenth of the price; 700 are new.
    expect(second).toMatchObject({ actual: 1_800 + 180 + 700, paste: 6_300 + 630 + 700, saved_percent: 64.9 });
  });

  it("contains what the turn asks to append, which the reported history does not", () => {
    const history = { have: null, edits: [], append: { id: "apd_1", names: ["draw"] } };
    const prediction = {
      agent: null,
      skill: {
        ...{ name: "draw", skill_id: "skl_draw", version_id: ref("draw").version_id },
        ...{ probability: 0.9, cost: 1, saved: 1, appended: true },
      },
    };
    const plain = bill([begun(1, told(0, { history_tokens: 300 }))]);
    const appended = begun(1, told(0, { history_tokens: 300 }), { skills: [big("draw")], history, prediction });
    expect(bill([appended]).actual - plain.actual).toBe(2_000);
  });

  it("is a guess if the length of the history is not reported", () => {
    expect(bill([begun(1, told(0))]).estimated).toBe(true);
    expect(bill([begun(1, told(0, { history_tokens: 5 })), begun(2, told(1))]).estimated).toBe(false);
    expect(bill([begun(1, told(0, { history_tokens: 5 })), begun(2, told(1)), begun(3, told(2))]).estimated).toBe(true);
  });

  it("has a step more for a load, which pasting would not", () => {
    const so = [begun(1, told(0, { history_tokens: 300 }))];
    const [before, after] = [bill(so), bill([...so, load(1, 5, "draw")])];
    expect(after.paste).toBe(before.paste);
    // Earlier content is a cache read; the instructions and the call are new.
    expect(after.actual).toBe(before.actual + 180 + 2_060);
    expect(after.append_only).toBe(after.actual);
  });

  it("counts one step for all that it loads", () => {
    const one = bill([begun(1, told(0)), load(1, 5, "a"), load(1, 5, "b")]);
    const two = bill([begun(1, told(0)), load(1, 5, "a"), load(1, 6, "b")]);
    expect(two.actual).toBeGreaterThan(one.actual);
  });

  it("is higher if a load changes text before the history", () => {
    const system = { policy: policy(5), cost };
    const of = (more: object, delivered: string[]) =>
      bill([
        begun(1, told(0, { history_tokens: 20_000 }), more),
        { ...load(1, 5, "draw"), delivered } as ConversationEvent,
      ]);
    const [rewritten, appended] = [of(system, []), of({}, ["draw"])];
    expect(rewritten.append_only).toBe(appended.actual);
    // Of the 21 500 tokens sent before, only the first 1 500 are unchanged.
    expect(rewritten.actual - appended.actual).toBe(0.9 * 20_000);
    expect(rewritten.saved_over_append_percent).toBeLessThan(0);
  });

  it("reads nothing from a cold cache, nor below the minimum cached length", () => {
    const so = (cold: boolean, history_tokens: number) =>
      bill([begun(1, told(0, { history_tokens })), begun(2, told(1, { history_tokens, cold }))]).actual;
    expect(so(true, 300)).toBe(3_600);
    expect(so(false, 300)).toBe(1_980);
    const small = { history_tokens: 10, shared: 0 };
    expect(bill([begun(1, told(0, small)), begun(2, told(1, small))]).actual).toBe(2 * 510);
  });

  it("counts each token once for a model of which no price is known", () => {
    const unknown = { price: ledgerPrice(null), history_tokens: 300 };
    expect(bill([begun(1, told(0, unknown)), begun(2, told(1, unknown))])).toMatchObject({
      actual: 3_600,
      paste: 12_600,
    });
  });
});

describe("a bill that is reported", () => {
  it("is what the provider counted; the other methods differ as modelled", () => {
    const events = [begun(1, told(0)), begun(2, told(MINUTE, { usage: used(1_900, 0) }))];
    const { billed } = fold(events).ledger;
    // 1 900 were sent, 400 of them messages.
    expect(billed).toEqual({ actual: 1_900, paste: 6_400, append_only: 1_900 });
  });

  it("knows how long the history is from it", () => {
    const { open } = fold([begun(1, told(0)), step(1, 5, used(9_500, 0, 100))]).ledger;
    expect(open?.talk).toBe(8_000 + 100);
    expect(
      bill([begun(1, told(0)), step(1, 5, used(9_500, 0)), begun(2, told(9, { usage: used(100, 9_500) }))]),
    ).toMatchObject({
      estimated: false,
    });
  });

  it("gives hours' writes their price", () => {
    const price = ledgerPrice(priceOf("claude-x"));
    const usage = { fresh: 100, cache_read: 1_000, cache_write: 500, long_write: 200, output: 1 };
    const { billed } = fold([begun(1, told(0, { price })), begun(2, told(1, { price, usage }))]).ledger;
    expect(billed.actual).toBe(100 + 100 + 300 * 1.25 + 200 * 2);
  });
});

describe("a caller without a cache", () => {
  const price = ledgerPrice(priceOf("claude-x"));
  const reports = (...reads: number[]) => [
    begun(1, told(0, { price })),
    ...reads.map((read, n) => step(1, (n + 1) * 1_000, used(3_000 - read, read))),
  ];
  const none = (...reads: number[]) => hasNoCache(fold(reports(...reads)).ledger, null);

  it("has reported three times that nothing was read which should have been", () => {
    expect(none(0, 0, 0)).toBe(false);
    expect(none(0, 0, 0, 0)).toBe(true);
    expect(none(0, 0, 0, 0, 2_000)).toBe(false);
    // The current report counts.
    expect(hasNoCache(fold(reports(0, 0, 0)).ledger, used(3_000, 0))).toBe(true);
  });

  it("is not one whose reports come too late, or of whose model nothing is known", () => {
    const slow = [begun(1, told(0, { price })), ...[1, 2, 3, 4, 5].map((n) => step(1, n * 6 * MINUTE, used(3_000, 0)))];
    expect(hasNoCache(fold(slow).ledger, null)).toBe(false);
    const unknown = { price: ledgerPrice(null) };
    const other = [begun(1, told(0, unknown)), ...[1, 2, 3, 4, 5].map((n) => step(1, n * 1_000, used(3_000, 0)))];
    expect(hasNoCache(fold(other).ledger, null)).toBe(false);
  });

  it("is distinguished from a caller whose history alone is not cached", () => {
    const marked = [begun(1, told(0, { price })), step(1, 1_000, used(9_000, 1_500))];
    expect(fold(marked).ledger).toMatchObject({ uncached: true, unread: 0 });
    expect(fold([...marked, step(1, 2_000, used(5, 10_500))]).ledger.uncached).toBe(false);
  });
});

describe("the fold", () => {
  const number = fc.integer({ min: 0, max: 5_000 });
  const usage = fc.option(fc.record({ fresh: number, cache_read: number, cache_write: number, output: number }));
  const model = fc.constantFrom("gpt-5.4", "claude-x", "nobody's");
  const at = fc.integer({ min: 0, max: 3_600_000 });
  const name = fc.constantFrom("a", "b", "c");
  const ledger = fc
    .record({ at, cold: fc.boolean(), model, history_tokens: fc.option(number), usage, steps: fc.nat(3) })
    .map(({ model: of, ...more }) => told(more.at, { ...more, price: ledgerPrice(priceOf(of)) }));
  const event: fc.Arbitrary<ConversationEvent> = fc.oneof(
    fc
      .tuple(ledger, fc.boolean(), fc.boolean())
      .map(([said, history_cut, isAuto]) => begun(1, said, { history_cut, policy: isAuto ? auto : policy(5) })),
    fc.tuple(at, name).map(([when, skill]) => load(1, when, skill)),
    fc.tuple(at, usage, fc.boolean()).map(([when, said, alone]) => step(1, when, said ?? used(1, 2), alone)),
    name.map((skill) => unloaded(1, skill)),
    fc.constant<ConversationEvent>({
      ...{ type: "restored", turn: 3, policy: auto, skills: [], loads: [], preloaded: [], delivered: [] },
    }),
    fc.constant(turn(1)),
  );

  it("gives the same from any snapshot on, and from the log as it is stored", () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 20 }), fc.nat(20), (events, cut) => {
        const stored = events.map((each) => eventSchema.parse(JSON.parse(JSON.stringify(each))));
        const half = thaw(freeze(fold(stored.slice(0, cut))));
        expect(fold(stored.slice(cut), half).ledger).toEqual(fold(events).ledger);
      }),
    );
  });

  it("contains only numbers, and uses reported usage unchanged", () => {
    fc.assert(
      fc.property(
        fc.array(event, { maxLength: 20 }),
        fc.array(fc.tuple(number, number), { minLength: 1, maxLength: 8 }),
        (before, reports) => {
          const so = fold([...before, begun(9, told(0))]);
          const after = fold(
            reports.map(([fresh, read], n) => step(9, n + 1, used(fresh, read))),
            so,
          );
          expect(Object.values(after.ledger.billed).every(Number.isFinite)).toBe(true);
          const counted = reports.reduce((sum, [fresh, read]) => sum + fresh + 0.1 * read, 0);
          expect(after.ledger.billed.actual - so.ledger.billed.actual).toBeCloseTo(counted, 3);
        },
      ),
    );
  });

  it("is never dearer than appending where nothing but appending happens", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), name), { maxLength: 15 }), (happened) => {
        const events = happened.map(([loads, skill], n) =>
          loads ? load(1, n + 1, skill) : begun(1, told(n + 1), { skills: ["a", "b", "c"].map(big) }),
        );
        const { actual, append_only } = bill([begun(1, told(0)), ...events]);
        expect(actual).toBeLessThanOrEqual(append_only);
      }),
    );
  });

  it("counts nothing of a log of before", () => {
    expect(bill([turn(1), loaded(1, [big("a")]), turn(2)])).toMatchObject({ actual: 0, paste: 0, saved_percent: 0 });
  });
});
