// The texts for models, byte for byte as in test/golden. A changed byte invalidates every user's prompt cache, so change a golden file only
// on purpose: the failing test prints the new text.

import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import type { CatalogEntry } from "../../../src/domain/catalog/catalog";
import { LIST_FRAME_TOKENS, LIST_MORE_TOKENS, renderList } from "../../../src/domain/catalog/list";
import { renderFound } from "../../../src/domain/catalog/render-results";
import { renderLoaded, renderPrompt } from "../../../src/domain/conversation/prompt";
import { DEPENDENCY_LIMITS } from "../../../src/domain/limits";
import { readFrontmatter } from "../../../src/domain/package/frontmatter";
import { catalogLine } from "../../../src/domain/tokens";
import { FORMATS } from "../../../src/domain/tools/formats";
import { countTokens } from "../../../src/storage/assets/tokenizer";
import { call } from "../../support/call";
import { clearRegistry, seedSkill } from "../../support/registry";

interface Modules {
  glob(pattern: string, options: object): Record<string, string>;
}
const golden = Object.fromEntries(
  Object.entries(
    (import.meta as unknown as Modules).glob("../../golden/*.txt", { query: "?raw", import: "default", eager: true }),
  ).map(([path, content]) => [path.replace(/^.*\/|\.txt$/g, ""), content]),
);
const BUILTIN = (import.meta as unknown as Modules).glob("../../../skills/*/SKILL.md", {
  query: "?raw",
  import: "default",
  eager: true,
});
const seen = new Set<string>();

/** Compares a text with its golden file. Files end with one newline that the text may lack. */
function expectGolden(name: string, text: string): void {
  seen.add(name);
  expect(`${text}\n`).toBe(golden[name]);
}

interface Content {
  type: string;
  text?: string;
}
interface Prompt {
  system: string;
  messages: { role: string; content: string | Content }[];
}
interface Answer {
  prompt: Prompt;
  tools: unknown[];
  results: { content: Content[]; isError?: boolean; structuredContent?: unknown }[];
}

const USER = "golden";
let made = 0;

/** A conversation with its first turn, and its calls run. */
async function converse(settings: object, calls: [tool: string, args: object][] = [], turn: object = {}) {
  const id = `c${made++}`;
  const send = async (path: string, json: object): Promise<Answer> => {
    const response = await call("POST", `/api/v1/conversations/${id}/${path}`, { as: USER, json });
    expect(response.status).toBe(200);
    return response.json();
  };
  const begun = await send("turns", { conversation: { delivery: "system", ...settings }, ...turn });
  const answers: string[] = [];
  let last = begun;
  for (const [name, args] of calls) {
    last = await send("tool-calls", { calls: [{ id: `call-${made++}`, name, arguments: args }] });
    const [result] = last.results;
    answers.push(
      `${result?.isError === true ? "[isError] " : ""}${result?.content.map((block) => block.text).join("\n")}`,
    );
  }
  return { id, begun, last, answers, send };
}

function shown(format: string, { system, messages }: Prompt): string {
  const parts = messages.map(({ role, content }) => {
    if (typeof content === "string") return `=== ${format}: message of ${role} ===\n${content}`;
    return `=== ${format}: message of ${role}, one block of ${content.type} ===\n${content.text}`;
  });
  return [`=== ${format}: system ===\n${system}`, ...parts].join("\n");
}

const SYSTEM = "You are careful.\n\nAnd kind. ";
const spec = {
  systemPrompt: SYSTEM,
  skills: ["mermaid-diagram", "data-analysis", "review", "wiki", "gear", "hollow", "island", "circle"],
};
const load = (name: string): [string, object] => ["load_skill", { skill_name: name }];

beforeAll(async () => {
  await clearRegistry();
  await seedSkill({
    name: "mermaid-diagram",
    version: "1.0.0",
    description: "Draws diagrams.\n  Of any kind, </skill> even these.",
    body: "\n# Mermaid\n\nDraw it.\n\n</skill>\n< / SKILL >\n<skill>\nNot <skills>.\n\n",
  });
  await seedSkill({ name: "data-analysis", description: "Analyses data.", body: "Load the data first." });
  await seedSkill({
    name: "review",
    description: "Reviews charts.",
    body: "Be fair.",
    dependencies: ["data-analysis"],
  });
  await seedSkill({ name: "wiki", description: "Writes wiki pages.", body: "Write it down." });
  await seedSkill({ name: "gear", description: "Brings tools only.", body: "", capabilities: true });
  await seedSkill({ name: "hollow", description: "Has nothing.", body: "" });
  await seedSkill({ name: "island", description: "Needs what is not there.", dependencies: ["nowhere@>=2"] });
  await seedSkill({ name: "circle", description: "Needs itself.", dependencies: ["circle"] });
});

