// Runs code the way a conversation does, without a conversation: a package's files go through the same compiler.

import { env } from "cloudflare:workers";
import { compilePackage } from "../../src/domain/code/compile";
import { findModule, findPython } from "../../src/domain/code/graph";
import { languageOf } from "../../src/domain/code/language";
import { runnable, runnableScripts, type StoredCode } from "../../src/domain/code/stored";
import type { Described } from "../../src/domain/conversation/offered";
import type { JsonObject } from "../../src/domain/json";
import { readPackage } from "../../src/domain/package/package";
import type { ToolResult } from "../../src/domain/tool";
import type { Executor, IsolateParts, ScriptRun } from "../../src/sandbox/executor";
import { type HostParts, NO_PAGE } from "../../src/sandbox/host";
import type { RunFile } from "../../src/sandbox/isolate";
import { javascript } from "../../src/sandbox/javascript";
import { callTool, describeProvider, type ProviderCode } from "../../src/sandbox/provider";
import { isPython, python } from "../../src/sandbox/python/executor";
import { pythonIsolate } from "../../src/sandbox/python/isolate";
import { shell } from "../../src/sandbox/shell/executor";
import { Slots } from "../../src/sandbox/slots";
import type { SkillFixture } from "./skill";
import { skillZip } from "./skill";

export interface Options {
  userId?: string;
  taskId?: string;
  host?: Partial<HostParts>;
  signal?: AbortSignal;
  arguments?: JsonObject;
}

async function compiled(fixture: SkillFixture) {
  const { package: found, issues } = await readPackage(skillZip(fixture), {});
  if (found === null) throw new Error(JSON.stringify(issues));
  return { found, ...(await compilePackage(found)) };
}

function hostOf(found: { files: { path: string; offset: number; size: number }[]; zip: Uint8Array }, options: Options) {
  return {
    readFile: async (path: string) => {
      const file = found.files.find((candidate) => candidate.path === path);
      return file === undefined ? null : found.zip.slice(file.offset, file.offset + file.size);
    },
    log: () => {},
    ended: () => {},
    browserLink: NO_PAGE,
    ...options.host,
  };
}

async function provider(fixture: SkillFixture) {
  const { found, code, warnings } = await compiled(fixture);
  const { provider: declared, config, tools } = found.manifest;
  const paths = found.files.map((file) => file.path);
  const path = findModule(declared?.module ?? "", paths) ?? findPython(declared?.module ?? "", paths);
  if (path === null) throw new Error("no provider");
  const parts = { assets: env.ASSETS, readZip: async () => found };
  const provided: ProviderCode = {
    digest: found.digest,
    path,
    className: declared?.class ?? "",
    config,
    load: async () => runnable(code ?? NO_CODE, path),
    isolate: isPython(path) ? (userId) => pythonIsolate(parts, found.digest, userId) : undefined,
  };
  return { found, provided, tools, warnings };
}

export async function describeAll(fixture: SkillFixture): Promise<Described & { warnings: string[] }> {
  const { provided, tools, found, warnings } = await provider(fixture);
  const { described } = await describeProvider(isolates(), provided, found.name, tools);
  return { ...described, warnings: warnings.map((warning) => warning.code) };
}

export async function callOne(fixture: SkillFixture, tool: string, options: Options = {}): Promise<ToolResult> {
  const { found, provided, tools } = await provider(fixture);
  const declared = tools.find((candidate) => candidate.name === tool);
  if (declared === undefined) throw new Error("no such tool");
  const { userId = "alice", taskId = "chat" } = options;
  const context = { taskId, subtaskId: 1, userId, userName: userId, skillName: found.name };
  return callTool(
    isolates(),
    provided,
    { tool: declared, shown: tool, arguments: options.arguments ?? {}, context },
    hostOf(found, options),
    options.signal ?? new AbortController().signal,
  );
}

const isolates = () => ({ loader: env.LOADER, slots: new Slots(4) });

const NO_CODE: StoredCode = { format: 1, modules: {}, problems: {} };

/** The executors that run scripts here, made as the gateway makes them. */
function executors(parts: IsolateParts, code: StoredCode): Executor[] {
  const load = async () => runnableScripts(code) ?? "the package has no code";
  const others = (of: IsolateParts) => [javascript(of, load), python(of)];
  return [...others(parts), shell(parts, others)];
}

export async function runOne(
  fixture: SkillFixture,
  path: string,
  asked: { args?: string[]; input?: string; ms?: number; files?: RunFile[]; slots?: Slots } & Options = {},
): Promise<ScriptRun> {
  const { found, code } = await compiled(fixture);
  const { userId = "alice", taskId = "chat" } = asked;
  const context = { taskId, subtaskId: 1, userId, userName: userId, skillName: found.name };
  const { slots = new Slots(4), args = [], input = "", files = [], ms = 5_000 } = asked;
  const parts = { ...isolates(), slots, assets: env.ASSETS, readZip: async () => found, host: hostOf(found, asked) };
  const script = { path, language: languageOf(path) ?? "javascript" };
  const executor = executors(parts, code ?? NO_CODE).find((one) => one.runs(script));
  if (executor === undefined) throw new Error(`nothing runs ${path}`);
  const { digest } = found;
  const call = { script, digest, args, input, files, config: found.manifest.config, context, ms };
  return executor.run(call, asked.signal ?? new AbortController().signal);
}
