// Operations of a random conversation, for fast-check.

import fc from "fast-check";
import type { Script } from "./histories";
import type { ModelSettings } from "./model";

/** The skills of every world. Two have dependencies, one of them a version range. One has only tools, one has nothing. */
export const BLUEPRINTS: { name: string; needs: string[]; tokens: number; hasBody: boolean; hasTools: boolean }[] = [
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

export const name = fc.constantFrom(...NAMES);
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
export const settings: fc.Arbitrary<ModelSettings> = fc
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

export type Operation = typeof operation extends fc.Arbitrary<infer Made> ? Made : never;
export const operation = fc.oneof(
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
