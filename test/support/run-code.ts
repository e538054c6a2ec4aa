// Runs code the way a conversation does, without a conversation: a package's files go through the same compiler.

import { env } from "cloudflare:workers";
import { compilePackage } from "../../src/domain/code/compile";
import { findModule } from "../../src/domain/code/graph";
import { runnable } from "../../src/domain/code/stored";
import type { Described } from "../../src/domain/conversation/offered";
import type { JsonObject } from "../../src/domain/json";
import { readPackage } from "../../src/domain/package/package";
import type { ToolResult } from "../../src/domain/tool";
import { type HostParts, NO_PAGE } from "../../src/sandbox/host";
import { callTool, describeProvider, type ProviderCode } from "../../src/sandbox/provider";
import { runScript, type ScriptRun } from "../../src/sandbox/script";
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
  const path = findModule(
    declared?.module ?? "",
    found.files.map((file) => file.path),
  );
  if (path === null || code === null) throw new Error("no provider");
  const provided: ProviderCode = {
    digest: found.digest,
    path,
    className: declared?.class ?? "",
    config,
    load: async () => runnable(code, path, "provider"),
  };
  return { found, provided, tools, warnings };
}

export async function describeAll(fixture: SkillFixture): Promise<Described & { warnings: string[] }> {
  const { provided, tools, found, warnings } = await provider(fixture);
  const described = await describeProvider(env.LOADER, provided, found.name, tools);
  return { ...described, warnings: warnings.map((warning) => warning.code) };
}

export async function callOne(fixture: SkillFixture, tool: string, options: Options = {}): Promise<ToolResult> {
  const { found, provided, tools } = await provider(fixture);
  const declared = tools.find((candidate) => candidate.name === tool);
  if (declared === undefined) throw new Error("no such tool");
  const { userId = "alice", taskId = "chat" } = options;
  const context = { taskId, subtaskId: 1, userId, userName: userId, skillName: found.name };
  return callTool(
    env.LOADER,
    provided,
    { tool: declared, shown: tool, arguments: options.arguments ?? {}, context },
    hostOf(found, options),
    options.signal ?? new AbortController().signal,
  );
}

export async function runOne(
  fixture: SkillFixture,
  path: string,
  asked: { args?: string[]; input?: string; ms?: number } & Options = {},
): Promise<ScriptRun> {
  const { found, code } = await compiled(fixture);
  if (code === null) throw new Error("no code");
  const { userId = "alice", taskId = "chat" } = asked;
  const context = { taskId, subtaskId: 1, userId, userName: userId, skillName: found.name, scriptPath: path };
  return runScript(
    env.LOADER,
    { digest: found.digest, path, config: found.manifest.config, load: async () => runnable(code, path, "script") },
    { args: asked.args ?? [], input: asked.input ?? "", context },
    hostOf(found, asked),
    asked.ms ?? 5_000,
    asked.signal ?? new AbortController().signal,
  );
}
