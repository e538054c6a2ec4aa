// Tool arguments of the scripted model: the JSON after the tool's name in the message.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { demoMove } from "../../../src/domain/chat/demo";

const tools = [{ type: "function", function: { name: "get_time" } }];
const move = (content: string, more: object[] = []) =>
  demoMove({ messages: [{ role: "user", content }, ...more] as never, tools: tools as never });
const inputOf = (content: string) => {
  const moved = move(content);
  return "calls" in moved ? moved.calls[0]?.input : moved;
};

describe("the scripted model", () => {
  it("gives a tool the object behind its name, whatever is in it", () => {
    const anything = fc.dictionary(
      fc.string().filter((name) => name !== "__proto__"),
      fc.jsonValue({ noUnicodeString: false, maxDepth: 4 }),
    );
    fc.assert(
      fc.property(anything, fc.constantFrom("", " ", "\n "), fc.string(), (given, space, after) => {
        const text = JSON.stringify(given);
        expect(inputOf(`Call get_time${space}${text}${after}`)).toEqual(JSON.parse(text));
      }),
    );
  });

  it.each([
    "What does get_time say?",
    "get_time {",
    'get_time {"open": ',
    'get_time {"open": "}',
    "get_time {not: json}",
    "get_time [1]",
    'get_time: {"a": 1}',
    "get_time }{",
  ])("gives it nothing of %j", (text) => {
    expect(inputOf(text)).toEqual({});
  });

  it("does not repeat the input of a call", () => {
    const call = { id: "a", type: "function", function: { name: "get_time", arguments: '{"zone":"UTC"}' } };
    const said = move('Call get_time {"zone":"UTC"} now.', [
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", tool_call_id: "a", content: "noon" },
    ]);
    expect(said).toEqual({ text: "You said: Call get_time now. The last result: noon", calls: [] });
  });
});
