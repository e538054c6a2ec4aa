// Reads the code of a version for an isolate, and the data for its host.

import type { SkillRef } from "../../domain/catalog/skill-ref";
import type { View } from "../../domain/catalog/view";
import {
  type Runnable,
  type RunnableScripts,
  runnable,
  runnableScripts,
  type StoredCode,
} from "../../domain/code/compiled";
import { type Language, languageOf, shebangLanguage } from "../../domain/code/language";
import type { CodeFacts } from "../../domain/conversation/offered";
import { findFile } from "../../domain/package/path";
import { NO_PAGE } from "../../sandbox/browser-link";
import { compileInIsolate } from "../../sandbox/compiling";
import type { Executor, Script, StoredZip, ToolContext } from "../../sandbox/executor";
import { executors, type PackageSource } from "../../sandbox/executors";
import type { HostParts } from "../../sandbox/host";
import type { ProviderCode } from "../../sandbox/provider";
import { isPython } from "../../sandbox/python/executor";
import { type RemoteExecutor, remote } from "../../sandbox/remote";
import { readVerdict } from "../../storage/d1/versions";
import { putCode, readPackageRange, readStoredCode, readWholePackage } from "../../storage/r2/packages";
import { guardedFetch } from "../../upstream/fetch";
import { canUseExecutor } from "../catalog/can-run";
import { scopeInView } from "../catalog/catalog";
import type { Context } from "../context";
import { logIdOf } from "../secrets/log-id";
import type { Session } from "../session";
import { declarationOf, filesOf } from "./declarations";

/** The message if a version was deleted between two steps, or the compiler did not answer. */
const GONE = "the skill is being changed, or its code could not be read in time; try again";

export function providerCode(
  context: Context,
  skill: { version_id: string },
  facts: CodeFacts,
  provider: { path: string; class: string },
): ProviderCode {
  const { version_id: id } = skill;
  const { digest, config } = facts;
  const load = () => loadProvider(context, id, provider.path);
  const python = isPython(provider.path) ? packageOf(context, id) : undefined;
  return { digest, path: provider.path, className: provider.class, config, load, python };
}

/** Returns the executors for scripts of a version, in the order in which they are tried. `configured`: that of `executorFor`. */
export function executorsOf(
  context: Context & { loader: WorkerLoader },
  session: Session | null,
  versionId: string,
  host: Omit<HostParts, "deadline">,
  configured: RemoteExecutor | null,
): Executor[] {
  const { loader } = context;
  const { slots } = session?.memory ?? context;
  const source = packageOf(context, versionId);
  const isolates = executors({ loader, slots, host, ...source }, source);
  return configured === null ? isolates : [remote({ slots, host, ...source }, configured), ...isolates];
}

/** Returns the executor that scripts of a skill can use, or `null`. */
export async function executorFor(
  context: Context,
  view: View,
  skill: { name: string; skill_id: string },
): Promise<RemoteExecutor | null> {
  const configured = remoteOf(context);
  if (configured === null) return null;
  const scope = await scopeInView(context, view, skill);
  return scope !== null && canUseExecutor(context, scope) ? configured : null;
}

/** Returns the executor that the operator has configured, or `null`. */
export function remoteOf({ settings }: Pick<Context, "settings">): RemoteExecutor | null {
  const { EXECUTOR_URL: url, EXECUTOR_KEY: key } = settings;
  if (url === undefined || key === undefined) return null;
  const origins = [new URL(url).origin];
  return {
    url,
    key,
    fetch: (target, init, { ms, bytes }) =>
      guardedFetch(target, init, { development: __DEVELOPMENT__, headersMs: null, totalMs: ms, bytes, origins }),
  };
}

/** Returns where publishing found that a script runs. Needed only if there is an executor, because isolates do not use it. */
export async function scriptVerdict(
  context: Context,
  versionId: string,
  path: string,
): Promise<Pick<Script, "verdict" | "requirements">> {
  const verdict = await readVerdict(context.db, versionId, path);
  return verdict === null ? {} : { verdict: verdict.runs, requirements: verdict.needs?.requirements ?? [] };
}

