// `test`: runs a skill's own test cases for search ranking, scripts and tools. Expectations that need a model are counted as not judged.

import { readFile } from "node:fs/promises";
import path from "node:path";
import { type Command, GATEWAY_OPTIONS, option, TEXT, type Values, YES } from "../command";
import { answer, note, tell, type Work } from "../context";
import { type Cases, type CodeCheck, differences, type RoutingCase, readCases } from "../evals";
import { filesIn, type NamedSkill, packFolder, skillAt } from "../folder";
import { oneLineOf, placeText } from "../print";
import { EXIT, misused, Problem } from "../problem";
import { progressOf } from "../progress";
import { type CaseResult, findTested, recordResults, tellRecorded } from "../record-evals";
import { gatewayOf, SKILLS } from "../resolve";
import { inspectionSchema } from "../resources";
import { callOnBench } from "./bench";
import { packageForm } from "./check";

/** Number of prompts in one routing report. */
const PROMPTS_PER_REPORT = 20;
/** Number of search results that a model sees. A skill must rank within them. */
const RESULTS_SHOWN = 3;

interface Verdict {
  kind: "routing" | "check";
  id: string;
  passed: boolean;
  told: string;
  /** What is recorded. */
  result: CaseResult;
}

/** What is reported of a run of the cases. */
interface Outcome {
  cases: Cases;
  verdicts: Verdict[];
  /** Cases that could not run, with the reason. */
  skipped: string[];
}

export const test: Command = {
  usage: "[skill] [--only routing|checks] [--record [--as <name>]] [--url <gateway>] [--key <key>]",
  summary:
    "Runs the cases in evals/. Routing cases ask a gateway whether search finds the skill. Checks run scripts and tools and work in a checkout only. Expectations that need a model are counted as not judged. --record stores the results on the gateway and names the cases that passed with the version before.",
  options: { ...GATEWAY_OPTIONS, only: TEXT, record: YES, as: TEXT },
  names: [0, 1],
  async run(work, [name = "."], values) {
    const only = option(values, "only");
    if (only !== undefined && only !== "routing" && only !== "checks")
      throw misused("--only has an unknown value. Use routing or checks.");
    const skill = await skillAt(work, name);
    if (!skill.isFolder) throw misused("The cases are read from a folder. Name the folder of the skill.");
    if (values.as !== undefined && values.record !== true) throw misused("--as works with --record only.");
    const gateway = values.record === true ? await gatewayOf(work, values) : null;
    // Before the cases run, so that a missing skill is reported at once.
    const tested = gateway === null ? null : await findTested(gateway, skill, option(values, "as") ?? skill.name);
    const cases = await casesOf(skill);
    const skipped: string[] = [];
    const verdicts: Verdict[] = [];
    if (only !== "checks")
      await orSkipped(skipped, "routing", cases.routing.length, async () => {
        verdicts.push(...(await judgeRouting(work, skill, cases.routing, values)));
      });
    if (only !== "routing")
      await orSkipped(skipped, "checks", cases.checks.length, async () => {
        if (work.checkout === null)
          throw new Problem(
            EXIT.usage,
            "scripts and tools run only in a checkout of the gateway (npm run skill -- test)",
          );
        for (const [at, check] of cases.checks.entries()) verdicts.push(await judgeCode(work, skill, check, at));
      });
    const outcome = { cases, verdicts, skipped };
    tellOutcome(work, skill.name, outcome);
    const isWhole = verdicts.length > 0 && skipped.length === 0 && cases.problems.length === 0;
    if (gateway === null || tested === null) return ended(work, skill.name, outcome, {});
    if (!isWhole) {
      note(
        work,
        "Nothing was recorded, because not all cases ran. Fix what is reported above, or choose the cases with --only.",
      );
      const code = ended(work, skill.name, outcome, { recorded: null });
      return code === EXIT.done ? EXIT.unreachable : code;
    }
    const results = verdicts.map(({ result }) => result);
    const recorded = await recordResults(gateway, skill, tested, results);
    tellRecorded(work, recorded);
    return ended(work, skill.name, outcome, { recorded });
  },
};

async function casesOf(skill: NamedSkill): Promise<Cases> {
  const files = (await filesIn(skill.place)).filter((file) => /^evals\/[^/]+\.json$/.test(file));
  const all = await Promise.all(
    files.map(async (file) => readCases(file, await readFile(path.join(skill.place, file), "utf8"))),
  );
  return {
    routing: all.flatMap(({ routing }) => routing),
    checks: all.flatMap(({ checks }) => checks),
    unjudged: all.flatMap(({ unjudged }) => unjudged),
    problems: all.flatMap(({ problems }) => problems),
  };
}

/** Runs cases. If they cannot run here, adds the reason to `skipped` instead of counting them as passed. */
async function orSkipped(skipped: string[], what: string, count: number, run: () => Promise<void>): Promise<void> {
  if (count === 0) return;
  try {
    await run();
  } catch (error) {
    if (!(error instanceof Problem) || error.exit === EXIT.refused) throw error;
    skipped.push(`${count} ${what} cases: ${error.message}`);
  }
}

