// Determines whether JavaScript scripts run in the gateway, from their imports and those of the package's modules they use.

import type { FileFunction } from "../function";
import { neededFile } from "../functions";
import { isNodeBuiltin } from "../node-builtins";
import type { SyntaxProblem } from "../syntax";
import { type Judgement, shownName, worst } from "./verdict";

/** Modules that exist by name, but whose functions fail when called. */
const HOLLOW: [RegExp, string][] = [
  [/^(?:http|https|http2|net|tls|dgram|dns|dns\/promises)$/, "network access is not available"],
  [/^child_process$/, "programs cannot be started"],
  [/^(?:worker_threads|cluster|vm)$/, "threads are not available"],
];

/** Modules that work for hosts that the skill declares. */
const FOR_HOSTS = /^https?$/;

/** The compiler's output for a package. */
interface Compiled {
  functions: Readonly<Record<string, FileFunction>>;
  faults: Readonly<Record<string, SyntaxProblem>>;
}

/** @param hasNetwork whether the skill declares hosts */
export function javascriptJudge(
  { functions, faults }: Compiled,
  paths: ReadonlySet<string>,
  hasNetwork = false,
): (path: string) => Judgement {
  function lackOf(from: string, specifier: string): Judgement | null {
    const name = shownName(specifier);
    const bare = specifier.replace(/^node:/, "");
    const hollow = HOLLOW.find(([names]) => names.test(bare));
    if (hollow !== undefined && !(hasNetwork && FOR_HOSTS.test(bare)))
      return { runs: "partly", reason: `It imports ${name}, but ${hollow[1]}. Calls that need it fail.` };
    if (isNodeBuiltin(specifier) || neededFile(from, specifier, paths) !== null || /^(?:\/|file:)/.test(specifier))
      return null;
    if (specifier.startsWith("node:"))
      return { runs: "remote", reason: `It imports ${name}, a Node module that is not available.` };
    if (/^\.{1,2}(?:\/|$)/.test(specifier))
      return { runs: "nowhere", reason: `It imports ${name}, which is not a file of the package. Add the file.` };
    return {
      runs: "nowhere",
      reason: `It imports ${name}, which is neither in the package nor built into Node. Bundle it.`,
    };
  }

  return (entry) => {
    const seen = new Set([entry]);
    const found: Judgement[] = [];
    for (const path of seen) {
      const fault = faults[path];
      const behind = path === entry ? "" : ` (${path})`;
      if (fault !== undefined)
        found.push({
          runs: "nowhere",
          reason: fault.message + behind,
          ...(path === entry && fault.line > 0 ? { line: fault.line } : {}),
        });
      for (const { specifier, line, needed } of functions[path]?.uses ?? []) {
        const target = neededFile(path, specifier, paths);
        if (target !== null && needed === "always") seen.add(target);
        const lack = needed === "never" ? null : lackOf(path, specifier);
        if (lack?.reason === undefined) continue;
        const place = path === entry ? { line } : {};
        const isPart = needed === "sometimes" && lack.runs !== "partly";
        const reason = `${lack.reason}${isPart ? " Only a part of the script needs it." : ""}${behind}`;
        found.push({ runs: isPart ? "partly" : lack.runs, reason, ...place });
      }
    }
    return worst(found);
  };
}
