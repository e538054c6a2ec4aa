// Runs code as a conversation does, but without a conversation. The files of a package go through the same compiler.

import { env } from "cloudflare:workers";
import { compilePackage } from "../../src/domain/code/compile";
import { runnable, runnableScripts, type StoredCode } from "../../src/domain/code/compiled";
import { findModule, findPython } from "../../src/domain/code/graph";
import { languageOf } from "../../src/domain/code/language";
import type { Described } from "../../src/domain/conversation/offered";
import type { JsonObject } from "../../src/domain/json";
import { readPackage } from "../../src/domain/package/package";
import type { ToolResult } from "../../src/domain/tool";
import { NO_PAGE } from "../../src/sandbox/browser-link";
import type { ScriptRun, StoredZip } from "../../src/sandbox/executor";
import { executors, type PackageSource } from "../../src/sandbox/executors";
import type { HostParts } from "../../src/sandbox/host";
import type { RunFile } from "../../src/sandbox/isolate";
import { callTool, describeProvider, type ProviderCode } from "../../src/sandbox/provider";
import { isPython } from "../../src/sandbox/python/executor";
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
  const provided: ProviderCode = {
    digest: found.digest,
    path,
    className: declared?.class ?? "",
    config,
    load: async () => runnable(code ?? NO_CODE, path),
    python: isPython(path) ? sourceOf(found, code) : undefined,
  };
  return { found, provided, tools, warnings };
}

export async function describeAll(fixture: SkillFixture): Promise<Described & { warnings: string[] }> {
  const { provided, tools, found, warnings } = await provider(fixture);
  const { described } = await describeProvider(isolates(), provided, found.name, tools, null);
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

function sourceOf(found: StoredZip, code: StoredCode | null): PackageSource {
  return {
    assets: env.ASSETS,
    readZip: async () => found,
    readScripts: async () => runnableScripts(code ?? NO_CODE) ?? "the package has no code",
  };
}

export async function runOne(
  fixture: SkillFixture,
  path: string,
  asked: { args?: string[]; input?: string; ms?: number; files?: RunFile[]; slots?: Slots } & Options = {},
): Promise<ScriptRun> {
  const { found, code } = await compiled(fixture);
  const { userId = "alice", taskId = "chat" } = asked;
  const context = { taskId, subtaskId: 1, userId, userName: userId, skillName: found.name };
  const { slots = new Slots(4), args = [], input = "", files = [], ms = 30_000 } = asked;
  const source = sourceOf(found, code);
  const script = { path, language: languageOf(path) ?? "javascript" };
  const executor = executors({ ...isolates(), slots, host: hostOf(found, asked), ...source }, source).find((one) =>
    one.runs(script),
  );
  if (executor === undefined) throw new Error(`nothing runs ${path}`);
  const { digest } = found;
  const call = { script, digest, args, input, files, config: found.manifest.config, context, ms };
  return executor.run(call, asked.signal ?? new AbortController().signal);
}
