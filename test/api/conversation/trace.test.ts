// The trace of a turn: of the current one, of past ones, and after the object of the conversation was evicted.

import { expect, it } from "vitest";
import { evict } from "../../support/clock";
import { load, someone } from "../../support/users";

interface Step {
  kind: string;
  name: string | null;
  skill: string | null;
  at: string;
  ms: number | null;
  state: string;
  tokens: number | null;
  error: string | null;
}

type User = ReturnType<typeof someone>;
const steps = async (user: User, turn: number) =>
  ((await user.get(`/c/at/${turn}`)) as unknown as { steps: Step[] }).steps;
const calls = (all: readonly Step[]) => all.filter(({ kind }) => kind !== "model");
const brief = (all: readonly Step[]) => calls(all).map(({ kind, name, skill, state }) => [kind, name, skill, state]);

/** Loads a skill, reads a file that does not exist, and begins another turn. */
async function talked(): Promise<User> {
  const user = someone();
  await user.seed({ name: "wiki", body: "Write wiki pages.", tokens: 4_000 });
  await user.turn("c", { conversation: {} });
  await user.post("/c/tool-calls", { calls: [load("wiki")] });
  const missing = { id: "missing", name: "read_skill", arguments: { skill_name: "wiki", file_path: "no.md" } };
  await user.post("/c/tool-calls", { calls: [missing], usage: { prompt_tokens: 900, completion_tokens: 7 } });
  return user;
}

const MADE = [
  ["load", "load_skill", "wiki", "done"],
  ["tool", "read_skill", "wiki", "failed"],
];

it("has the calls of the current turn, and the same after the next turn began", async () => {
  const user = await talked();
  const now = await steps(user, 1);
  expect(brief(now)).toEqual(MADE);
  const [loaded, read] = calls(now);
  expect(loaded).toMatchObject({ tokens: expect.any(Number), error: null });
  expect(read?.error).toContain("no.md");
  expect(now.every(({ ms, at }) => ms === null || (ms >= 0 && Date.parse(at) > 0))).toBe(true);
  await user.turn("c");
  await evict("c", "hibernate", user.name);
  expect(calls(await steps(user, 1))).toEqual(calls(now));
  expect(calls(await steps(user, 2))).toEqual([]);
  // The log reports it with the next turn, so a turn costs no further row.
  const { events } = await user.get("/c/events");
  expect(events.map(({ type }) => type)).toEqual(["turn", "loaded", "step", "turn"]);
});

it("has the usage of each request as the tokens of the model", async () => {
  const user = await talked();
  await user.turn("c", { usage: { prompt_tokens: 1_000, completion_tokens: 5 } });
  const model = (await steps(user, 1)).filter(({ kind }) => kind === "model");
  expect(model.map(({ tokens }) => tokens).filter((tokens) => tokens !== null)).toEqual([907, 1_005]);
});

it("keeps the calls whose results an evicted object had stored", async () => {
  const user = await talked();
  await evict("c", "hibernate", user.name);
  expect(brief(await steps(user, 1))).toEqual(MADE.slice(0, 1));
  await user.turn("c");
  expect(brief(await steps(user, 1))).toEqual(MADE.slice(0, 1));
});

it("has no calls of a turn that was undone", async () => {
  const user = await talked();
  await user.post("/c/restore", { history: [{ role: "user", content: "Hello" }] });
  expect(calls(await steps(user, 1))).toEqual([]);
});
