// The billed tokens of a conversation: as callers report them, and as an estimate where they do not.

import { afterEach, describe, expect, it } from "vitest";
import { holdClock, pass, releaseClock } from "../../support/clock";
import { type Body, load, named, someone } from "../../support/users";

interface Billed {
  actual: number;
  paste: number;
  append_only: number;
  estimated: boolean;
  saved_percent: number;
  saved_over_append_percent: number;
  price: string;
}
type User = ReturnType<typeof someone>;

async function chatter() {
  const user = someone();
  await user.seed({ name: "wiki", body: "Write wiki pages.", tokens: 4_000 });
  await user.seed({ name: "table", body: "Draw tables.", tokens: 4_000 });
  return user;
}

const tokensOf = async (user: User, id = "c") =>
  ((await user.get(`/${id}`)) as Body & { tokens: { saved_percent: number; billed: Billed } }).tokens;
const turn = { format: "openai", model: "gpt-5.4", conversation: { delivery: "auto" } };
const claude = { format: "anthropic", model: "claude-opus-5-5", conversation: {} };

afterEach(releaseClock);

describe("the bill of a conversation", () => {
  it("stands in its status beside the tokens that were always there, for a caller that reports nothing", async () => {
    const user = await chatter();
    await user.turn("c", turn);
    await user.calls("c", load("wiki"));
    const { billed, ...rest } = await tokensOf(user);
    expect(rest).toEqual({ static: 8_000, actual: expect.any(Number), saved_percent: expect.any(Number) });
    expect(billed).toMatchObject({
      estimated: true,
      price: expect.stringMatching(/^gpt-5\*, checked 2026-\d\d-\d\d: /),
    });
    // Pasting sends 8 000 tokens once. Skills on demand send a list, one more step, and 4 000 tokens.
    expect(billed.paste).toBeGreaterThan(8_000);
    expect(billed.actual).toBeGreaterThan(4_000);
    expect(billed.saved_percent).toBe(Math.round((1 - billed.actual / billed.paste) * 1_000) / 10);
    expect(billed.saved_over_append_percent).toBe(0);
  });

  it("reports that no price is known for an unknown or unnamed model", async () => {
    const user = await chatter();
    await user.turn("c", { ...turn, model: "llama-9" });
    await user.turn("d", { conversation: {} });
    const prices = await Promise.all(["c", "d"].map(async (id) => (await tokensOf(user, id)).billed.price));
    expect(prices).toEqual(["no price known", "no price known"]);
  });

  it("is the default delivery's too, and less than nothing is saved where that is so", async () => {
    const user = await chatter();
    const system = { ...turn, conversation: { delivery: "system" } };
    await user.turn("c", { ...system, history_tokens: 60_000 });
    await user.calls("c", load("wiki"));
    expect((await tokensOf(user)).billed).toMatchObject({ estimated: false });
    expect((await tokensOf(user)).billed.saved_percent).toBeLessThan(0);
  });

  it("warns about prices that were not checked for half a year", async () => {
    const user = await chatter();
    await user.turn("c", turn);
    const codes = async () => (await user.get("/c")).warnings.map(({ code }) => code);
    expect(await codes()).toEqual([]);
    holdClock();
    pass(200 * 86_400_000);
    expect(await codes()).toContain("PRICE_OLD");
  });

  it("is available for any earlier turn", async () => {
    const user = await chatter();
    await user.turn("c", { ...turn, history_tokens: 100 });
    const first = (await tokensOf(user)).billed;
    await user.turn("c", { ...turn, history_tokens: 900 });
    const past = (await user.get("/c/at/1")) as Body & { tokens: { billed: Billed } };
    expect(past.tokens.billed).toEqual(first);
    expect((await tokensOf(user)).billed.actual).toBeGreaterThan(first.actual);
  });
});

