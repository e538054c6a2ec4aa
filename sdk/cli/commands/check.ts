// `check`: validates a skill locally with the gateway's own parser, and on a gateway or in a bench where that is available.

import * as z from "zod";
import { type Command, GATEWAY_OPTIONS, option } from "../command";
import { answer, note, tell, type Work } from "../context";
import { type NamedSkill, readSkill, skillAt } from "../folder";
import { Gateway, issuesSchema } from "../gateway";
import { issueLines, routingLines, verdictLine } from "../print";
import { EXIT, Problem } from "../problem";
import { inspectionSchema } from "../resources";
import { signIn } from "../sign-in";

const toolSchema = z.looseObject({
  name: z.string(),
  description: z.string(),
  inputSchema: z.looseObject({
    properties: z.record(z.string(), z.unknown()).optional(),
    required: z.array(z.string()).optional(),
  }),
});
const benchSchema = z.looseObject({
  issues: issuesSchema,
  warnings: issuesSchema,
  name: z.string().optional(),
  version: z.string().nullish(),
  tokens: inspectionSchema.shape.tokens.optional(),
  tools: z.array(toolSchema).default([]),
  problems: z.record(z.string(), z.string()).default({}),
  scripts: inspectionSchema.shape.scripts.default(null),
  files: z.array(z.unknown()).default([]),
});

export const check: Command = {
  usage: "[skill] [--url <gateway>] [--key <key>]",
  summary: "Lists the problems of a skill, its costs in tokens, and which of its tools and scripts run.",
  options: GATEWAY_OPTIONS,
  names: [0, 1],
  async run(work, [name = "."], values) {
    const skill = await skillAt(work, name);
    if (work.checkout !== null) return onBench(work, skill);
    return here(work, skill, {
      url: option(values, "url"),
      key: option(values, "key"),
      port: option(values, "port"),
    });
  },
};

async function onBench(work: Work, skill: NamedSkill): Promise<number> {
  const raw = await askBench(work, skill, {});
  const { issues, warnings, name, version, tokens, tools, problems, scripts, files } = benchSchema.parse(raw);
  answer(work, raw);
  if (issues.length > 0) {
    tell(work, ["not valid", ...issueLines("issues", issues), ...issueLines("warnings", warnings)].join("\n"));
    return EXIT.refused;
  }
  const lines = [
    `${name} ${version ?? "(no version)"}: valid, ${files.length} files`,
    ...issueLines("warnings", warnings),
  ];
  lines.push(...tokenLines(tokens ?? null));
  if (tools.length + Object.keys(problems).length > 0) lines.push("", "tools");
  for (const tool of tools) lines.push(`  ${tool.name}(${signature(tool)})  ${tool.description}`);
  for (const [tool, problem] of Object.entries(problems)) lines.push(`  ${tool}  NOT AVAILABLE: ${problem}`);
  if (scripts === null) lines.push("", "scripts were not checked");
  else if (scripts.length > 0) lines.push("", "scripts", ...scripts.map(verdictLine));
  tell(work, lines.join("\n"));
  return Object.keys(problems).length > 0 ? EXIT.refused : EXIT.done;
}

/** Sends a request to the bench of the checkout. */
export async function askBench(work: Work, skill: NamedSkill, asked: object): Promise<unknown> {
  if (work.checkout === null)
    throw new Problem(
      EXIT.usage,
      "This command works in a checkout of the gateway only. Run it with `npm run skill --` there.",
    );
  const [bench, zip] = await Promise.all([work.checkout.openBench(), skill.zip()]);
  try {
    return await bench.ask(skill.name, zip, asked);
  } finally {
    await bench.close();
  }
}

async function here(work: Work, skill: NamedSkill, typed: Parameters<typeof signIn>[1]): Promise<number> {
  const zip = await skill.zip();
  const { package: found, issues, warnings } = await readSkill(zip, `${skill.name}.zip`);
  if (found === null) {
    tell(work, ["not valid", ...issueLines("issues", issues), ...issueLines("warnings", warnings)].join("\n"));
    answer(work, { valid: false, issues, warnings, judged: false });
    return EXIT.refused;
  }
  const judged = await judgedThere(work, zip, skill.name, typed);
  const { name, manifest, files } = found;
  const shownWarnings = judged?.warnings ?? warnings;
  const lines = [
    `${name} ${manifest.version ?? "(no version)"}: valid, ${files.length} files`,
    ...issueLines("warnings", shownWarnings),
  ];
  if (judged !== null) {
    lines.push(...tokenLines(judged.tokens));
    if (judged.scripts !== null && judged.scripts.length > 0)
      lines.push("", "scripts", ...judged.scripts.map(verdictLine));
    if (judged.routing !== null) lines.push("", ...routingLines(judged.routing));
  }
  tell(work, lines.join("\n"));
  const { tokens = null, scripts = null, routing = null } = judged ?? {};
  const version = manifest.version ?? null;
  answer(work, {
    valid: true,
    name,
    version,
    files: files.length,
    issues,
    warnings: shownWarnings,
    tokens,
    scripts,
    routing,
    judged: judged !== null,
  });
  return EXIT.done;
}

/** Returns the gateway's validation result, or `null` if no gateway is available. A missing gateway does not make the skill invalid. */
async function judgedThere(work: Work, zip: Uint8Array, name: string, typed: Parameters<typeof signIn>[1]) {
  try {
    const gateway = new Gateway(work, await signIn(work, typed));
    const form = packageForm(zip, name);
    return await gateway.read(inspectionSchema, "/api/v1/kinds/skills/validate", { method: "POST", form });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    note(work, `Tokens, scripts and search were not checked: ${error.message}`);
    return null;
  }
}

/** Creates the form that uploads a package. */
export function packageForm(zip: Uint8Array, name: string, fields: Record<string, string> = {}): FormData {
  const form = new FormData();
  form.set("file", new Blob([new Uint8Array(zip)], { type: "application/zip" }), `${name}.zip`);
  for (const [field, value] of Object.entries(fields)) form.set(field, value);
  return form;
}

function tokenLines(tokens: z.infer<typeof inspectionSchema>["tokens"]): string[] {
  if (tokens === null) return [];
  const { line, instructions, files } = tokens;
  return ["", "tokens", `  in the list: ${line}, when loaded: ${instructions}, all other files: about ${files}`];
}

function signature({ inputSchema: { properties = {}, required = [] } }: z.infer<typeof toolSchema>): string {
  return Object.keys(properties)
    .map((name) => (required.includes(name) ? name : `${name}?`))
    .join(", ");
}