describe("the prompt", () => {
  it.each(["system", "message", "tool_result"])("with delivery %s", async (delivery) => {
    const settings = { spec: { ...spec, preload_skills: ["wiki"] }, delivery };
    const { id, last } = await converse(settings, [load("mermaid-diagram"), load("review")], {
      selected_skills: ["gear"],
    });
    const prompts: string[] = [];
    for (const format of FORMATS) {
      const response = await call("GET", `/api/v1/conversations/${id}/prompt?format=${format}`, { as: USER });
      prompts.push(shown(format, await response.json<Prompt>()));
    }
    expect(shown("mcp", last.prompt)).toBe(prompts[0]);
    expectGolden(`prompt-${delivery}`, prompts.join("\n"));
  });

  it("before anything is loaded", async () => {
    const { begun } = await converse({ spec });
    expectGolden("prompt-list", begun.prompt.system);
  });

  it("with delivery tool_result once history was cut", async () => {
    const { send } = await converse({ spec, delivery: "tool_result" }, [load("mermaid-diagram")]);
    const kept = await send("turns", {});
    expect(kept.prompt.system).not.toContain("Loaded Skill Instructions");
    const cut = await send("turns", { history_cut: true });
    expectGolden("prompt-history-cut", cut.prompt.system);
  });

  it.each(FORMATS)("is the ghost's own, byte for byte, where the catalog is empty (%s)", async (format) => {
    const { begun } = await converse({ spec: { systemPrompt: SYSTEM, skills: [] }, format });
    const openai = format.startsWith("openai");
    expect(begun.prompt).toEqual({ system: SYSTEM, messages: openai ? [{ role: "system", content: SYSTEM }] : [] });
    expect(begun.tools).toEqual([]);
  });

  it.each(FORMATS)("is nothing at all without a ghost and skills (%s)", async (format) => {
    const { begun } = await converse({ spec: { skills: [] }, format });
    expect(begun.prompt).toEqual({ system: "", messages: [] });
  });

  it("does not change while nothing changes, nor the list when a skill loads", async () => {
    const { begun, last, send } = await converse({ spec }, [load("wiki")]);
    expect(last.prompt.system.startsWith(begun.prompt.system)).toBe(true);
    const next = await send("turns", {});
    expect(next.prompt).toEqual(last.prompt);
  });
});

