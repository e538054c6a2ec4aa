// The texts for models under delivery `auto`, byte for byte as in test/golden/auto.

import { env } from "cloudflare:workers";
import { beforeAll, expect, it } from "vitest";
import { constantTools } from "../../../src/domain/tools/constant";
import { FORMATS, renderTool } from "../../../src/domain/tools/formats";
import { countTokens } from "../../../src/storage/assets/tokenizer";
import { seedSkill } from "../../support/registry";
import { named, someone } from "../../support/users";

interface Modules {
  glob(pattern: string, options: object): Record<string, string>;
}
const golden = (import.meta as unknown as Modules).glob("../../golden/auto/*.txt", {
  query: "?raw",
  import: "default",
  eager: true,
});

function expectGolden(name: string, text: string): void {
  expect(`${text}\n`).toBe(golden[`../../golden/auto/${name}.txt`]);
}

beforeAll(async () => {
  await seedSkill({ name: "diagram", version: "1.0.0", description: "Draws.", body: "Draw it.", tokens: 1_800 });
  await seedSkill({ name: "data", description: "Analyses data.", body: "Load the data first.", tokens: 900 });
  await seedSkill({ name: "review", description: "Reviews.", body: "Be fair.", dependencies: ["data"] });
  await seedSkill({ name: "wiki", description: "Writes wiki pages.", body: "Write it down." });
});

it("answers name the next step", async () => {
  const user = someone();
  const spec = { systemPrompt: "You are careful.", skills: ["*"], preload_skills: ["wiki"] };
  await user.turn("c", { format: "openai", conversation: { spec, delivery: "auto" } });
  const steps: [string, object][] = [
    ["load_skill", { skill_name: "review" }],
    ["load_skill", { skill_name: "review" }],
    ["load_skill", { skill_name: "data" }],
    ["load_skill", { skill_name: "wiki" }],
    ["load_skill", { skill_name: "diagram", reload: true }],
    ["unload_skill", { skill_name: "diagram" }],
    ["load_skill", { skill_name: "diagram" }],
  ];
  const answers: string[] = [];
  for (const [name, args] of steps) {
    const { results } = await user.post("/c/tool-calls", { calls: [named(name, args)], format: "openai" });
    answers.push(`=== ${name} ${JSON.stringify(args)} ===\n${results[0]?.content[0]?.text}`);
  }
  expectGolden("answers", answers.join("\n"));
});

it.each(FORMATS)("the prompt, the appended text and the tools: %s", async (format) => {
  const user = someone();
  const spec = { systemPrompt: "You are careful.", skills: ["*"], preload_skills: ["wiki"] };
  const conversation = { spec, delivery: "auto" };
  const turn = await user.turn("c", { format, conversation, selected_skills: ["diagram"] });
  const { append } = turn as unknown as { append: object[] };
  expectGolden(`turn-${format}`, JSON.stringify({ prompt: turn.prompt, append, tools: turn.tools }, null, 2));
});

it("the tools take few tokens, in every request of every conversation", async () => {
  const tools = constantTools();
  const plain = tools.map(
    ({ name, description, inputSchema }) =>
      `${name}: ${description} ${Object.keys((inputSchema.properties ?? {}) as object).join(", ")}`,
  );
  const openai = JSON.stringify(tools.map((tool) => renderTool(tool, "openai")));
  const [asText = 0, asJson = 0] = await countTokens(env.ASSETS, [plain.join("\n"), openai]);
  expect(asText).toBeLessThanOrEqual(220);
  expect(asJson).toBeLessThanOrEqual(345);
});
