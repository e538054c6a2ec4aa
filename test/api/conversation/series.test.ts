// Token counts of a conversation per turn. They add up to the totals in its status, for every way to request them. The matrix covers
// access.

import { expect, it } from "vitest";
import { type Body, load, someone } from "../../support/users";

interface Ways {
  actual: number;
  paste: number;
  append_only: number;
}

interface Point {
  seq: number;
  turn: number;
  restored: boolean;
  loaded: string[];
  active: string[];
  tokens: { static: number; actual: number };
  billed: Ways;
  requests: number;
  sent: Ways | null;
  usage: { fresh: number; cache_read: number; cache_write: number; output: number } | null;
}

type User = ReturnType<typeof someone>;
type Series = { turns: Point[]; next_cursor: number | null };

const turn = { format: "openai", model: "gpt-5.4", conversation: { delivery: "auto", retention_turns: 1 } };
const series = async (user: User, query = "") => (await user.get(`/c/series${query}`)) as unknown as Series;
const status = async (user: User) =>
  (await user.get("/c")) as Body & { tokens: { static: number; actual: number; billed: Ways } };
const usage = (fresh: number, cached: number) => ({
  ...{ prompt_tokens: fresh + cached, completion_tokens: 7 },
  prompt_tokens_details: { cached_tokens: cached },
});

async function chatter(): Promise<User> {
  const user = someone();
  await user.seed({ name: "wiki", body: "Write wiki pages.", tokens: 4_000 });
  await user.seed({ name: "table", body: "Draw tables.", tokens: 4_000 });
  return user;
}

/** A turn that loads, one that reports what was used, and one that just began. */
async function threeTurns(): Promise<User> {
  const user = await chatter();
  await user.turn("c", turn);
  await user.post("/c/tool-calls", { calls: [load("wiki")], usage: usage(900, 0) });
  await user.turn("c", { ...turn, usage: usage(4_200, 800) });
  await user.turn("c", turn);
  return user;
}

it("adds up to the status, and has loads, reports and requests in their turns", async () => {
  const user = await threeTurns();
  const { turns, next_cursor } = await series(user);
  expect(next_cursor).toBeNull();
  expect(turns.map((point) => [point.turn, point.loaded, point.active, point.requests])).toEqual([
    [1, ["wiki"], ["wiki"], 2],
    [2, [], ["wiki"], 1],
    [3, [], [], 1],
  ]);
  expect(turns.map((point) => point.usage)).toEqual([
    { fresh: 5_100, cache_read: 800, cache_write: 0, output: 14 },
    null,
    null,
  ]);
  // The provider reported the size of the first turn's last request.
  expect(turns[0]!.sent!.actual).toBe(5_000);
  const { tokens } = await status(user);
  for (const way of ["actual", "paste", "append_only"] as const)
    expect([way, turns.reduce((sum, point) => sum + point.billed[way], 0)]).toEqual([way, tokens.billed[way]]);
  for (const count of ["static", "actual"] as const)
    expect([count, turns.reduce((sum, point) => sum + point.tokens[count], 0)]).toEqual([count, tokens[count]]);
});

it("is the same page by page, and changes nothing", async () => {
  const user = await threeTurns();
  const [before, whole] = [await status(user), await series(user)];
  const paged: Point[] = [];
  const sizes: number[] = [];
  for (let after: number | null = 0; after !== null; ) {
    const page: Series = await series(user, `?after=${after}&limit=1`);
    sizes.push(page.turns.length);
    paged.push(...page.turns);
    after = page.next_cursor;
  }
  expect(sizes).toEqual([1, 1, 1]);
  expect(paged).toEqual(whole.turns);
  expect(await status(user)).toEqual(before);
  const beyond = await series(user, "?after=9007199254740991");
  expect(beyond).toEqual({ turns: [], next_cursor: null });
});

it("shows a restored history as one, and the turns after it", async () => {
  const user = await threeTurns();
  await user.post("/c/restore", { history: [{ role: "user", content: "Hello." }] });
  await user.turn("c", turn);
  const { turns } = await series(user);
  expect(turns.map((point) => [point.turn, point.restored, point.requests])).toEqual([
    [1, false, 2],
    [2, false, 1],
    [3, false, 1],
    // The point of the restore, with the turn that the restored history reaches.
    [0, true, 0],
    [1, false, 1],
  ]);
  expect(turns[3]).toMatchObject({ billed: { actual: 0, paste: 0, append_only: 0 }, sent: null, usage: null });
  const { tokens } = await status(user);
  expect(turns.reduce((sum, point) => sum + point.billed.actual, 0)).toBe(tokens.billed.actual);
});
