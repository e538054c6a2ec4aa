// Random conversations against the naive model in `test/support/model.ts`, over HTTP, with evictions at random points.
// `VITE_CONVERSATIONS=1000 npx vitest run --project worker test/services/conversation/model.test.ts` runs the full thousand;
// `VITE_SEED=<seed>` runs other ones. The default does not change, so that CI does not fail by chance.

import fc from "fast-check";
import { expect, it } from "vitest";
import { meaning, messages } from "../../support/histories";
import type { ConversationModel, ModelSettings } from "../../support/model";
import { BLUEPRINTS, type Operation, operation, settings } from "../../support/model-operations";
import { World, wire } from "../../support/model-world";

const given = import.meta as unknown as { env: Record<string, string | undefined> };
const CONVERSATIONS = Number(given.env.VITE_CONVERSATIONS ?? 10);
const SEED = Number(given.env.VITE_SEED ?? 20_261_126);
const OPERATIONS = 50;

function formed(form: string, id: string, tool: string, args: object): object {
  if (form === "openai") return { id, type: "function", function: { name: tool, arguments: JSON.stringify(args) } };
  if (form === "responses") return { type: "function_call", call_id: id, name: tool, arguments: JSON.stringify(args) };
  if (form === "anthropic") return { type: "tool_use", id, name: tool, input: args };
  if (form === "ai-sdk") return { type: "tool-call", toolCallId: id, toolName: tool, input: args };
  return { id, name: tool, arguments: args };
}

/** The bodies in the prompt are those of the active skills, each at the version of this turn. */
function expectPrompt(model: ConversationModel, system: string): void {
  const bodies = [...system.matchAll(/^## Skill: (.*)\n\n(.*)$/gm)].map(([, title, body]) => `${title}: ${body}`);
  const expected = model
    .active()
    .filter(({ skill }) => BLUEPRINTS.find((blueprint) => blueprint.name === skill)?.hasBody)
    .map(({ skill, version }) => `${skill}: ${skill} at ${version}`);
  expect(bodies).toEqual(expected);
}

function passOf(world: World): string {
  return `turn ${world.model.turn} after ${world.restores} restores`;
}

function callsOf(op: Extract<Operation, { do: "calls" }>, ids: readonly string[]): object[] {
  return op.calls.map((each, index) => {
    const args = { skill_name: each.name, ...(each.tool === "read_skill" ? { file_path: "notes.md" } : {}) };
    // Each call without an id is a new one.
    return formed(op.form, op.named ? (ids[index] ?? "") : "", each.tool, args);
  });
}

/** One model step: loads and unloads in order, then the rest; results in the order of the calls. */
async function callTools(world: World, op: Extract<Operation, { do: "calls" }>, ids: string[]): Promise<void> {
  const { model } = world;
  model.lose();
  const answer = await world.send("POST", "/tool-calls", { calls: callsOf(op, ids) });
  const expected = new Map<number, boolean>();
  const indexed = [...op.calls.entries()];
  for (const [index, { tool, name: skill }] of indexed) {
    if (tool === "load_skill") expected.set(index, model.load(skill));
    if (tool === "unload_skill") expected.set(index, model.unload(skill));
  }
  for (const [index, { tool, name: skill }] of indexed)
    if (tool === "read_skill") expected.set(index, model.read(skill));
  expect(answer.results.map((result) => result.isError !== true)).toEqual(
    indexed.map(([index]) => expected.get(index)),
  );
  expect([...answer.loaded_skills].sort()).toEqual(model.loadedInThisTurn().sort());
  expectPrompt(model, answer.prompt.system);
  world.lastCalls = op.named ? { op, ids, pass: passOf(world), results: answer.results } : null;
}

async function perform(world: World, op: Operation): Promise<void> {
  const { model } = world;
  switch (op.do) {
    case "turn": {
      const key = op.key === null ? null : `key-${op.key}`;
      model.beginTurn(key, op.selected, op.history === null ? null : meaning(op.history));
      model.lose();
      const answer = await world.send("POST", "/turns", {
        ...(key === null ? {} : { key }),
        ...(op.history === null ? {} : { history: messages(op.history) }),
        selected_skills: op.selected,
      });
      expectPrompt(model, answer.prompt.system);
      return;
    }
    case "calls":
      return callTools(
        world,
        op,
        op.calls.map(() => `call-${world.calls++}`),
      );
    case "again": {
      const { lastCalls } = world;
      if (lastCalls === null) return;
      // In another turn, or another pass over it, an id is a new call.
      if (lastCalls.pass !== passOf(world)) return callTools(world, lastCalls.op, lastCalls.ids);
      world.model.lose();
      const answer = await world.send("POST", "/tool-calls", { calls: callsOf(lastCalls.op, lastCalls.ids) });
      // Repeated loads and unloads return the stored result without effect; reads are run again.
      for (const [index, { tool, name: skill }] of lastCalls.op.calls.entries()) {
        if (tool !== "read_skill") expect(answer.results[index]).toEqual(lastCalls.results[index]);
        else expect(answer.results[index]?.isError !== true).toBe(world.model.read(skill));
      }
      return;
    }
    case "settings":
      model.settings = op.settings;
      await world.send("PUT", "", wire(op.settings));
      return;
    case "restore":
      model.restore(meaning(op.script));
      await world.send("POST", "/restore", { history: messages(op.script) });
      world.restores++;
      return;
    case "publish":
      return world.publish(op.name, op.major, op.fits);
    case "delete":
      return world.remove(op.name);
    case "create":
      return world.create(op.name, false);
    case "shadow":
      return world.create(op.name, true);
    case "evict":
      return world.evict();
  }
}

/** Runs a conversation; returns the failure and its operation, or `null`. */
async function play(initial: ModelSettings, all: readonly Operation[]): Promise<{ at: number; error: unknown } | null> {
  const world = new World(initial);
  await world.start();
  for (const [at, op] of all.entries()) {
    try {
      await perform(world, op);
      await world.compare(at === all.length - 1 || op.do === "evict");
    } catch (error) {
      return { at, error };
    }
  }
  await world.evict();
  return world.compare(true).then(
    () => null,
    (error: unknown) => ({ at: all.length, error }),
  );
}

/** Returns the failing conversation without the operations that are not needed for the failure. */
async function reduced(initial: ModelSettings, all: readonly Operation[], at: number): Promise<Operation[]> {
  let kept = all.slice(0, at + 1);
  for (let index = kept.length - 1; index >= 0; index--) {
    const without = kept.toSpliced(index, 1);
    if ((await play(initial, without)) !== null) kept = without;
  }
  return kept;
}

it(`${CONVERSATIONS} random conversations of ${OPERATIONS} operations equal the model`, {
  tags: ["slow"],
  timeout: 60_000 + CONVERSATIONS * 5_000,
}, async () => {
  const operations = fc.array(operation, { minLength: OPERATIONS, maxLength: OPERATIONS });
  let done = 0;
  await fc.assert(
    fc.asyncProperty(settings, operations, async (initial, all) => {
      const failure = await play(initial, all);
      if (++done % 100 === 0) console.log(`${done} conversations`);
      if (failure === null) return;
      const story = (await reduced(initial, all, failure.at)).map((op) => JSON.stringify(op));
      throw new Error(
        [`seed ${SEED}, conversation ${done}`, JSON.stringify(initial), ...story, failure.error].join("\n"),
      );
    }),
    { numRuns: CONVERSATIONS, seed: SEED, endOnFailure: true },
  );
});
