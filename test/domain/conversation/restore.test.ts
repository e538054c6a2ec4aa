import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { remainingTurns } from "../../../src/domain/conversation/activation";
import { readHistory } from "../../../src/domain/conversation/restore";
import type { JsonValue } from "../../../src/domain/json";

/** `<turns>: name@turn …`, newest load first. */
function restored(history: JsonValue[]): string {
  const { turns, loads } = readHistory(history);
  return `${turns}:${loads.map((load) => ` ${load.name}@${load.turn}`).join("")}`;
}

const LOADED = "Skill 'x' has been loaded. The instructions have been added to the system prompt.";
const REFUSED = "Error: Skill 'x' is not available. Available skills: none";
const args = JSON.stringify({ skill_name: "x" });

const user = (content: JsonValue = "Do it"): JsonValue => ({ role: "user", content });
const assistant = (content: JsonValue = "Done.", more: { [key: string]: JsonValue } = {}): JsonValue => ({
  role: "assistant",
  content,
  ...more,
});
const noted = (...names: string[]) => assistant("Done.", { loaded_skills: names });

/** Each message is checked for itself: inferred together they would be one odd type. */
const chain = (...messages: JsonValue[]): JsonValue[] => messages;

/** The same load and its answer in every format. */
const FORMS: Record<
  string,
  (tool: string, input: { [key: string]: JsonValue }, answer: string, failed: boolean) => JsonValue[]
> = {
  "OpenAI chat": (name, input, answer) => [
    assistant(null, {
      tool_calls: [{ id: "c1", type: "function", function: { name, arguments: JSON.stringify(input) } }],
    }),
    { role: "tool", tool_call_id: "c1", content: answer },
  ],
  "OpenAI chat with blocks": (name, input, answer) => [
    assistant([], {
      tool_calls: [{ id: "c1", type: "function", function: { name, arguments: JSON.stringify(input) } }],
    }),
    { role: "tool", tool_call_id: "c1", content: [{ type: "text", text: answer }] },
  ],
  "OpenAI responses": (name, input, answer) =>
    chain(
      { type: "reasoning", id: "r1", summary: [] },
      { type: "function_call", id: "f1", call_id: "c1", name, arguments: JSON.stringify(input) },
      { type: "function_call_output", call_id: "c1", output: answer },
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "Done." }] },
    ),
  "OpenAI responses with output blocks": (name, input, answer) =>
    chain(
      { type: "function_call", call_id: "c1", name, arguments: JSON.stringify(input) },
      { type: "function_call_output", call_id: "c1", output: [{ type: "input_text", text: answer }] },
    ),
  Anthropic: (name, input, answer, failed) => [
    assistant([
      { type: "text", text: "Let me see." },
      { type: "tool_use", id: "c1", name, input },
    ]),
    user([{ type: "tool_result", tool_use_id: "c1", content: [{ type: "text", text: answer }], is_error: failed }]),
  ],
  "Anthropic with a plain result": (name, input, answer) => [
    assistant([{ type: "tool_use", id: "c1", name, input }]),
    user([{ type: "tool_result", tool_use_id: "c1", content: answer }]),
  ],
  "AI SDK": (toolName, input, answer, failed) => [
    assistant([{ type: "tool-call", toolCallId: "c1", toolName, input }]),
    {
      role: "tool",
      content: [
        {
          type: "tool-result",
          toolCallId: "c1",
          toolName,
          output: { type: failed ? "error-text" : "text", value: answer },
        },
      ],
    },
  ],
  "AI SDK 4": (toolName, input, answer) => [
    assistant([{ type: "tool-call", toolCallId: "c1", toolName, args: input }]),
    { role: "tool", content: [{ type: "tool-result", toolCallId: "c1", toolName, result: answer }] },
  ],
  "MCP sampling": (name, input, answer, failed) => [
    assistant([{ type: "tool_use", id: "c1", name, input }]),
    user([{ type: "tool_result", toolUseId: "c1", content: [{ type: "text", text: answer }], isError: failed }]),
  ],
  "MCP sampling, one block": (name, input, answer, failed) => [
    assistant({ type: "tool_use", id: "c1", name, input }),
    user({ type: "tool_result", toolUseId: "c1", content: [{ type: "text", text: answer }], isError: failed }),
  ],
};