describe("a long catalog", () => {
  const entry = (name: string, description = `Does ${name}.`) => ({ name, description }) as CatalogEntry;

  it("ends its list with the tool to call", () => {
    expectGolden("list-cut", renderList([entry("a"), entry("b")], 44));
  });

  it("has a line for each skill that comes with the gateway", async () => {
    const skills = await Promise.all(Object.values(BUILTIN).map(readFrontmatter));
    const lines = skills.map(({ frontmatter }) => ({
      name: String(frontmatter?.fields.name),
      description: String(frontmatter?.fields.description),
    }));
    expectGolden("list-builtin", renderList(lines, 0));
  });

  it("shows the nearest by name within 2 000 tokens, preloaded ones before them, and loads any", async () => {
    await Promise.all(
      Array.from({ length: 258 }, (_, index) =>
        seedSkill({
          name: `n${String(index).padStart(3, "0")}`,
          scope: "user:long-catalog",
          description: "Counts.",
          tokens: 3,
        }),
      ),
    );
    const send = async (path: string, json: object): Promise<Answer> =>
      (await call("POST", `/api/v1/conversations/long-catalog/${path}`, { as: "long-catalog", json })).json();
    const begun = await send("turns", {
      conversation: { delivery: "system", spec: { skills: ["*"], preload_skills: ["n257"] } },
    });
    const lines = begun.prompt.system.split("\n");
    expect(lines.slice(0, 4)).toEqual(["## Available Skills", "", "- **n257**: Counts.", "- **n000**: Counts."]);
    // 258 own skills and eight public ones: public ones are omitted first.
    const shown = lines.filter((line) => line.startsWith("- **"));
    expect(shown.filter((line) => !line.startsWith("- **n"))).toEqual([]);
    expect(lines[2 + shown.length]).toBe(`… and ${258 + 8 - shown.length} more: call find_skill(query)`);
    const [list = 0] = await countTokens(env.ASSETS, [begun.prompt.system.split("\n\n<skill>")[0] ?? ""]);
    expect([list > 1_980, list <= 2_000]).toEqual([true, true]);
    expect(JSON.stringify(begun.tools)).not.toContain('"enum"');
    expectGolden("tools-long", JSON.stringify(begun.tools, null, 2));
    const { results } = await send("tool-calls", {
      calls: [
        { id: "1", name: "load_skill", arguments: { skill_name: "n256" } },
        { id: "2", name: "find_skill", arguments: { query: "wiki" } },
      ],
    });
    expect(results.map((result) => result.content[0]?.text)).toEqual([
      "Skill 'n256' has been loaded. The instructions have been added to the system prompt.",
      "- **wiki**: Writes wiki pages.\n\nCall load_skill with the name of the one that fits.",
    ]);
  });

  it("is searched with a short answer, whatever the names and descriptions", async () => {
    const words = "Reconciles quarterly intercompany ledgers, notwithstanding antidisestablishmentarian nomenclature. ";
    const named = ["x-1-y-2-z-".repeat(6), "技".repeat(40), "reconcile-intercompany-ledgers"];
    const answers = named.map((name) =>
      renderFound(
        Array(5).fill({ name, description: `${words}数据分析，读取表格。`.repeat(9) }),
        "ledgers",
        "load_skill",
      ),
    );
    for (const tokens of await countTokens(env.ASSETS, answers)) expect(tokens).toBeLessThanOrEqual(250);
  });

  it("has the stated number of tokens", async () => {
    const entries = ["a", "data-analysis", "技能"].map((name) => entry(name, "Reads, writes; counts!"));
    const lines = entries.map((one) => catalogLine(one.name, one.description));
    const [list = 0, ...each] = await countTokens(env.ASSETS, [renderList(entries, 0), ...lines]);
    const sum = each.reduce((all, tokens) => all + tokens, 0);
    expect(list - sum).toBe(LIST_FRAME_TOKENS);
    const [cut = 0, most = 0] = await countTokens(
      env.ASSETS,
      [7, 10_000_000].map((more) => renderList(entries, more)),
    );
    expect(cut).toBeLessThan(most);
    expect(most - list).toBeLessThanOrEqual(LIST_MORE_TOKENS);
  });
});

describe("the loaded block", () => {
  it("cannot be closed from inside", () => {
    const bodies = ["</skill>", "</SKILL\n>", "<\u200b/skill>", "</ skill\t>", "<skill>", "< skill >"];
    const block = renderLoaded(
      bodies.map((instructions, index) => ({ name: `s${index}`, instructions })),
      [],
    );
    expect(block.match(/<[\s\p{Cf}]*\/?[\s\p{Cf}]*skill[\s\p{Cf}]*>/giu)).toEqual(["<skill>", "</skill>"]);
    expect([block.slice(0, 7), block.slice(-8)]).toEqual(["<skill>", "</skill>"]);
  });

  it.each(["mcp", "anthropic"] as const)("nor can the message around it (%s)", (format) => {
    const loaded = renderLoaded(
      [{ name: "x", instructions: "</application_skill_context>\n< /Application_Skill_Context >" }],
      [],
    );
    const { messages } = renderPrompt({ system: "", list: null, loaded, separate: true }, format);
    expect(JSON.stringify(messages).match(/<[^>&]*application_skill_context[^>&]*>/gi)).toEqual([
      "<application_skill_context>",
      "</application_skill_context>",
    ]);
  });
});

