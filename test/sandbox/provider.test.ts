import { describe, expect, it } from "vitest";
import { providerSkill } from "../support/provider";
import { callOne, describeAll } from "../support/run-code";
import type { SkillFixture } from "../support/skill";

/** A skill with these tools and a hand-written module. */
function skill(
  module: string,
  tools: object[] = [{ name: "act", provider: "test" }],
  more: SkillFixture = {},
): SkillFixture {
  const frontmatter = `provider: { module: provider, class: Provider }\ntools: ${JSON.stringify(tools)}`;
  return { name: "made", frontmatter, ...more, files: { "provider.js": module, ...more.files } };
}

const HONEST = `export class Provider {
  get providerName() { return "test" }
  get supportedTools() { return ["act"] }
  createTool() { return { description: "Acts.", inputSchema: { type: "object" }, async call() { return "acted" } } }
}`;
const change = (from: string, to: string) => {
  expect(HONEST).toContain(from);
  return HONEST.replace(from, to);
};

describe("a class that lies about its tools", () => {
  const LIES: Record<string, [module: string, problem: string | RegExp]> = {
    "does not support what is declared": [
      change('["act"]', '["other"]'),
      "TypeError: The class's supportedTools does not list 'act'.",
    ],
    "supports everything": [
      change('["act"]', "{ includes: () => true }"),
      "TypeError: The class's supportedTools does not list 'act'.",
    ],
    "goes by another name": [
      change('"test"', '"best"'),
      /wants the provider 'test', and the class calls itself 'best'/,
    ],
    "makes nothing": [change("createTool() {", "createTool() { return null;"), /it has no call\(\)/],
    "makes something that cannot be called": [
      change('async call() { return "acted" }', "call: 1"),
      /it has no call\(\)/,
    ],
    "describes nothing": [change('"Acts."', '""'), "it has no description"],
    "describes with something else than text": [
      change('"Acts."', "{ toString: () => 'Acts.' }"),
      "it has no description",
    ],
    "describes without end": [change('"Acts."', "'x'.repeat(10_000)"), "its description is too long"],
    "has a schema that is none": [change('{ type: "object" }', '"object"'), /not a JSON Schema/],
    "takes no object": [change('{ type: "object" }', '{ type: "string" }'), /not a JSON Schema/],
    "has a schema without end": [
      change('{ type: "object" }', '{ type: "object", description: "x".repeat(70_000) }'),
      "its inputSchema is too long",
    ],
    "throws when it is made": [change("createTool() {", "createTool() { throw new Error('busy');"), "busy"],
    "throws when it is asked": [change('return "test"', "throw new Error('busy')"), "busy"],
    "is no class": ["export const Provider = 1;", /exports no class 'Provider'/],
    "is not there": ["export class Other {}", /exports no class 'Provider'/],
  };
  it.each(Object.entries(LIES))("%s", async (_, [module, problem]) => {
    const { tools, problems } = await describeAll(skill(module));
    expect(tools).toEqual([]);
    if (typeof problem === "string") expect(problems).toEqual({ act: problem });
    else expect(problems.act).toMatch(problem);
  });

  it("behaves differently when described and when called", async () => {
    const turncoat = change("createTool() {", "createTool(name, context) { if (context.taskId !== '') return null;");
    expect((await describeAll(skill(turncoat))).problems).toEqual({});
    expect(await callOne(skill(turncoat), "act")).toMatchObject({ isError: true, content: [{ text: /no call\(\)/ }] });
  });

  it("brings only the tools that its manifest declares", async () => {
    const module = change('["act"]', '["act", "secret"]');
    const { tools } = await describeAll(skill(module));
    expect(tools.map((tool) => tool.name)).toEqual(["act"]);
  });

  it("may have tools with names that objects have too", async () => {
    const names = ["constructor", "toString", "hasOwnProperty"];
    const declared = names.map((name) => ({ name }));
    const module = change('["act"]', JSON.stringify(names)).replace("createTool()", "createTool(name)");
    const { tools, problems } = await describeAll(skill(module.replace('"Acts."', "name"), declared));
    expect(tools.map((tool) => [tool.name, tool.description])).toEqual(names.map((name) => [name, name]));
    expect(problems).toEqual({});
  });
});