/** Judges the rank for each prompt without indexing the prompts as examples. This estimates the rank for other wordings. */
async function judgeRouting(
  work: Work,
  skill: NamedSkill,
  cases: readonly RoutingCase[],
  values: Values,
): Promise<Verdict[]> {
  const gateway = await gatewayOf(work, values);
  const progress = progressOf(work, `searching for ${cases.length} prompts`);
  const verdicts: Verdict[] = [];
  try {
    for (let at = 0; at < cases.length; at += PROMPTS_PER_REPORT) {
      const some = cases.slice(at, at + PROMPTS_PER_REPORT);
      const asked = JSON.stringify({ evals: some.map(({ prompt }) => ({ prompt })) });
      // The gateway builds the report from all files in `evals/`. The upload therefore contains only these prompts.
      const others = (await filesIn(skill.place)).filter((file) => /^evals\/[^/]+\.json$/.test(file));
      const instead = new Map([...others.map((file) => [file, "[]"] as const), ["evals/evals.json", asked] as const]);
      const form = packageForm(await packFolder(skill.place, instead), skill.name);
      const { routing, issues } = await gateway.read(inspectionSchema, `${SKILLS}/validate`, { method: "POST", form });
      if (issues.length > 0)
        throw new Problem(
          EXIT.refused,
          `${skill.name} is not valid: ${issues.map(({ message }) => message).join("; ")}`,
        );
      if (routing === null) throw new Problem(EXIT.absent, "the gateway returned no routing report");
      const places = new Map(routing.prompts.map((one) => [one.prompt, one]));
      for (const { id, prompt, isMeant } of some) verdicts.push(routed({ id, prompt, isMeant }, places.get(prompt)));
      progress.step(`searched for ${verdicts.length} of ${cases.length} prompts`);
    }
  } finally {
    progress.end();
  }
  return verdicts;
}

function routed(
  { id, prompt, isMeant }: RoutingCase,
  place: { rank_without_examples: number | null; ahead: string[] } | undefined,
): Verdict {
  const rank = place?.rank_without_examples ?? null;
  const isFound = rank !== null && rank <= RESULTS_SHOWN;
  const behind =
    isMeant && !isFound && place !== undefined && place.ahead.length > 0 ? `, behind ${place.ahead.join(", ")}` : "";
  const wanted = isMeant ? "" : " (must not be among the first three)";
  return {
    kind: "routing",
    id,
    passed: isFound === isMeant,
    result: {
      name: `${isMeant ? "routing" : "not routing"}: ${prompt}`,
      passed: isFound === isMeant,
      ...(isFound === isMeant ? {} : { reason: `rank ${placeText(rank)}${wanted}${behind}` }),
    },
    told: `${placeText(rank)}${wanted}  ${oneLineOf(prompt)}${behind}`,
  };
}

async function judgeCode(work: Work, skill: NamedSkill, check: CodeCheck, at: number): Promise<Verdict> {
  const id = check.name ?? ("script" in check ? check.script : check.tool);
  const asked =
    "script" in check
      ? { call: check.script, arguments: { args: check.args, input: check.input }, files: encoded(check.files) }
      : {
          call: check.tool,
          arguments: check.arguments,
          ...(check.answer === undefined ? {} : { answer: check.answer }),
        };
  const { issues, problem, run, result } = await callOnBench(work, skill, asked);
  const wrong =
    issues !== undefined
      ? issues.map(({ message }) => message)
      : problem !== undefined
        ? [problem]
        : differences(check.expect, {
            ...(run === undefined ? {} : { exit: run.exit_code, stdout: run.stdout, files: decoded(run.files) }),
            ...(run !== undefined || result === undefined ? {} : { isError: result.isError === true }),
            text: (result?.content ?? []).map(({ text = "" }) => text).join("\n"),
          });
  const passed = wrong.length === 0;
  const recorded = { name: `check: ${id}`, passed, ...(passed ? {} : { reason: wrong.join("; ") }) };
  return { kind: "check", id: `${at + 1}`, passed, told: [id, ...wrong].join("\n      "), result: recorded };
}

const encoded = (files: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(files).map(([name, text]) => [
      name.startsWith("/") ? name : `/workspace/${name}`,
      Buffer.from(text).toString("base64"),
    ]),
  );
const decoded = (files: Record<string, string>) =>
  Object.fromEntries(Object.entries(files).map(([name, text]) => [name, Buffer.from(text, "base64").toString("utf8")]));

/** Prints the results for people. */
function tellOutcome(work: Work, name: string, { cases, verdicts, skipped }: Outcome): void {
  const failed = verdicts.filter(({ passed }) => !passed);
  const { unjudged, problems } = cases;
  for (const problem of problems) note(work, problem);
  for (const { kind, id, passed, told } of verdicts)
    tell(work, `  ${passed ? "ok  " : "FAIL"}  ${kind} ${id}  ${told}`);
  const count = verdicts.length + cases.routing.length + cases.checks.length;
  if (count === 0 && unjudged.length === 0) tell(work, `${name} has no cases. Write some in evals/evals.json.`);
  for (const line of skipped) tell(work, `  not run: ${line}`);
  if (unjudged.length > 0) tell(work, `  not judged, because they need a model: ${unjudged.length} expectations`);
  tell(
    work,
    `${name}: ${verdicts.length - failed.length} passed, ${failed.length} failed, ${unjudged.length} not judged`,
  );
}

/** Prints the results as JSON, and returns the exit code. */
function ended(work: Work, name: string, { cases, verdicts, skipped }: Outcome, more: object): number {
  const { unjudged, problems } = cases;
  const failed = verdicts.filter(({ passed }) => !passed);
  answer(work, {
    skill: name,
    passed: verdicts.length - failed.length,
    failed: failed.length,
    verdicts: verdicts.map(({ result: _, ...verdict }) => verdict),
    not_judged: unjudged,
    not_run: skipped,
    problems,
    ...more,
  });
  if (failed.length > 0 || problems.length > 0) return EXIT.refused;
  return verdicts.length === 0 && skipped.length > 0 ? EXIT.unreachable : EXIT.done;
}