describe("a recorded call", () => {
  describe.each(Object.entries(FORMS))("in the form of %s", (_, form) => {
    it.each<[string, JsonValue[], string]>([
      ["counts when it succeeded", form("load_skill", { skill_name: "x" }, LOADED, false), "1: x@1"],
      ["does not count when it failed", form("load_skill", { skill_name: "x" }, REFUSED, true), "1:"],
      ["does not count when it answered Error:", form("load_skill", { skill_name: "x" }, REFUSED, false), "1:"],
      ["of the one-tool style counts", form("skill", { skill: "x" }, "Do x like this.", false), "1: x@1"],
      ["of another tool says nothing", form("read_skill", { skill_name: "x" }, "Text", false), "1:"],
      ["without the argument says nothing", form("load_skill", { name: "x" }, LOADED, false), "1:"],
    ])("%s", (_case, chain, expected) => {
      expect(restored([user(), ...chain])).toBe(expected);
      // The whole chain is one turn, however it ends.
      expect(restored([user(), ...chain, assistant(), user(), assistant()])).toBe(expected.replace("1:", "2:"));
    });

    it("counts without its result", () => {
      expect(
        restored([user(), ...form("load_skill", { skill_name: "x" }, LOADED, false).filter((m) => !carriesResult(m))]),
      ).toBe("1: x@1");
    });

    it("undoes a load", () => {
      const load = form("load_skill", { skill_name: "x" }, LOADED, false);
      const unload = form("unload_skill", { skill_name: "x" }, "Skill 'x' has been unloaded.", false);
      const refused = form(
        "unload_skill",
        { skill_name: "x" },
        "Error: Skill 'x' is preloaded and cannot be unloaded. It stays active.",
        true,
      );
      const other = (chain: JsonValue[]) => JSON.parse(JSON.stringify(chain).replaceAll('"c1"', '"c2"')) as JsonValue[];
      expect(restored([user(), ...load, user(), ...other(unload)])).toBe("2:");
      expect(restored([user(), ...load, ...other(unload)])).toBe("1:");
      expect(restored([user(), ...unload, ...other(load)])).toBe("1: x@1");
      expect(restored([user(), ...load, user(), ...other(refused)])).toBe("2: x@1");
    });
  });
});

function carriesResult(message: JsonValue): boolean {
  return /tool_call_id|function_call_output|tool_result|tool-result/.test(JSON.stringify(message));
}

describe("turns", () => {
  const call = FORMS["OpenAI chat"]!("load_skill", { skill_name: "x" }, LOADED, false);
  it.each<[string, JsonValue[], string]>([
    ["nothing", [], "0:"],
    ["only a question", [user()], "0:"],
    ["a trailing question", [user(), noted("x"), user()], "1: x@1"],
    ["several questions in a row", [user(), user(), noted("x"), user(), user(), assistant()], "2: x@1"],
    ["a chain of calls", [user(), ...call, ...call, assistant()], "1: x@1"],
    ["a chain cut off after its result", [user(), ...call], "1: x@1"],
    [
      "a user message of results alone",
      [user(), ...FORMS.Anthropic!("load_skill", { skill_name: "x" }, LOADED, false), assistant()],
      "1: x@1",
    ],
    [
      "a user message of results and a question",
      [
        user(),
        noted("x"),
        user([
          { type: "tool_result", tool_use_id: "c", content: "r" },
          { type: "text", text: "And?" },
        ]),
        assistant(),
      ],
      "2: x@1",
    ],
    ["a greeting before the first question", [noted("x"), user(), assistant()], "1: x@0"],
    ["only a greeting", [noted("x")], "0: x@0"],
    [
      "system and developer messages between",
      [{ role: "system", content: "s" }, user(), { role: "developer", content: "d" }, noted("x")],
      "1: x@1",
    ],
    [
      "several answers to one question",
      [user(), noted("x"), assistant(), noted("y"), user(), assistant()],
      "2: y@1 x@1",
    ],
    ["what is no message", [null, 7, "text", [], {}, user(), { role: "robot" }, noted("x")], "1: x@1"],
  ])("of %s", (_, history, expected) => {
    expect(restored(history)).toBe(expected);
  });
});

