// Random conversations against the naive model in `test/support/model.ts`, over HTTP, with evictions at random points.
// `VITE_CONVERSATIONS=1000 npx vitest run --project worker test/services/conversation/model.test.ts` runs the full thousand;
// `VITE_SEED=<seed>` repeats a run.

import { evictDurableObject } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import fc from "fast-check";
import { expect, it } from "vitest";
import { ADMIN_KEY } from "../../support/call";
import { meaning, messages, type Script } from "../../support/histories";
import { ConversationModel, type ModelSettings, type ModelSkill } from "../../support/model";
import { clearRegistry, deleteSkill, type SeededSkill, seedSkill, seedVersion } from "../../support/registry";

const given = import.meta as unknown as { env: Record<string, string | undefined> };
const CONVERSATIONS = Number(given.env.VITE_CONVERSATIONS ?? 50);
const SEED = given.env.VITE_SEED;
const OPERATIONS = 50;

/** The skills of every world. Two need others, one of them by a range; one brings only tools, one nothing at all. */
const BLUEPRINTS: { name: string; needs: string[]; tokens: number; hasBody: boolean; hasTools: boolean }[] = [
  { name: "base", needs: [], tokens: 10, hasBody: true, hasTools: false },
  { name: "chart", needs: ["base"], tokens: 20, hasBody: true, hasTools: false },
  { name: "draw", needs: [], tokens: 30, hasBody: true, hasTools: true },
  { name: "essay", needs: ["chart", "draw"], tokens: 40, hasBody: true, hasTools: false },
  { name: "first", needs: ["base@^1"], tokens: 50, hasBody: true, hasTools: false },
  { name: "gear", needs: [], tokens: 0, hasBody: false, hasTools: true },
  { name: "hollow", needs: [], tokens: 0, hasBody: false, hasTools: false },
  { name: "island", needs: ["nowhere"], tokens: 5, hasBody: true, hasTools: false },
  { name: "jolly", needs: [], tokens: 60, hasBody: true, hasTools: false },
];
const NAMES = [...BLUEPRINTS.map((blueprint) => blueprint.name), "nowhere"];

// --- what may happen

const name = fc.constantFrom(...NAMES);
const names = fc.uniqueArray(name, { maxLength: 3 });
const steps = fc.array(
  fc.record({ what: fc.constantFrom("load", "load", "load", "failed", "unload"), name }) as fc.Arbitrary<
    Script["turns"][0][0]
  >,
  { maxLength: 4 },
);
const script: fc.Arbitrary<Script> = fc.record({
  form: fc.constantFrom("openai", "responses", "anthropic", "ai-sdk", "mcp"),
  kind: fc.constantFrom("structured", "calls", "both", "turn-about", "text"),
  turns: fc.array(steps, { maxLength: 7 }),
  greeting: fc.boolean(),
  trailing: fc.boolean(),
  quotes: name,
});
const settings: fc.Arbitrary<ModelSettings> = fc
  .record({
    retention: fc.constantFrom(0, 1, 2, 3, 5, 5, "conversation" as const),
    maxSkills: fc.constantFrom(null, null, null, 1, 2, 3, 4),
    maxTokens: fc.constantFrom(null, null, null, 45, 90, 120),
    skills: fc.option(fc.uniqueArray(name, { minLength: 3, maxLength: 8 }), { nil: null, freq: 3 }),
    preload: fc.uniqueArray(name, { maxLength: 2 }),
  })
  .map((made) => {
    const { skills } = made;
    return {
      ...made,
      preload: skills === null ? made.preload : made.preload.filter((entry) => skills.includes(entry)),
    };
  });
const toolCall = fc.record({
  tool: fc.constantFrom("load_skill", "load_skill", "load_skill", "unload_skill", "read_skill"),
  name,
});

