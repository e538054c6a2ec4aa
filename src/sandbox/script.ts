// Runs a script of any language in an isolate, from the call to the report.

import * as z from "zod";
import { SCRIPT_FILES } from "../domain/code/script-limits";
import { CODE_LIMITS } from "../domain/limits";
import { cutText } from "../domain/tool";
import { type IsolateParts, KILLED, type ScriptCall, type ScriptRun } from "./executor";
import { type IsolateCode, type Outcome, runIsolated } from "./isolate";

const outcomeSchema = z.lazy(() => z.object({ exit: z.int().catch(1), stdout: z.string(), stderr: z.string() }));

/** Sends `{ kind: "script", path, args, input, context, config, ms }` to a harness, which returns `{ exit, stdout, stderr }`. */
export async function runInIsolate(
  { loader, slots, host }: IsolateParts,
  code: IsolateCode,
  { script, args, input, files, config, context, ms, part }: ScriptCall,
  signal: AbortSignal,
): Promise<ScriptRun> {
  const ask = {
    kind: "script",
    path: script.path,
    args,
    input,
    context: { ...context, scriptPath: script.path },
    config,
    ms,
    // A part returns all its changes and deletions to the run.
    network: host.network !== undefined,
    ...(part === undefined
      ? { env: { ...host.network?.env } }
      : { ...part, toldFiles: SCRIPT_FILES.entries, isPart: true }),
  };
  const { outcome, line, ms: took } = await runIsolated({ loader, slots }, code, { ask, files, ms }, host, signal);
  const parsed = outcome.kind === "answer" ? outcomeSchema.safeParse(outcome.value) : null;
  const written = {
    files: [...line.files].map(([path, bytes]) => ({ path, bytes })),
    left: [...line.left].map(([path, reason]) => ({ path, reason })),
    ...(part === undefined ? {} : { removed: [...line.removed] }),
  };
  if (parsed?.success) {
    const { exit, stdout, stderr } = parsed.data;
    return { exit_code: exit, ...shown(stdout, stderr), duration_ms: took, killed: false, ...written, reason: null };
  }
  const stderr = line.output.stderr + (line.output.stderr === "" ? "" : "\n") + failureMessage(outcome, ms);
  const reason = outcome.kind === "answer" ? "failed" : outcome.kind;
  const killed = reason !== "failed" && reason !== "busy";
  const exit_code = killed ? KILLED : 1;
  return { exit_code, ...shown(line.output.stdout, stderr), duration_ms: took, killed, ...written, reason };
}

/** Returns the reason why there is no readable result. */
function failureMessage(outcome: Outcome, ms: number): string {
  switch (outcome.kind) {
    case "timeout":
      return `The script was ended after ${ms / 1_000}s.`;
    case "cancelled":
      return "The script was cancelled.";
    case "stopped":
      return `The script was ended: ${outcome.reason}.`;
    case "busy":
      return `The script was not started: ${outcome.reason}.`;
    case "failed":
      return outcome.message;
    case "answer":
      return "The result of the script cannot be read.";
  }
}

function shown(stdout: string, stderr: string): { stdout: string; stderr: string } {
  return { stdout: cutText(stdout, CODE_LIMITS.outputChars), stderr: cutText(stderr, CODE_LIMITS.outputChars) };
}