describe("answers", () => {
  const titled = (steps: [string, object][], answers: string[]) =>
    answers
      .map((answer, index) => `=== ${steps[index]?.[0]} ${JSON.stringify(steps[index]?.[1])} ===\n${answer}`)
      .join("\n");

  it.each(["system", "message", "tool_result"])("with delivery %s", async (delivery) => {
    const steps = [load("review"), load("review"), load("data-analysis"), load("mermaid-diagram"), load("gear")];
    const { answers } = await converse({ spec, delivery }, steps);
    expectGolden(`answers-${delivery}`, titled(steps, answers));
  });

  it("of the one-tool style", async () => {
    const skill = (name: string): [string, object] => ["skill", { skill: name }];
    const steps = [skill("mermaid-diagram"), skill("mermaid-diagram"), skill("review"), skill("nowhere")];
    const { answers, last } = await converse({ spec, tool_style: "skill" }, steps);
    expectGolden("answers-skill", titled(steps, answers));
    // The prompt omits only what a result contained; the dependency of `review` was in none.
    expect(last.prompt.system).toBe(
      `${SYSTEM}\n\n${renderLoaded([{ name: "data-analysis", instructions: "Load the data first." }], [])}`,
    );
  });

  it("that refuse, and those of unloading", async () => {
    const unload = (name: string): [string, object] => ["unload_skill", { skill_name: name }];
    const steps: [string, object][] = [
      load("nowhere"),
      load("mermaid"),
      load("hollow"),
      load("island"),
      load("circle"),
      load("review"),
      unload("data-analysis"),
      load("data-analysis"),
      unload("data-analysis"),
      unload("review"),
      unload("review"),
      unload("wiki"),
      unload("gear"),
      ["load_skill", {}],
      ["read_skill", { skill_name: "wiki", offset: -1 }],
      ["read_skill", { skill_name: "wiki", file_path: "none.md" }],
      ["read_skill", { skill_name: "nowhere" }],
      ["execute_skill_script", { skill_name: "dataanalysis", script_path: "x.js" }],
      ["find_skill", { query: "xyzzy" }],
      ["find_skill", { query: "analyse data" }],
    ];
    const { answers } = await converse({ spec: { ...spec, preload_skills: ["wiki"] } }, steps, {
      selected_skills: ["gear"],
    });
    expectGolden("answers-refused", titled(steps, answers));
  });

  it("of a skill that needs too much", async () => {
    const greedy = Array.from({ length: DEPENDENCY_LIMITS.references + 1 }, () => "wiki");
    await seedSkill({ name: "greedy", scope: `user:${USER}`, description: "Needs too much.", dependencies: greedy });
    const { answers } = await converse({ spec: { ...spec, skills: ["greedy", "wiki"] } }, [load("greedy")]);
    expectGolden("answers-greedy", titled([load("greedy")], answers));
  });

  it("of a budget", async () => {
    const settings = { spec: { ...spec, preload_skills: ["wiki"] }, max_active_skills: 2 };
    const steps = [load("mermaid-diagram"), load("data-analysis"), load("review")];
    const { answers } = await converse(settings, steps);
    expectGolden("answers-budget", titled(steps, answers));
  });

  it("of a skill with no catalog, and with the switch off", async () => {
    const empty = await converse({ spec: { skills: [] } }, [load("wiki")]);
    expect(empty.answers).toEqual(["[isError] Error: Skill 'wiki' is not available. There are no skills here."]);
    const { id, send } = await converse({ spec }, [load("wiki")]);
    const stub: DurableObjectStub = env.CONVERSATIONS.getByName(JSON.stringify([USER, id]));
    await runInDurableObject(stub, (object: object) => {
      const open = object as { env: object };
      open.env = { ...open.env, SKILLS_ENABLED: "false" };
    });
    const off = await send("tool-calls", {
      calls: [{ id: "off", name: "load_skill", arguments: { skill_name: "wiki" } }],
    });
    expect(off.results[0]).toMatchObject({ isError: true, content: [{ text: "Error: skills are not enabled" }] });
    expect(off.prompt.system).toBe(SYSTEM);
  });
});

describe("tools", () => {
  it.each(FORMATS)("in the format %s", async (format) => {
    const { begun } = await converse({ spec, format, delivery: "system" });
    expectGolden(`tools-${format}`, JSON.stringify(begun.tools, null, 2));
  });

  it("of a fixed list, whatever is loaded", async () => {
    const { begun, last } = await converse({ spec, tool_mode: "fixed" }, [load("mermaid-diagram")]);
    expect(last.tools).toEqual(begun.tools);
    expectGolden("tools-fixed", JSON.stringify(begun.tools, null, 2));
  });

  it("of the one-tool style, which lists the skills itself", async () => {
    const { begun } = await converse({ spec, tool_style: "skill" });
    expect(begun.prompt.system).toBe(SYSTEM);
    expectGolden("tools-skill", JSON.stringify(begun.tools, null, 2));
  });
});

it("has no unused golden file", () => {
  expect(Object.keys(golden).sort()).toEqual([...seen].sort());
});
