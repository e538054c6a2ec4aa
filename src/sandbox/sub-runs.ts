// Runs a part of a run in another language: `python3` and `node` in a shell script, or a command of a Python provider. A part has the same
// deadline and counters and the current files, and returns its changes to them.

import * as z from "zod";
import { isRunPath } from "../domain/code/run-path";
import { PART_FILES, SCRIPT_FILES } from "../domain/code/script-limits";
import { CODE_LIMITS } from "../domain/limits";
import type { Executor, IsolateParts, ScriptCall } from "./executor";
import type { HostCall, SubRunResult } from "./host";
import type { RunFile } from "./isolate";

const askSchema = z.lazy(() =>
  z.object({
    language: z.enum(["javascript", "python", "shell"]),
    /** A file of the run by its absolute path, or source text. */
    file: z.string().max(4_096).exactOptional(),
    text: z.string().max(CODE_LIMITS.moduleBytes).exactOptional(),
    args: z.array(z.string()).max(10_000),
    input: z.string(),
    cwd: z.string().max(4_096),
    /** Existing folders, including empty ones. */
    folders: z.array(z.string().max(4_096)).max(SCRIPT_FILES.entries),
    /** Deleted files of the package. */
    gone: z.array(z.string().max(4_096)).max(10_000),
    env: z.record(z.string(), z.string()),
    /** A time limit shorter than that of the whole run. */
    ms: z.number().positive().exactOptional(),
  }),
);

/** Returns the handler with which a run's host starts parts of the run. */
export function subRunHandler(
  parts: IsolateParts,
  others: (parts: IsolateParts) => Executor[],
  whole: Pick<ScriptCall, "digest" | "config" | "context">,
  signal: AbortSignal,
): (ask: unknown, given: unknown, line: HostCall) => Promise<SubRunResult> {
  return async (ask, given, line) => {
    const { language, file, text, args, input, cwd, env, folders, gone, ms: most } = readAsk(ask);
    const files = readFiles(given);
    // The part ends with the whole run, even if only the run's own isolate has detected its end.
    const ended = new AbortController();
    void line.over.promise.then(() => ended.abort());
    const host = { ...parts.host, whole: line };
    const { inner: slots } = parts.slots;
    const script = { path: pathOf(file), language };
    const executor = others({ ...parts, slots, host }).find((one) => one.runs(script));
    if (executor === undefined) throw new Error(`${language} is not supported.`);
    const left = Math.max(1, line.parts.deadline - Date.now());
    const ms = Math.min(left, most ?? left);
    const part = {
      ...(file === undefined ? {} : { file }),
      ...(text === undefined ? {} : { text }),
      cwd,
      env,
      folders,
      gone,
    };
    const { digest, config, context } = whole;
    const run = await executor.run(
      { digest, config, context, script, args, input, files, ms, part },
      AbortSignal.any([signal, ended.signal]),
    );
    const { exit_code: exit, stdout, stderr, removed = [], files: changed } = run;
    return { exit, stdout, stderr, files: [...changed], removed: [...removed] };
  };
}

/** Returns the path in the package, or the absolute path of other files. */
function pathOf(file: string | undefined): string {
  if (file === undefined) return "";
  const { skill } = SCRIPT_FILES;
  return file.startsWith(`${skill}/`) ? file.slice(skill.length + 1) : file;
}

function readAsk(ask: unknown): z.infer<typeof askSchema> {
  if (typeof ask !== "string" || ask.length > CODE_LIMITS.answerChars)
    throw new TypeError("A part of a run is asked for in JSON.");
  const read = askSchema.safeParse(JSON.parse(ask));
  if (!read.success || (read.data.file === undefined) === (read.data.text === undefined))
    throw new TypeError("A part of a run is a file or a text, with arguments, input, folder and environment.");
  return read.data;
}

function readFiles(given: unknown): RunFile[] {
  if (!Array.isArray(given) || given.length > 2 * SCRIPT_FILES.entries) throw new TypeError("Files are a list.");
  let bytes = 0;
  const files = given.map((each: unknown): RunFile => {
    const { path, bytes: content } = z.object({ path: z.string(), bytes: z.instanceof(Uint8Array) }).parse(each);
    if (!isRunPath(path)) throw new TypeError("A file has a full path.");
    bytes += content.length;
    return { path, bytes: content };
  });
  if (bytes > PART_FILES.outBytes) throw new RangeError("The files of a part are too large.");
  return files;
}
