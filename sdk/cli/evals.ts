// Parses the test cases in `evals/` in the common formats and separates those that can be judged without a model.

import * as z from "zod";

/** A prompt, and whether search should find the skill for it. */
export interface RoutingCase {
  id: string;
  prompt: string;
  isMeant: boolean;
}

const expectSchema = z.strictObject({
  exit: z.number().optional(),
  stdout: z.string().optional(),
  stdout_contains: z.union([z.string(), z.array(z.string())]).optional(),
  stdout_json: z.unknown().optional(),
  files: z.record(z.string(), z.string().nullable()).optional(),
  is_error: z.boolean().optional(),
  text_contains: z.union([z.string(), z.array(z.string())]).optional(),
  json: z.unknown().optional(),
});
const checkSchema = z.union([
  z.strictObject({
    script: z.string(),
    name: z.string().optional(),
    args: z.array(z.string()).default([]),
    input: z.string().default(""),
    files: z.record(z.string(), z.string()).default({}),
    expect: expectSchema,
  }),
  z.strictObject({
    tool: z.string(),
    name: z.string().optional(),
    arguments: z.record(z.string(), z.unknown()).default({}),
    answer: z.unknown().optional(),
    expect: expectSchema,
  }),
]);
export type CodeCheck = z.infer<typeof checkSchema>;
export type Expected = z.infer<typeof expectSchema>;

const caseSchema = z.looseObject({
  id: z.union([z.string(), z.number()]).optional(),
  prompt: z.string().optional(),
  query: z.string().optional(),
  should_trigger: z.boolean().optional(),
  expected_output: z.unknown().optional(),
  assertions: z.array(z.unknown()).optional(),
  expectations: z.array(z.unknown()).optional(),
});
const fileSchema = z.looseObject({
  evals: z.array(caseSchema).default([]),
  should_trigger: z.array(z.string()).default([]),
  should_not_trigger: z.array(z.string()).default([]),
  checks: z.array(z.unknown()).default([]),
});

export interface Cases {
  routing: RoutingCase[];
  checks: CodeCheck[];
  /** Expectations that need a model. */
  unjudged: string[];
  /** Cases that could not be parsed. */
  problems: string[];
}

/** Parses one file of `evals/`. */
export function readCases(file: string, text: string): Cases {
  const none: Cases = { routing: [], checks: [], unjudged: [], problems: [] };
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    return {
      ...none,
      problems: [`${file} is not valid JSON: ${error instanceof Error ? error.message : String(error)}`],
    };
  }
  const read = fileSchema.safeParse(Array.isArray(json) ? { evals: json } : json);
  if (!read.success) return { ...none, problems: [`${file} has an unknown format. See "Cases" in docs/cli.md.`] };
  const { evals, should_trigger, should_not_trigger, checks } = read.data;
  const routing: RoutingCase[] = [];
  const unjudged: string[] = [];
  for (const [at, one] of evals.entries()) {
    const id = String(one.id ?? at + 1);
    const prompt = one.prompt ?? one.query;
    if (prompt !== undefined) routing.push({ id, prompt, isMeant: one.should_trigger !== false });
    if (one.expected_output !== undefined) unjudged.push(`${id}: expected_output`);
    for (const assertion of [...(one.assertions ?? []), ...(one.expectations ?? [])])
      unjudged.push(`${id}: ${typeof assertion === "string" ? assertion : JSON.stringify(assertion)}`);
  }
  for (const [at, prompt] of should_trigger.entries()) routing.push({ id: `+${at + 1}`, prompt, isMeant: true });
  for (const [at, prompt] of should_not_trigger.entries()) routing.push({ id: `-${at + 1}`, prompt, isMeant: false });
  const problems: string[] = [];
  const good = checks.flatMap((check, at) => {
    const one = checkSchema.safeParse(check);
    if (one.success) return [one.data];
    problems.push(`${file}: checks[${at}] ${z.prettifyError(one.error).replaceAll("\n", " ")}`);
    return [];
  });
  return { routing, checks: good, unjudged, problems };
}

/** The result of a run, as far as checks use it. */
export interface Ran {
  exit?: number;
  stdout?: string;
  /** Text of the files that the run left, by path. */
  files?: Readonly<Record<string, string>>;
  isError?: boolean;
  text?: string;
}

/** Returns the differences from the expected result. Empty if all match. */
export function differences(expected: Expected, ran: Ran): string[] {
  const found: string[] = [];
  const equal = (what: string, wanted: unknown, seen: unknown) => {
    if (JSON.stringify(sorted(wanted)) !== JSON.stringify(sorted(seen)))
      found.push(`${what} is ${JSON.stringify(seen) ?? "missing"}, expected ${JSON.stringify(wanted)}`);
  };
  const contains = (what: string, wanted: string | string[], seen: string) => {
    for (const part of [wanted].flat())
      if (!seen.includes(part)) found.push(`${what} does not contain ${JSON.stringify(part)}`);
  };
  const stdout = ran.stdout ?? "";
  equal("the exit code", expected.exit ?? (ran.exit === undefined ? undefined : 0), ran.exit);
  if (expected.stdout !== undefined) equal("stdout", expected.stdout.trimEnd(), stdout.trimEnd());
  if (expected.stdout_contains !== undefined) contains("stdout", expected.stdout_contains, stdout);
  if (expected.stdout_json !== undefined) equal("stdout as JSON", expected.stdout_json, parsed(stdout));
  for (const [path, wanted] of Object.entries(expected.files ?? {})) {
    const seen = ran.files?.[path] ?? ran.files?.[`/workspace/${path}`];
    if (wanted === null ? seen === undefined : seen === undefined) found.push(`the file ${path} was not written`);
    else if (wanted !== null) equal(`the file ${path}`, wanted, seen);
  }
  const isError = expected.is_error ?? (ran.isError === undefined ? undefined : false);
  if (isError !== undefined) equal("is_error", isError, ran.isError ?? false);
  if (expected.text_contains !== undefined) contains("the result", expected.text_contains, ran.text ?? "");
  if (expected.json !== undefined) equal("the result as JSON", expected.json, parsed(ran.text ?? ""));
  return found;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Sorts keys, so that two objects are compared by content. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, each]) => [key, sorted(each)]),
  );
}
