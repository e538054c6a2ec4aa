// `call` and `pack`: run a tool or script of a skill in a local isolate (needs a checkout of the gateway), and create a ZIP.

import { writeFile } from "node:fs/promises";
import * as z from "zod";
import { type Command, option, TEXT } from "../command";
import { answer, note, placeOf, tell, type Work } from "../context";
import { skillAt } from "../folder";
import { issuesSchema } from "../gateway";
import { issueLines } from "../print";
import { EXIT, misused, Problem } from "../problem";
import { askBench } from "./check";

const runSchema = z.looseObject({
  exit_code: z.number(),
  stdout: z.string(),
  stderr: z.string(),
  files: z.record(z.string(), z.string()).default({}),
  left: z.array(z.looseObject({ path: z.string(), reason: z.string() })).optional(),
});
const calledSchema = z.looseObject({
  issues: issuesSchema.optional(),
  warnings: issuesSchema.default([]),
  problem: z.string().optional(),
  logs: z.array(z.string()).default([]),
  told: z
    .array(z.looseObject({ request: z.string().optional(), emit: z.string().optional(), payload: z.unknown() }))
    .default([]),
  run: runSchema.optional(),
  result: z
    .looseObject({
      isError: z.boolean().optional(),
      content: z.array(z.looseObject({ type: z.string(), text: z.string().optional() })),
    })
    .optional(),
});
export type Called = z.infer<typeof calledSchema>;

/** Calls a tool or a script in the bench. */
export async function callOnBench(
  work: Work,
  skill: Awaited<ReturnType<typeof skillAt>>,
  asked: object,
): Promise<Called> {
  return calledSchema.parse(await askBench(work, skill, asked));
}

export const call: Command = {
  usage: "<skill> <tool or script> ['<json>'] [--answer '<json>']",
  summary:
    "Calls a tool or a script of a skill in a local isolate. Works in a checkout only. --answer is the answer of the user's page. The JSON for a script can have args, input and files.",
  options: { answer: TEXT },
  names: [2, 3],
  async run(work, [folder = "", name = "", given = "{}"], values) {
    const page = option(values, "answer");
    const seen = await callOnBench(work, await skillAt(work, folder), {
      call: name,
      arguments: parseJson(given, "The arguments"),
      ...(page === undefined ? {} : { answer: parseJson(page, "--answer") }),
    });
    if (seen.issues !== undefined) {
      tell(
        work,
        ["not valid", ...issueLines("issues", seen.issues), ...issueLines("warnings", seen.warnings)].join("\n"),
      );
      return EXIT.refused;
    }
    if (seen.problem !== undefined) throw new Problem(EXIT.refused, seen.problem);
    answer(work, seen);
    if (!work.json) print(work, seen);
    if (seen.run !== undefined) return seen.run.exit_code;
    return seen.result?.isError === true ? EXIT.refused : EXIT.done;
  },
};

function print(work: Work, { logs, told, run, result }: Called): void {
  for (const line of logs) note(work, `log: ${line}`);
  for (const { request, emit, payload } of told)
    note(work, `${request === undefined ? `emit ${emit}` : `request ${request}`}: ${JSON.stringify(payload)}`);
  if (run === undefined) {
    for (const block of result?.content ?? [])
      work.stdout.write(`${block.type === "text" ? block.text : JSON.stringify(block)}\n`);
    return;
  }
  work.stdout.write(run.stdout);
  work.stderr.write(run.stderr);
  for (const [file, base64] of Object.entries(run.files))
    note(work, `file: ${file}, ${Buffer.from(base64, "base64").length} bytes`);
  for (const { path, reason } of run.left ?? []) note(work, `file: ${path}, left: ${reason}`);
}

export const pack: Command = {
  usage: "<folder> [--out <file>]",
  summary: "Writes the ZIP of a skill to the current folder or to --out.",
  options: { out: TEXT },
  names: [1, 1],
  async run(work, [folder = ""], values) {
    const skill = await skillAt(work, folder);
    const file = placeOf(work, option(values, "out") ?? `${skill.name}.zip`);
    const zip = await skill.zip();
    await writeFile(file, zip);
    tell(work, `${file}: ${zip.length} bytes`);
    answer(work, { file, bytes: zip.length });
    return EXIT.done;
  },
};

export function parseJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw misused(`${what} is not valid JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}