type Operation = typeof operation extends fc.Arbitrary<infer Made> ? Made : never;
const operation = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({
      do: fc.constant("turn" as const),
      key: fc.option(fc.integer({ min: 0, max: 12 }), { nil: null }),
      selected: fc.oneof({ weight: 4, arbitrary: fc.constant<string[]>([]) }, { weight: 1, arbitrary: names }),
      history: fc.option(script, { nil: null, freq: 8 }),
    }),
  },
  {
    weight: 22,
    arbitrary: fc.record({
      do: fc.constant("calls" as const),
      calls: fc.array(toolCall, { minLength: 1, maxLength: 3 }),
      form: fc.constantFrom("plain", "openai", "responses", "anthropic", "ai-sdk"),
      named: fc.boolean(),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("again" as const) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("settings" as const), settings }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("publish" as const),
      name,
      major: fc.nat(3).map((n) => n === 0),
      fits: fc.nat(5).map((n) => n !== 0),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("delete" as const), name }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("create" as const), name }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("shadow" as const), name: fc.constantFrom("draw", "jolly") }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant("restore" as const), script }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant("evict" as const) }) },
);

// --- the real thing, and the model beside it

let conversations = 0;

class World {
  readonly user = `model-${conversations}`;
  readonly id = `c${conversations++}`;
  readonly registry: ModelSkill[] = [];
  readonly rows = new Map<string, SeededSkill>();
  readonly model: ConversationModel;
  lastCalls: {
    op: Extract<Operation, { do: "calls" }>;
    ids: string[];
    pass: string;
    results: Answer["results"];
  } | null = null;
  restores = 0;
  calls = 0;
  published = 0;

  constructor(initial: ModelSettings) {
    this.model = new ConversationModel(this.registry, initial);
  }

  async send(method: string, path: string, json?: unknown): Promise<Answer> {
    // Not `call`: holding each of a hundred thousand answers against the OpenAPI document would take most of the time.
    const response = await exports.default.fetch(`https://gateway.test/api/v1/conversations/${this.id}${path}`, {
      method,
      headers: { authorization: `Bearer ${ADMIN_KEY}`, "on-behalf-of": this.user, "content-type": "application/json" },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    });
    const text = await response.text();
    if (response.status >= 300) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text);
  }

  async start(): Promise<void> {
    await clearRegistry();
    await Promise.all(BLUEPRINTS.map((blueprint) => this.create(blueprint.name, false)));
    await this.send("PUT", "", wire(this.model.settings));
  }

  async create(skillName: string, own: boolean): Promise<void> {
    const blueprint = BLUEPRINTS.find((known) => known.name === skillName);
    if (blueprint === undefined || this.registry.some((skill) => skill.name === skillName && skill.own === own)) return;
    const { needs, tokens, hasBody, hasTools } = blueprint;
    const version = { label: `1.${this.published++}.0`, tokens, needs: [...needs], fits: true };
    const scope = own ? `user:${this.user}` : "public";
    const row = await seedSkill({
      name: skillName,
      scope,
      capabilities: hasTools,
      ...seedOf(skillName, version, hasBody),
    });
    this.registry.push({ id: row.id, name: skillName, own, versions: [version], hasBody, hasTools });
    this.rows.set(row.id, row);
  }

  async publish(skillName: string, major: boolean, fits: boolean): Promise<void> {
    const skill = this.registry.find((known) => known.name === skillName);
    const row = this.rows.get(skill?.id ?? "");
    // A shadowed skill stays as it is: whether an older version of it still counts is not the model's to say.
    if (
      skill === undefined ||
      row === undefined ||
      (!fits && this.registry.filter((s) => s.name === skillName).length > 1)
    )
      return;
    const last = skill.versions.at(-1);
    if (last === undefined) return;
    const number = Number(last.label.split(".")[0]) + (major ? 1 : 0);
    const version = { ...last, label: `${number}.${this.published++}.0`, fits };
    this.rows.set(
      skill.id,
      await seedVersion(row, { capabilities: skill.hasTools, ...seedOf(skillName, version, skill.hasBody) }),
    );
    skill.versions.push(version);
  }

  async remove(skillName: string): Promise<void> {
    const index = this.registry.findIndex((known) => known.name === skillName);
    const [skill] = index < 0 ? [] : this.registry.splice(index, 1);
    const row = this.rows.get(skill?.id ?? "");
    if (row !== undefined) await deleteSkill(row);
  }

  async evict(): Promise<void> {
    await evictDurableObject(env.CONVERSATIONS.getByName(JSON.stringify([this.user, this.id])));
  }

  /** The whole visible state, now and at every turn that ever was. */
  async compare(everything: boolean): Promise<void> {
    const { model } = this;
    const now = await this.send("GET", "");
    model.note();
    expect({ turn: now.turn, active: now.active.map(bare) }).toEqual({ turn: model.turn, active: model.seen() });
    for (const seen of everything ? model.past : []) {
      const then = await this.send("GET", `/at/${seen.turn}`);
      expect({ at: seen.turn, active: then.active.map(bare) }).toEqual({ at: seen.turn, active: seen.active });
    }
  }
}