describe("trusted parts of a history", () => {
  const openai = (id: string, name: string, answer = LOADED): JsonValue[] => [
    assistant(null, {
      tool_calls: [
        { id, type: "function", function: { name: "load_skill", arguments: JSON.stringify({ skill_name: name }) } },
      ],
    }),
    { role: "tool", tool_call_id: id, content: answer },
  ];
  it.each<[string, JsonValue[], string]>([
    ["loaded_skills over the calls of its turn", [user(), ...openai("1", "x"), noted("y")], "1: y@1"],
    ["an empty loaded_skills over the calls of its turn", [user(), ...openai("1", "x"), noted()], "1:"],
    [
      "calls in turns without loaded_skills",
      [user(), noted("y"), user(), ...openai("1", "x"), assistant()],
      "2: x@2 y@1",
    ],
    ["the last load of a name", [user(), noted("x"), user(), noted("y"), user(), noted("x")], "3: x@3 y@2"],
    ["loaded_skills of assistants only", [{ role: "user", content: "hi", loaded_skills: ["x"] }, assistant()], "1:"],
    ["names that are texts", [user(), { role: "assistant", content: "", loaded_skills: ["x", 7, null, {}] }], "1: x@1"],
    ["the text where there is nothing else", [user(), assistant(LOADED)], "1: x@1"],
    [
      "the text of the second answer",
      [user(), assistant("Skill 'x' is already active. Its instructions are in effect.")],
      "1: x@1",
    ],
    [
      "several texts in one message",
      [user(), assistant("Skill 'x' has been loaded. Skill 'y' has been loaded.")],
      "1: y@1 x@1",
    ],
    ["the text in blocks", [user(), assistant([{ type: "text", text: LOADED }])], "1: x@1"],
    ["no text of a user", [user(LOADED), assistant()], "1:"],
    ["no text of an error", [user(), assistant(REFUSED)], "1:"],
    [
      "the text of old messages beside the loaded_skills of newer ones",
      [user(), assistant(LOADED), user(), noted("y"), user(), noted()],
      "3: y@2 x@1",
    ],
    ["both in one turn", [user(), assistant(LOADED), assistant(), noted("y"), user(), assistant()], "2: y@1 x@1"],
    [
      "the text of old turns beside the calls of newer ones",
      [user(), assistant(LOADED), user(), ...openai("1", "y")],
      "2: y@2 x@1",
    ],
    ["no quote in a message with loaded_skills", [user(), assistant(LOADED, { loaded_skills: ["y"] })], "1: y@1"],
    ["no quote in a message with empty loaded_skills", [user(), assistant(LOADED, { loaded_skills: [] })], "1:"],
    ["no quote in a turn with calls", [user(), ...openai("1", "y"), assistant(LOADED)], "1: y@1"],
    ["no quote in a turn with calls that failed", [user(), ...openai("1", "y", REFUSED), assistant(LOADED)], "1:"],
    [
      "an unload of what a text had loaded",
      [
        user(),
        assistant(LOADED),
        user(),
        assistant(null, {
          tool_calls: [{ id: "1", type: "function", function: { name: "unload_skill", arguments: args } }],
        }),
      ],
      "2:",
    ],
    [
      "calls whose arguments cannot be read as nothing",
      [
        user(),
        assistant(null, {
          tool_calls: [{ id: "1", type: "function", function: { name: "load_skill", arguments: "{" } }],
        }),
      ],
      "1:",
    ],
  ])("is %s", (_, history, expected) => {
    expect(restored(history)).toBe(expected);
  });

  it("is found in any garbage without failing", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            fc.jsonValue(),
            fc.dictionary(
              fc.constantFrom("role", "content", "type", "tool_calls", "function", "loaded_skills", "output", "text"),
              fc.jsonValue(),
            ),
          ),
        ),
        (history) => {
          expect(readHistory(history as JsonValue[]).turns).toBeLessThanOrEqual(history.length);
        },
      ),
    );
  });
});

