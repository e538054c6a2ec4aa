// Searching tools: the thirty tasks, word forms, and hostile input.

import fc from "fast-check";
import { expect, it } from "vitest";
import { type FindableTool, findTools } from "../../../src/domain/tools/find";
import { TOOL_SEARCH_LIMITS } from "../../../src/domain/tools/limits";
import { TOOL_TASKS } from "../../support/many-tools/tasks";
import { MANY_TOOLS } from "../../support/many-tools/tools";

const ALL = MANY_TOOLS.flatMap(({ server, tools }) =>
  tools.map((tool) => ({ source: server, definition: { ...tool, name: `${server}__${tool.name}` } })),
);

/** Returns the names of the found tools. */
function found(query: string, tools: readonly FindableTool[] = ALL): string[] {
  return findTools(tools, query).map(({ definition }) => definition.name);
}

it("finds the tool of at least 26 of thirty tasks among the first five", () => {
  const missed = TOOL_TASKS.filter(([task, tool]) => !found(task).includes(tool));
  expect(missed.length, JSON.stringify(missed)).toBeLessThanOrEqual(4);
});

it("finds each tool first by its own name", () => {
  expect(ALL.filter(({ definition }) => found(definition.name)[0] !== definition.name)).toEqual([]);
});

it("finds other word forms, synonyms, and words joined in a name", () => {
  expect(found("refunding payments")[0]).toBe("billing__refund_payment");
  expect(found("trash an e-mail")).toContain("mail__delete_message");
  const one = { source: "x", definition: { name: "getUserAvatar", description: "", inputSchema: {} } };
  expect(found("avatar", [...ALL, one])).toEqual(["getUserAvatar"]);
});

it("finds words of scripts without spaces", () => {
  const one = { source: "x", definition: { name: "a", description: "查询天气预报", inputSchema: {} } };
  expect(found("明天的天气怎么样", [...ALL, one])).toEqual(["a"]);
});

it("finds nothing where no word is shared", () => {
  expect(found("zzz")).toEqual([]);
  expect(found("")).toEqual([]);
});

it("counts the words of a definition once, however often it is searched", () => {
  let read = 0;
  const watched = ALL.map(({ source, definition }) => {
    const { description } = definition;
    const get = () => {
      read++;
      return description;
    };
    return { source, definition: Object.defineProperty({ ...definition }, "description", { get }) };
  });
  const first = found("refund a payment", watched);
  expect(read).toBe(ALL.length);
  expect([found("refund a payment", watched), read]).toEqual([first, ALL.length]);
  // From another source it is another tool.
  const [one] = watched;
  if (one === undefined) throw new Error("There are tools.");
  expect(found("zebra", [{ ...one, source: "zebra" }])).toEqual([one.definition.name]);
});

it("searches the beginning of a long text", () => {
  const of = (description: string) => ({ source: "x", definition: { name: "a", description, inputSchema: {} } });
  const filler = "lorem ".repeat(TOOL_SEARCH_LIMITS.textChars);
  expect(found("zebra", [of(`zebra ${filler}`)])).toEqual(["a"]);
  expect(found("zebra", [of(`${filler} zebra`)])).toEqual([]);
});

it("accepts any query and definition, and shows at most five tools", () => {
  const definition = fc.record({
    name: fc.string({ unit: "grapheme" }),
    description: fc.string({ unit: "grapheme" }),
    inputSchema: fc.dictionary(fc.constantFrom("properties", "type"), fc.jsonValue()),
  });
  const tool = fc.record({ source: fc.string(), definition });
  fc.assert(
    fc.property(fc.array(tool, { maxLength: 12 }), fc.string({ unit: "grapheme" }), (tools, query) => {
      // JSON has no `-0`, and its values are plain.
      const plain: FindableTool[] = tools.map((one) => structuredClone(one) as FindableTool);
      const names = findTools(plain, query);
      expect(names.length).toBeLessThanOrEqual(TOOL_SEARCH_LIMITS.shown);
      for (const one of names) expect(plain).toContain(one);
    }),
  );
});
