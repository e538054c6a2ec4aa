// Determines for each script of a package whether it runs in the gateway and for which reason. The result depends on imports only. Nothing
// is executed.

import { CODE_LIMITS } from "../../limits";
import type { PackageFile, SkillPackage } from "../../package/skill";
import { utf8Text } from "../../text";
import type { CompiledFunctions } from "../functions";
import { languageOf } from "../language";
import { SCRIPT_FILES, TOO_LARGE_TO_RUN } from "../script-limits";
import { javascriptJudge } from "./javascript";
import { pythonJudge } from "./python";
import { isJudged, isWheel, readableScripts } from "./scripts";
import { shellJudgement } from "./shell";
import type { Judgement, ScriptVerdict } from "./verdict";
import { modulesInWheel } from "./wheel";

/**
 * Returns a verdict for each script, in the order of the files. Scripts that cannot be checked are omitted.
 *
 * @param compiled the compiled JavaScript; `null` if compiling failed
 */
export function judgeScripts(
  { zip, files }: Pick<SkillPackage, "zip"> & { files: readonly PackageFile[] },
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
  const python = pythonJudge({ paths, textOf, wheels });
  const javascript = compiled === null ? null : javascriptJudge(compiled, new Set(paths));
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
    if (language === "python") return python(path);
    return shellJudgement(text);
  }

  const scripts = files.filter(({ path }) => isJudged(path));
  return scripts.slice(0, CODE_LIMITS.judgedScripts).flatMap((file) => {
    const verdict = verdictOf(file);
    return verdict === null ? [] : [{ path: file.path, ...verdict }];
  });
}
