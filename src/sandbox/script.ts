// A script of a skill, run to its end: what it wrote, how it ended, and how long it took.

import * as z from "zod";
import type { JsonObject } from "../domain/json";
import { CODE_LIMITS } from "../domain/limits";
import { cutText } from "../domain/tool";
import type { HostParts } from "./host";
import { type IsolateCode, runIsolated } from "./isolate";
import type { ToolContext } from "./provider";

export type ScriptCode = Omit<IsolateCode, "as" | "userId">;

export interface ScriptRun {
  exit_code: number;
  stdout: string;
  stderr: string;
  duration_ms: number;
  /** Ended from outside: at its deadline, by a limit, or by a cancellation. */
  killed: boolean;
}

/** As a shell tells of a process that was killed. */
const KILLED = 137;

const outcomeSchema = z.object({ exit: z.int().catch(1), stdout: z.string(), stderr: z.string() });

export async function runScript(
  loader: WorkerLoader,
  code: ScriptCode,
  asked: { args: string[]; input: string; context: ToolContext & { scriptPath: string } },
  host: Omit<HostParts, "deadline">,
  ms: number,
  signal: AbortSignal,
): Promise<ScriptRun> {
  const { args, input, context } = asked;
  const ask: JsonObject = { kind: "script", args, input, context: { ...context }, config: code.config };
  const isolate = { ...code, as: "script" as const, userId: context.userId };
  const { outcome, line, ms: took } = await runIsolated(loader, isolate, ask, host, ms, signal);
  const told = outcome.kind === "answer" ? outcomeSchema.safeParse(outcome.value) : null;
  if (told?.success) {
    const { exit, stdout, stderr } = told.data;
    return { exit_code: exit, ...shown(stdout, stderr), duration_ms: took, killed: false };
  }
  const why = reasonOf();
  const stderr = line.output.stderr + (line.output.stderr === "" ? "" : "\n") + why;
  const killed = outcome.kind !== "failed" && outcome.kind !== "answer";
  return { exit_code: killed ? KILLED : 1, ...shown(line.output.stdout, stderr), duration_ms: took, killed };

  function reasonOf(): string {
    switch (outcome.kind) {
      case "timeout":
        return `The script was ended after ${ms / 1_000}s.`;
      case "cancelled":
        return "The script was cancelled.";
      case "stopped":
        return `The script was ended: ${outcome.reason}.`;
      case "failed":
        return outcome.message;
      case "answer":
        return "The script's outcome cannot be read.";
    }
  }
}

function shown(stdout: string, stderr: string): { stdout: string; stderr: string } {
  return { stdout: cutText(stdout, CODE_LIMITS.outputChars), stderr: cutText(stderr, CODE_LIMITS.outputChars) };
}