describe("a report", () => {
  it.each<[string, object]>([
    ["OpenAI's chat", { prompt_tokens: 9_000, completion_tokens: 50, prompt_tokens_details: { cached_tokens: 1_024 } }],
    ["OpenAI's responses", { input_tokens: 9_000, output_tokens: 50, input_tokens_details: { cached_tokens: 1_024 } }],
    [
      "Anthropic",
      { input_tokens: 7_976, output_tokens: 50, cache_read_input_tokens: 1_024, cache_creation_input_tokens: 0 },
    ],
    ["our own", { fresh: 7_976, cache_read: 1_024, cache_write: 0, output: 50 }],
  ])("in the form of %s is the bill, in a step and in a turn", async (_, usage) => {
    const user = await chatter();
    await user.turn("c", turn);
    await user.post("/c/tool-calls", { calls: [named("read_skill", { skill_name: "wiki" })], usage });
    await user.turn("c", { ...turn, usage });
    // Only the open request of this turn is estimated.
    const { billed } = await tokensOf(user);
    const open = (await tokensOf(user)).billed.actual - 2 * (7_976 + 102.4);
    expect(billed.estimated).toBe(false);
    expect(open).toBeGreaterThan(0);
    expect(open).toBeLessThan(2_000);
    const { events } = await user.get("/c/events");
    expect(events.filter(({ type }) => type === "step")).toMatchObject([
      { usage: { fresh: 7_976, cache_read: 1_024, output: 50 }, step: { alone: false } },
    ]);
  });

  it("that comes again with the same calls is counted once", async () => {
    const user = await chatter();
    await user.turn("c", turn);
    const step = { calls: [load("wiki")], usage: { fresh: 1_000, cache_read: 0, cache_write: 0, output: 10 } };
    await user.post("/c/tool-calls", step);
    const before = await tokensOf(user);
    await user.post("/c/tool-calls", step);
    expect(await tokensOf(user)).toEqual(before);
  });

  it.each<[string, object]>([
    ["nothing known", { total: 5 }],
    ["a negative number", { prompt_tokens: -5 }],
    ["more cached than sent", { input_tokens: 5, input_tokens_details: { cached_tokens: 6 } }],
    ["a part of our own", { fresh: 5 }],
  ])("with %s is rejected, with the allowed values", async (_, usage) => {
    const user = await chatter();
    await user.turn("c", turn);
    for (const [path, body] of [
      ["/c/turns", { ...turn, usage }],
      ["/c/tool-calls", { calls: [load("wiki")], usage }],
    ] as const) {
      const answer = await user.send("POST", path, body);
      expect(answer).toMatchObject({ status: 400, body: { code: "INVALID_REQUEST", issues: [{ path: "usage" }] } });
      expect(answer.text).toMatch(/`usage|cached/);
    }
    expect((await user.get("/c")).turn).toBe(1);
    expect((await user.send("POST", "/c/turns", { ...turn, usage: "much" })).status).toBe(400);
    expect((await user.send("POST", "/c/turns", { ...turn, history_tokens: -1 })).status).toBe(400);
  });
});

describe("a provider that caches less than it could", () => {
  it("is warned about where reports show that only the front is cached", async () => {
    const user = await chatter();
    await user.turn("c", claude);
    const usage = {
      input_tokens: 8_000,
      output_tokens: 10,
      cache_read_input_tokens: 1_300,
      cache_creation_input_tokens: 0,
    };
    const step = await user.post("/c/tool-calls", { calls: [load("wiki")], format: "anthropic", usage });
    expect(step.warnings).toMatchObject([{ code: "HISTORY_NOT_CACHED" }]);
    const next = await user.turn("c", {
      ...claude,
      usage: { ...usage, input_tokens: 3, cache_read_input_tokens: 12_000 },
    });
    expect(next.warnings).toEqual([]);
    const again = await user.turn("c", { ...claude, usage: { ...usage, input_tokens: 12_000 } });
    expect(again.warnings).toMatchObject([{ code: "HISTORY_NOT_CACHED" }]);
    // No warning for providers that set cache markers themselves, because the caller cannot change them.
    await user.turn("d", turn);
    expect((await user.turn("d", { ...turn, usage })).warnings).toEqual([]);
  });

  it("is cold at every turn after three reports that nothing was read", async () => {
    const user = await chatter();
    const settings = { ...claude, conversation: { retention_turns: 0 } };
    const usage = {
      input_tokens: 9_000,
      output_tokens: 10,
      cache_read_input_tokens: 0,
      cache_creation_input_tokens: 0,
    };
    await user.turn("c", settings);
    await user.post("/c/tool-calls", { calls: [load("wiki")], usage });
    expect(await user.turn("c", { ...settings, usage })).not.toHaveProperty("context_edits");
    expect(await user.turn("c", { ...settings, usage })).not.toHaveProperty("context_edits");
    const cold = await user.turn("c", { ...settings, usage });
    expect(cold).toMatchObject({ context_edits: [{ content: expect.stringContaining("were removed here") }] });
  });
});