describe("a provider", () => {
  it("is described without anything of a user, and may ask nothing then", async () => {
    const module = change('"Acts."', "JSON.stringify([context.userId, context.taskId])").replace(
      "createTool()",
      "createTool(_, context)",
    );
    expect((await describeAll(skill(module))).tools[0]?.description).toBe('["",""]');
    const asking = change("createTool() {", "async createTool(_, context) { await context.readFile('SKILL.md');");
    expect((await describeAll(skill(asking))).problems.act).toBe(
      "readFile() cannot be used while a tool is being described.",
    );
  });

  it("gets the context of the call, and its own config over its skill's", async () => {
    const shown = await callOne(
      providerSkill(
        "shown",
        {
          show: {
            call: "return { ...context, toolConfig: config }",
            config: { b: 2 },
          },
        },
        { config: { a: 1, b: 1 } },
      ),
      "show",
      { userId: "bob", taskId: "chat-7" },
    );
    expect(shown.structuredContent).toEqual({
      taskId: "chat-7",
      subtaskId: 1,
      userId: "bob",
      userName: "bob",
      skillName: "shown",
      env: {},
      config: { a: 1, b: 1 },
      toolConfig: { a: 1, b: 2 },
    });
  });

  it("reads the files of its own package, as text and as bytes", async () => {
    const reader = providerSkill(
      "reader",
      {
        read: "const bytes = await context.readFile('a/b.bin', 'bytes'); return [await context.readFile('./note.md'), [...bytes]]",
      },
      { files: { "note.md": "Grüße", "a/b.bin": new Uint8Array([0, 255, 7]) } },
    );
    expect((await callOne(reader, "read")).content).toEqual([{ type: "text", text: '["Grüße",[0,255,7]]' }]);
  });

  it("returns MCP results unchanged", async () => {
    const result = {
      content: [
        { type: "text", text: "one", annotations: { audience: ["user"] } },
        { type: "image", data: "aGk=", mimeType: "image/png" },
        { type: "resource_link", uri: "skill://a", name: "a", title: "A" },
        { type: "resource", resource: { uri: "skill://b", text: "b", mimeType: "text/plain" } },
      ],
      structuredContent: { n: 1 },
      isError: true,
    };
    const skill = providerSkill("mcp", { all: `return ${JSON.stringify(result)}` });
    expect(await callOne(skill, "all")).toEqual(result);
  });

  it.each([
    ["'text'", { content: [{ type: "text", text: "text" }] }],
    ["({ a: [1] })", { content: [{ type: "text", text: '{"a":[1]}' }], structuredContent: { a: [1] } }],
    ["[1, 2]", { content: [{ type: "text", text: "[1,2]" }] }],
    ["12", { content: [{ type: "text", text: "12" }] }],
    ["undefined", { content: [{ type: "text", text: "" }] }],
  ])("answers %s as a tool result", async (value, result) => {
    expect(await callOne(providerSkill("plain", { say: `return ${value}` }), "say")).toEqual(result);
  });

  it("may be TypeScript in several modules, with data", async () => {
    const { tools, problems, warnings } = await describeAll({
      name: "typed",
      frontmatter: 'provider: { module: src/provider, class: Typed }\ntools: ["sum"]',
      files: {
        "src/provider.ts": `
          import { add, type Pair } from "./math/add.js";
          import names from "../data.json" with { type: "json" };
          import type { Nothing } from "somewhere";
          enum Kind { Sum = "sum" }
          export class Typed {
            constructor(private readonly kind: Kind = Kind.Sum) {}
            get providerName(): string { return names.provider }
            get supportedTools() { return [this.kind as string] }
            createTool(name: string, context: unknown, config?: Record<string, unknown>) {
              return { description: "Adds.", async call(pair: Pair) { return add(pair) } };
            }
          }`,
        "src/math/add.ts":
          'import { zero } from "."; export interface Pair { a: number; b: number }\nexport const add = ({ a, b }: Pair): number => a + b + zero;',
        "src/math/index.ts": "export const zero: number = 0;",
        "data.json": '{ "provider": "typed" }',
      },
    });
    expect({ problems, warnings }).toEqual({ problems: {}, warnings: [] });
    expect(tools).toEqual([{ name: "sum", description: "Adds.", inputSchema: { type: "object", properties: {} } }]);
  });
});