interface SeedMessage {
  role: string;
  content: string;
  loaded_skills?: string[];
}

/**
 * Seed 000, section 4.3, line by line: remaining turns of each skill, for the turn after the history. What a message loaded is in
 * its `loaded_skills`, as newer releases of that system write it, or in its text.
 */
function seedsRestore(history: SeedMessage[], retention: number): Record<string, number> {
  const loadedAgo: Record<string, number> = {};
  let current = 0;
  let i = history.length - 1;
  while (i >= 0) {
    const message = history[i]!;
    if (message.role === "assistant") {
      for (const name of message.loaded_skills ?? []) loadedAgo[name] ??= current;
      for (const [, name] of message.content.matchAll(/Skill '([^']+)' (?:has been loaded|is already active)/g))
        loadedAgo[name!] ??= current;
      i -= 1;
      if (i >= 0 && history[i]!.role === "user") {
        current += 1;
        i -= 1;
      }
    } else {
      i -= 1;
    }
  }
  return Object.fromEntries(
    Object.entries(loadedAgo).flatMap(([name, ago]) => (retention - ago > 0 ? [[name, retention - ago]] : [])),
  );
}

describe("the examples of the seeds are restored", () => {
  const role = fc.constantFrom("user", "user", "assistant", "assistant", "assistant", "tool", "system");
  const text = fc.constantFrom(
    "Hm.",
    "Skill 'a' has been loaded.",
    "Skill 'b' has been loaded. Skill 'c' has been loaded.",
    "Skill 'd' is already active in this conversation turn.",
  );
  const inText = fc.record({ role, content: text });
  const inField = fc.record({
    role,
    content: fc.constant("Hm."),
    loaded_skills: fc.uniqueArray(fc.constantFrom("a", "b", "c", "d")),
  });
  const histories: Record<string, fc.Arbitrary<SeedMessage>> = {
    "from text": inText,
    "from loaded_skills": inField,
    "from both in one history, in any order": fc.oneof(inText, inField),
  };
  it.each(Object.entries(histories))("%s", (_, message) => {
    fc.assert(
      // The seeds define chains only as assistant and tool messages after a user message, not a tool or system message directly after it.
      fc.property(
        fc.array(message, { maxLength: 40 }).map(withoutOrphans),
        fc.integer({ min: 1, max: 6 }),
        (history, retention) => {
          const { turns, loads } = readHistory(history.map((entry): JsonValue => ({ ...entry })));
          const ours = Object.fromEntries(
            loads.flatMap(({ name, turn }) => {
              const left = remainingTurns(retention, turn, turns + 1);
              return left === null || left <= 0 ? [] : [[name, left]];
            }),
          );
          expect(ours).toEqual(seedsRestore(history, retention));
        },
      ),
      { numRuns: 500 },
    );
  });
});

function withoutOrphans<M extends { role: string }>(messages: M[]): M[] {
  const kept: M[] = [];
  for (const message of messages) {
    const before = kept.at(-1)?.role;
    if ((message.role === "tool" || message.role === "system") && before !== "assistant") continue;
    kept.push(message);
  }
  return kept;
}
