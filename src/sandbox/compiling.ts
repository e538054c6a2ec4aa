// Compiles a package's code in a separate isolate that exists only for this call, so that a package which breaks the parser affects no
// other request. The compiler is a static asset, `public/sandbox/compiler.js`, that scripts/build/compiler.mjs builds from
// `src/domain/code/compile.ts`. As a module of the Worker it would be compiled at every start, although few requests need it.

import * as z from "zod";
import { isJudged } from "../domain/code/check/scripts";
import { scriptVerdictSchema } from "../domain/code/check/verdict";
import { storedCodeSchema } from "../domain/code/compiled";
import {
  type CodePackage,
  type Compiled,
  declarationWarnings,
  modulesOnly,
  unreadableCode,
} from "../domain/code/declared-code";
import { isCode } from "../domain/code/graph";
import { DURATIONS } from "../domain/durations";
import { type Issue, SEVERITIES } from "../domain/errors";
import { CODE_LIMITS } from "../domain/limits";
import { SKILL_FILE } from "../domain/package/skill";
import { TICK_MODULE } from "./tick";

const COMPILER_URL = "https://assets.local/sandbox/compiler.js";

/**
 * The compiler is limited by steps, not by time: the clock of a Worker does not advance while it computes, and the same package must get
 * the same verdict on every machine. Each function and loop of the asset counts as a step.
 */
const STEPS = `
let left = Infinity;
function allow(steps) { left = steps; }
function tick() { if (--left < 0) throw new RangeError("too much work"); }
function isSpent() { return left < 0; }
export { allow, tick, isSpent };
`;

const ENTRY = `
import { WorkerEntrypoint } from "cloudflare:workers";
import { compilePackage, judgeScripts } from "./compiler.js";
import { allow, isSpent } from "./${TICK_MODULE}";
class Compile extends WorkerEntrypoint {
  async compile(found, steps) {
    allow(steps);
    const made = await compilePackage(found).catch((error) => { if (!isSpent()) throw error; });
    const { code, warnings, compiled } = isSpent() ? { compiled: null } : made;
    return JSON.stringify({ ...(compiled === null ? { spent: true } : { code, warnings }), scripts: judged(found, compiled, steps) });
  }
}
function judged(found, compiled, steps) {
  allow(steps);
  try { return judgeScripts(found, compiled); } catch (error) { if (!isSpent()) throw error; return null; }
}
export { Compile as default };
`;

interface Compiler {
  compile(found: CodePackage, steps: number): Promise<unknown>;
}

const issueSchema = z.lazy(() =>
  z.object({
    code: z.string(),
    message: z.string(),
    path: z.string().exactOptional(),
    line: z.number().exactOptional(),
    severity: z.enum(SEVERITIES).exactOptional(),
  }),
);

const answerSchema = z.lazy(() => {
  const scripts = z.array(scriptVerdictSchema).nullable();
  return z.union([
    z.object({ spent: z.literal(true), scripts }),
    z.object({ code: storedCodeSchema.nullable(), warnings: z.array(issueSchema), scripts }),
  ]);
});

/**
 * Compiles the code of a package and determines the verdicts for its scripts. Runs none of the code. Problems become warnings. Without a
 * Worker Loader nothing can run, so nothing is compiled. If the compiler does not return, the code is compiled on first use.
 */
export async function compileInIsolate(
  { loader, assets }: { loader?: WorkerLoader | undefined; assets: Pick<Fetcher, "fetch"> },
  found: CodePackage,
): Promise<Compiled> {
  const declared = declarationWarnings(found.manifest);
  if (!found.files.some(({ path }) => isCode(path) || isJudged(path)))
    return { code: null, warnings: declared, scripts: [] };
  if (loader === undefined) return { code: null, warnings: [...declared, NO_LOADER], scripts: null };
  try {
    const answer = answerSchema.parse(JSON.parse(await askCompiler(loader, assets, modulesOnly(found))));
    return "spent" in answer ? { ...unreadableCode(found), scripts: answer.scripts } : answer;
  } catch (error) {
    console.error(JSON.stringify({ event: "compiler_failed", reason: String(error).slice(0, 300) }));
    return { code: null, warnings: [...declared, NOT_NOW], scripts: null };
  }
}

const NO_LOADER: Issue = {
  code: "CODE_NOT_RUN",
  message: "The gateway has no Worker Loader, so code of skills does not run. The files are stored.",
  path: SKILL_FILE,
  severity: "info",
};

const NOT_NOW: Issue = {
  code: "CODE_NOT_COMPILED",
  message: "The code could not be compiled now and was not checked. It is compiled when it is first used.",
  path: SKILL_FILE,
};

async function askCompiler(loader: WorkerLoader, assets: Pick<Fetcher, "fetch">, found: CodePackage): Promise<string> {
  const deadline = AbortSignal.timeout(DURATIONS.compile);
  const response = await assets.fetch(COMPILER_URL, { signal: deadline });
  const compiler = await response.text();
  if (!response.ok) throw new Error(`The asset ${COMPILER_URL} answered ${response.status}.`);
  const limits = { cpuMs: CODE_LIMITS.cpuMs, subRequests: 0 };
  const isolate = loader.load({
    compatibilityDate: "2026-10-20",
    mainModule: "main.js",
    modules: { "main.js": ENTRY, "compiler.js": compiler, [TICK_MODULE]: STEPS },
    globalOutbound: null,
    env: {},
  });
  const entrypoint = isolate.getEntrypoint(undefined, { limits }) as unknown as Compiler;
  const late = Promise.withResolvers<never>();
  const end = () => late.reject(new Error(`It took longer than ${DURATIONS.compile / 1_000} s.`));
  deadline.addEventListener("abort", end, { once: true });
  const steps = CODE_LIMITS.compileSteps + found.zip.length * CODE_LIMITS.compileStepsPerByte;
  const answer = await Promise.race([entrypoint.compile(found, steps), late.promise]);
  if (typeof answer !== "string") throw new TypeError("It answered something that is no JSON.");
  return answer;
}
