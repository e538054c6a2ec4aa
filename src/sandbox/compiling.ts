// Compiles a package's code in a separate isolate that no other call uses at the same time, so that a package which breaks the parser
// affects no other request. Packages of one user can follow each other in an isolate, because starting one takes longer than compiling
// most packages. The compiler is a static asset, `public/sandbox/compiler.js`, that scripts/build/compiler.mjs builds from
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
import { holdIsolate } from "./local-isolates";
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

interface CompilerParts {
  loader?: WorkerLoader | undefined;
  assets: Pick<Fetcher, "fetch">;
}

/**
 * Compiles the code of a package and determines the verdicts for its scripts. Runs none of the code. Problems become warnings. Without a
 * Worker Loader nothing can run, so nothing is compiled. If the compiler does not return, the code is compiled on first use.
 *
 * @param owner the user whose later packages can be compiled in the same isolate; without one, the isolate is used once
 */
export async function compileInIsolate(
  { loader, assets }: CompilerParts,
  found: CodePackage,
  owner?: string,
): Promise<Compiled> {
  const declared = declarationWarnings(found.manifest);
  if (!found.files.some(({ path }) => isCode(path) || isJudged(path)))
    return { code: null, warnings: declared, scripts: [] };
  if (loader === undefined) return { code: null, warnings: [...declared, NO_LOADER], scripts: null };
  try {
    const answer = answerSchema.parse(JSON.parse(await compile({ loader, assets }, modulesOnly(found), owner)));
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

type LoadedParts = Required<Pick<CompilerParts, "assets">> & { loader: WorkerLoader };

async function compile(parts: LoadedParts, found: CodePackage, owner: string | undefined): Promise<string> {
  if (owner === undefined) return askCompiler(parts.loader.load(await compilerCode(parts.assets)), found);
  const warm = takeWarm(owner);
  if (warm !== null) {
    try {
      return await compileInWarm(parts, found, warm);
    } catch {
      // Earlier packages may have used up its memory.
    }
  }
  return compileInWarm(parts, found, { owner, name: `compiler-${crypto.randomUUID()}`, uses: 0 });
}

/** An isolate with the compiler. While a call uses it, it is not in the list. */
interface WarmCompiler {
  owner: string;
  name: string;
  uses: number;
}

const WARM = 8;
const MOST_USES = 200;

/** The isolates that no call uses, the least recently used first. */
let warmCompilers: WarmCompiler[] = [];

function takeWarm(owner: string): WarmCompiler | null {
  const found = warmCompilers.findLast((one) => one.owner === owner) ?? null;
  warmCompilers = warmCompilers.filter((one) => one !== found);
  return found;
}

/** Compiles in this isolate and stores it for the next package of its owner. After a failure it is not used again. */
async function compileInWarm({ loader, assets }: LoadedParts, found: CodePackage, warm: WarmCompiler): Promise<string> {
  const local = __LOCAL_RUNTIME__ ? await holdIsolate(loader, "javascript", warm.name) : undefined;
  try {
    const load = async () => {
      const code = await compilerCode(assets);
      return local?.endable(code) ?? code;
    };
    const answer = await askCompiler(loader.get(local?.name ?? warm.name, load), found);
    const next = { ...warm, uses: warm.uses + 1 };
    if (next.uses < MOST_USES) warmCompilers = [...warmCompilers.slice(1 - WARM), next];
    else local?.spend();
    return answer;
  } catch (error) {
    local?.spend();
    throw error;
  } finally {
    local?.leave();
  }
}

async function compilerCode(assets: CompilerParts["assets"]): Promise<WorkerLoaderWorkerCode> {
  const response = await assets.fetch(COMPILER_URL, { signal: AbortSignal.timeout(DURATIONS.compile) });
  const compiler = await response.text();
  if (!response.ok) throw new Error(`The asset ${COMPILER_URL} answered ${response.status}.`);
  return {
    compatibilityDate: "2026-10-20",
    mainModule: "main.js",
    modules: { "main.js": ENTRY, "compiler.js": compiler, [TICK_MODULE]: STEPS },
    globalOutbound: null,
    env: {},
  };
}

async function askCompiler(isolate: WorkerStub, found: CodePackage): Promise<string> {
  const limits = { cpuMs: CODE_LIMITS.cpuMs, subRequests: 0 };
  const entrypoint = isolate.getEntrypoint(undefined, { limits }) as unknown as Compiler;
  const late = Promise.withResolvers<never>();
  const end = () => late.reject(new Error(`It took longer than ${DURATIONS.compile / 1_000} s.`));
  const timeout = setTimeout(end, DURATIONS.compile);
  try {
    const steps = CODE_LIMITS.compileSteps + found.zip.length * CODE_LIMITS.compileStepsPerByte;
    const answer = await Promise.race([entrypoint.compile(found, steps), late.promise]);
    if (typeof answer !== "string") throw new TypeError("It answered something that is no JSON.");
    return answer;
  } finally {
    clearTimeout(timeout);
  }
}