function packageOf(context: Context, versionId: string): PackageSource {
  const { assets } = context;
  return {
    assets,
    readZip: () => readZip(context, versionId),
    readScripts: () => loadScripts(context, versionId),
  };
}

/** Determines the language by file name, otherwise by the first line. */
export async function scriptLanguage(context: Context, versionId: string, path: string): Promise<Language | null> {
  if (/\.[^/]*$/.test(path)) return languageOf(path);
  const bytes = await readFile(context, versionId, path);
  return bytes === null ? null : shebangLanguage(new TextDecoder().decode(bytes.subarray(0, 200)));
}

async function readZip(context: Context, versionId: string): Promise<StoredZip | string> {
  const [zip, files] = [
    await readWholePackage(context.packages, context.timings, versionId),
    await filesOf(context, versionId),
  ];
  return zip === null ? GONE : { zip, files };
}

/**
 * Returns what the host of a call needs. Outside of conversations there is no page to ask. Log lines use the same pseudonym of the
 * conversation as request logs.
 */
export async function hostParts(
  context: Context,
  session: Session | null,
  skill: Pick<SkillRef, "name" | "version_id">,
  callId: string,
  signal: AbortSignal,
): Promise<Omit<HostParts, "deadline">> {
  const turn = session?.state.turn ?? 0;
  const about = session === null ? null : { conversation: session.id, userId: session.userId };
  const conversation = about === null ? null : await logIdOf(context.settings, about);
  const place = { skill: skill.name, version_id: skill.version_id, conversation, turn, call: callId };
  return {
    readFile: (path) => readFile(context, skill.version_id, path),
    log: (text) => console.log(JSON.stringify({ event: "skill_log", ...place, text })),
    ended: (ending) => console.log(JSON.stringify({ event: "skill_code_ended", ...place, ...ending })),
    browserLink: context.browserLink?.({ skillName: skill.name, turn, callId, signal }) ?? NO_PAGE,
  };
}

/** Returns what code can read about its call. */
export function toolContext(context: Context, session: Session | null, skillName: string): ToolContext {
  const { userId } = context.caller.principal;
  return { taskId: session?.id ?? "", subtaskId: session?.state.turn ?? 0, userId, userName: userId, skillName };
}

async function loadProvider(context: Context, versionId: string, path: string): Promise<Runnable | string> {
  const { packages, timings } = context;
  const code = (await readStoredCode(packages, timings, versionId)) ?? (await compileNow(context, versionId));
  return code === null ? GONE : runnable(code, path);
}

async function loadScripts(context: Context, versionId: string): Promise<RunnableScripts | string> {
  const stored = await readStoredCode(context.packages, context.timings, versionId);
  const scripts = stored === null ? null : runnableScripts(stored);
  if (scripts !== null) return scripts;
  // Not compiled yet, or compiled by an earlier gateway in another format.
  const code = await compileNow(context, versionId);
  return (code === null ? null : runnableScripts(code)) ?? GONE;
}

/** Compiles the code of a version that was published to another scope or by an earlier gateway. Done once. */
async function compileNow(context: Context, versionId: string): Promise<StoredCode | null> {
  const { packages, timings } = context;
  const declared = await declarationOf(context, versionId);
  const zip = await readWholePackage(packages, timings, versionId);
  if (declared === null || zip === null) return null;
  const { files, tools, provider } = declared;
  const { code } = await compileInIsolate(context, {
    zip,
    files,
    manifest: { tools, ...(provider === null ? {} : { provider }) },
  });
  if (code !== null) await putCode(packages, timings, versionId, code);
  return code;
}

async function readFile(context: Context, versionId: string, path: string): Promise<Uint8Array | null> {
  const file = findFile(await filesOf(context, versionId), path);
  if (file === undefined) return null;
  return readPackageRange(context.packages, context.timings, versionId, file.offset, file.size);
}
