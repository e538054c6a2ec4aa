// Determines for each script of a package whether it runs in the gateway and for which reason. The result depends on imports only. Nothing
// is executed.

import { CODE_LIMITS } from "../../limits";
import { inlineRequirements, requirementLines } from "../../package/requirements";
import type { Manifest, PackageFile } from "../../package/skill";
import { utf8Text } from "../../text";
import type { CodePackage } from "../declared-code";
import type { CompiledFunctions } from "../functions";
import { languageOf } from "../language";
import { SCRIPT_FILES, TOO_LARGE_TO_RUN } from "../script-limits";
import { javascriptJudge } from "./javascript";
import { pythonJudge } from "./python";
import { isJudged, isRequirements, isWheel, readableScripts } from "./scripts";
import { calledFiles, shellJudgement } from "./shell";
import { type Judgement, type ScriptVerdict, union, worst } from "./verdict";
import { modulesInWheel } from "./wheel";

/**
 * Returns a verdict for each script, in the order of the files. Scripts that cannot be checked are omitted.
 *
 * @param compiled the compiled JavaScript; `null` if compiling failed
 */
export function judgeScripts(
  {
    zip,
    files,
    manifest,
  }: Pick<CodePackage, "zip" | "files"> & { manifest: Pick<Manifest, "requirements" | "network"> },
  compiled: CompiledFunctions | null,
): ScriptVerdict[] {
  const paths = files.map(({ path }) => path);
  const readable = readableScripts(files);
  const byPath = new Map(files.map((file) => [file.path, file]));
  const bytesOf = ({ offset, size }: PackageFile) => zip.subarray(offset, offset + size);
  const textOf = (path: string) => {
    const file = byPath.get(path);
    return file === undefined || !readable.has(file) ? null : utf8Text(bytesOf(file));
  };
  const brought = files
    .filter(({ path }) => isWheel(path))
    .map((file) => (readable.has(file) ? modulesInWheel(bytesOf(file)) : null));
  const wheels = brought.includes(null) ? null : new Set(brought.flatMap((names) => [...(names ?? [])]));
  const hasNetwork = manifest.network !== undefined;
  const python = pythonJudge({ paths, textOf, wheels, hasNetwork });
  const javascript = compiled === null ? null : javascriptJudge(compiled, new Set(paths), hasNetwork);
  const isTooLarge = files.reduce((sum, { size }) => sum + size, 0) > SCRIPT_FILES.packageBytes;

  function verdictOf(file: PackageFile): Judgement | null {
    const { path } = file;
    const language = languageOf(path);
    if (language === null)
      return { runs: "nowhere", reason: `${(/\.\w+$/.exec(path) ?? [""])[0]} files cannot be run.` };
    if (isTooLarge) return { runs: "nowhere", reason: TOO_LARGE_TO_RUN };
    if (language === "javascript") return javascript?.(path) ?? null;
    if (!readable.has(file)) return null;
    const text = textOf(path);
    if (text === null) return { runs: "nowhere", reason: "It is not UTF-8 text." };
    if (language === "python") return withRequirements(path, python(path));
    return shellVerdict(path);
  }

  /** Returns the verdict on a shell script and on the scripts of the package that it calls. */
  function shellVerdict(entry: string): Judgement {
    const seen = new Set([entry]);
    const found: Judgement[] = [];
    for (const path of seen) {
      const text = textOf(path);
      if (languageOf(path) !== "shell") {
        const file = byPath.get(path);
        const verdict = file === undefined || languageOf(path) === null ? null : verdictOf(file);
        if (verdict !== null) found.push(calledVerdict(path, verdict));
      } else if (text !== null) {
        const verdict = shellJudgement(text, hasNetwork);
        found.push(path === entry ? verdict : calledVerdict(path, verdict));
        for (const file of calledFiles(text, path, paths)) seen.add(file);
      }
    }
    return worst(found);
  }

  const requirementFiles = files.filter(({ path }) => isRequirements(path));
  /** Returns what the skill declares for a Python script: in the script, in the folders that contain it, and in SKILL.md. */
  function requirementsOf(path: string): string[] {
    const around = requirementFiles.filter((file) => path.startsWith(file.path.replace(/[^/]*$/, "")));
    const lines = around.flatMap((file) => requirementLines(textOf(file.path) ?? ""));
    return [...inlineRequirements(textOf(path) ?? ""), ...lines, ...(manifest.requirements ?? [])];
  }

  /** Adds the declared packages to a verdict on a Python script that can need some. */
  function withRequirements(path: string, verdict: Judgement): Judgement {
    if (verdict.runs !== "remote" && verdict.runs !== "partly") return verdict;
    const needs = union([verdict.needs ?? {}, { requirements: requirementsOf(path) }]);
    return needs === null ? verdict : { ...verdict, needs };
  }

  /** Returns the verdict that a script has because it calls another. */
  function calledVerdict(path: string, { line, ...verdict }: Judgement): Judgement {
    if (verdict.reason === undefined) return verdict;
    const reason = `${verdict.reason} (${path}${line === undefined ? "" : `, line ${line}`})`;
    return { ...verdict, runs: verdict.runs === "nowhere" ? "partly" : verdict.runs, reason };
  }

  const scripts = files.filter(({ path }) => isJudged(path));
  return scripts.slice(0, CODE_LIMITS.judgedScripts).flatMap((file) => {
    const verdict = verdictOf(file);
    return verdict === null ? [] : [{ path: file.path, ...verdict }];
  });
}