interface Answer {
  turn: number;
  active: { tokens?: number }[];
  prompt: { system: string };
  results: { isError?: boolean }[];
  loaded_skills: string[];
}

function bare(active: object): object {
  const { tokens: _, ...rest } = active as { tokens: number };
  return rest;
}

function seedOf(
  skillName: string,
  version: { label: string; tokens: number; needs: string[]; fits: boolean },
  hasBody: boolean,
) {
  return {
    version: version.label,
    tokens: version.tokens,
    dependencies: version.needs,
    bindShells: version.fits ? null : ["Elsewhere"],
    body: hasBody ? `${skillName} at ${version.label}` : "",
    files: { "notes.md": "Notes." },
  };
}

function wire(made: ModelSettings): object {
  const spec = { systemPrompt: "You help.", skills: made.skills ?? ["*"], preload_skills: made.preload };
  return {
    spec,
    retention_turns: made.retention,
    ...(made.maxSkills === null ? {} : { max_active_skills: made.maxSkills }),
    ...(made.maxTokens === null ? {} : { max_skill_tokens: made.maxTokens }),
  };
}

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
    // A call without an id is a new one each time.
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
      // In another turn, or another pass over the same one, an id means nothing.
      if (lastCalls.pass !== passOf(world)) return callTools(world, lastCalls.op, lastCalls.ids);
      world.model.lose();
      const answer = await world.send("POST", "/tool-calls", { calls: callsOf(lastCalls.op, lastCalls.ids) });
      // Loading and unloading are answered from the store and have no effect again; reading is done again, as of now.
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

/** Plays a conversation; what went wrong and at which operation, or `null`. */
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

/** The failing conversation with every operation left out that it can fail without. */
async function reduced(initial: ModelSettings, all: readonly Operation[], at: number): Promise<Operation[]> {
  let kept = all.slice(0, at + 1);
  for (let index = kept.length - 1; index >= 0; index--) {
    const without = kept.toSpliced(index, 1);
    if ((await play(initial, without)) !== null) kept = without;
  }
  return kept;
}

it(
  `${CONVERSATIONS} random conversations of ${OPERATIONS} operations are as the model says`,
  async () => {
    const operations = fc.array(operation, { minLength: OPERATIONS, maxLength: OPERATIONS });
    const seed = SEED === undefined ? Date.now() & 0x7fffffff : Number(SEED);
    let done = 0;
    await fc.assert(
      fc.asyncProperty(settings, operations, async (initial, all) => {
        const failure = await play(initial, all);
        if (++done % 100 === 0) console.log(`${done} conversations`);
        if (failure === null) return;
        const story = (await reduced(initial, all, failure.at)).map((op) => JSON.stringify(op));
        throw new Error(
          [`seed ${seed}, conversation ${done}`, JSON.stringify(initial), ...story, failure.error].join("\n"),
        );
      }),
      { numRuns: CONVERSATIONS, seed, endOnFailure: true },
    );
  },
  60_000 + CONVERSATIONS * 5_000,
);
