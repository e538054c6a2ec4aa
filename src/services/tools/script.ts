// Implements `execute_skill_script`, with or without a conversation. Every call checks whether the script can run.

import { isScript } from "../../domain/code/language";
import { describeFiles, type FilesReport, type RequestedFile } from "../../domain/code/script-files";
import { type Issue, refusalIn } from "../../domain/errors";
import type { JsonObject } from "../../domain/json";
import { CODE_LIMITS } from "../../domain/limits";
import { findFile } from "../../domain/package/path";
import { failed, type ToolResult } from "../../domain/tool";
import type { ScriptRun } from "../../sandbox/executor";
import { timeoutOf } from "../../sandbox/provider";
import { adviceFor, CODE_BARS, codeBarOf } from "../catalog/can-run";
import { findForModel } from "../catalog/catalog";
import { notAvailable } from "../catalog/not-available";
import { countToday } from "../quota";
import { isActiveIn, loadedVersion, recordUse } from "../session";
import { countCall } from "../skill-use";
import type { CallPlace } from "./call";
import { executorFor, executorsOf, hostParts, remoteOf, scriptLanguage, scriptVerdict, toolContext } from "./code";
import { factsOf, filesOf } from "./declarations";
import { networkOf } from "./network";
import { callWithStoredFiles, resolveInputFiles, storeWrittenFiles } from "./script-files";

/** The context of a script: a conversation, or a catalog without one. */
export type ScriptPlace = CallPlace | (Omit<CallPlace, "session" | "offered"> & { session: null });

export interface ScriptRequest {
  skill_name: string;
  script_path: string;
  args: string[];
  input: string;
  files: RequestedFile[];
}

/** Runs a script of a public skill in the catalog, loaded or not. */
export async function executeScript(place: ScriptPlace, request: ScriptRequest): Promise<ToolResult> {
  const { context, session, view } = place;
  const { skill_name: name } = request;
  const entry = await findForModel(context, view, name, isActiveIn(session, name));
  if (entry === null) return notAvailable(context, view, name, "execute_skill_script");
  const skill = loadedVersion(session, entry);
  const bar = await codeBarOf(context, view, skill);
  if (bar !== null)
    return failed(
      `Error: Scripts of skill '${name}' do not run: ${CODE_BARS[bar]}. ${adviceFor(bar, "Read them with read_skill.")}`,
    );
  const files = await filesOf(context, skill.version_id);
  const path = findFile(files, request.script_path)?.path;
  if (path === undefined) {
    const scripts = files.map((file) => file.path).filter(isScript);
    const list =
      scripts.length === 0
        ? "It has none."
        : `Call execute_skill_script with one of its scripts: ${scripts.join(", ")}`;
    return failed(`Error: Skill '${name}' has no script '${request.script_path}'. ${list}`);
  }
  const language = await scriptLanguage(context, skill.version_id, path);
  if (language === null) {
    const languages =
      "JavaScript, TypeScript, Python and shell run here: .js, .mjs, .ts, .py, .sh, and what begins with #!/bin/bash.";
    return failed(`Error: '${path}' cannot run. ${languages} read_skill shows it as text.`);
  }
  if (request.input.length > CODE_LIMITS.inputChars)
    return failed(`Error: Input too large (limit ${CODE_LIMITS.inputChars} characters). Pass less.`);
  const facts = (await factsOf(context, [skill.version_id])).get(skill.version_id);
  const { loader } = context;
  if (facts === undefined || loader === undefined) return failed(`Error: Skill '${name}' is being changed. Try again.`);
  if (session !== null) recordUse(session, context, name);
  const tooOften = await refusalOf(countToday(context, "scripts"));
  if (tooOften !== null) return failed(`Error: ${tooOften}`);
  const given = await resolveInputFiles(context, session, request.files);
  if ("issues" in given) return refusedFiles(given.issues);
  const remote = await executorFor(context, view, skill);
  const script = { path, language, ...(remote === null ? {} : await scriptVerdict(context, skill.version_id, path)) };
  const network = await networkOf(context, skill, facts.network);
  const base = await hostParts(context, session, skill, place.callId, place.signal);
  const host = network?.host(base) ?? base;
  const parts = { ...context, loader };
  const executor = executorsOf(parts, session, skill.version_id, host, remote).find((one) => one.runs(script));
  if (executor === undefined) return failed(`Error: '${path}' cannot be run. Read it with read_skill.`);
  const { digest, config } = facts;
  const { args, input } = request;
  const about = toolContext(context, session, name);
  const { files: inside } = given;
  const call = { script, digest, args, input, files: inside, config, context: about, ms: timeoutOf(config) };
  // Computed before the run: the next turn may begin meanwhile.
  const callWithFiles = session === null ? null : callWithStoredFiles(session, place.callId, request);
  const ended = await executor.run(call, place.signal);
  const run = network?.redactRun(ended) ?? ended;
  context.count("scripts", [language, run.killed ? "killed" : run.exit_code === 0 ? "ok" : "error"]);
  const { written, left } = await storeWrittenFiles(context, callWithFiles, run);
  // A gateway without an executor has one place only.
  const ranIn = remoteOf(context) === null ? null : (run.executor ?? "isolate");
  const missing = network?.missing ?? [];
  const result = scriptResult({ ...request, script_path: path }, run, ranIn, describeFiles(written, left), missing);
  return session === null ? result : countCall(context, session, skill, result, { [outcomeOf(run)]: 1 });
}

function outcomeOf({ killed, exit_code }: ScriptRun): "scripts_ok" | "scripts_failed" | "scripts_killed" {
  if (killed) return "scripts_killed";
  return exit_code === 0 ? "scripts_ok" : "scripts_failed";
}

/** The result for invalid input files, with all issues. */
function refusedFiles(issues: readonly Issue[]): ToolResult {
  const list = issues.map(({ code, message, path }) => `\n- ${path}: ${message} (${code})`).join("");
  const told = issues.map(({ code, message, path = "files" }) => ({ code, message, path }));
  return {
    ...failed(`Error: The script was not run because some files are not valid. Fix them and call it again:${list}`),
    structuredContent: { issues: told },
  };
}

/** Returns the result as text in Wegent's format, and as data. */
function scriptResult(
  { skill_name, script_path, args }: ScriptRequest,
  run: ScriptRun,
  executor: "isolate" | "remote" | null,
  told: FilesReport,
  missing: readonly string[],
): ToolResult {
  const lines = [`=== Script Execution: ${skill_name}/${script_path} ===`];
  if (args.length > 0) lines.push(`**Arguments**: ${args.join(" ")}`);
  lines.push(`**Exit Code**: ${run.exit_code}`, `**Duration**: ${run.duration_ms} ms`);
  if (executor !== null) lines.push(`**Executor**: ${executor}`);
  if (run.killed) lines.push("**Killed**: it did not end by itself.");
  if (missing.length > 0)
    lines.push(`**Not set**: ${missing.join(", ")}. The user sets them with \`skillgate env ${skill_name} <name>\`.`);
  for (const [title, output] of [
    ["Standard Output", run.stdout],
    ["Standard Error", run.stderr],
  ] as const)
    if (output !== "") lines.push(`## ${title}\n\n${fenced(output)}`);
  if (told.words.length > 0) lines.push(`## Files\n\n${told.words.join("\n")}`);
  for (const { path, text } of told.shown) lines.push(`### ${path}\n\n${fenced(text)}`);
  const { exit_code, stdout, stderr, duration_ms, killed } = run;
  const where: JsonObject = executor === null ? {} : { executor };
  const unset: JsonObject = missing.length === 0 ? {} : { missing_env: [...missing] };
  const about = { skill_name, script_path, args, exit_code, stdout, stderr, duration_ms, killed, ...where, ...unset };
  const result: ToolResult = {
    content: [{ type: "text", text: lines.join("\n\n") }],
    structuredContent: { ...about, ...told.data },
  };
  return run.exit_code === 0 && !run.killed ? result : { ...result, isError: true };
}

/** Returns the output in a fence longer than any fence inside. */
function fenced(output: string): string {
  let fence = "```";
  while (output.includes(fence)) fence += "`";
  return `${fence}\n${output.replace(/\n$/, "")}\n${fence}`;
}

/** Returns the message of a refusal, or `null`. Rethrows storage failures. */
async function refusalOf(act: Promise<void>): Promise<string | null> {
  try {
    await act;
    return null;
  } catch (error) {
    const refusal = refusalIn(error);
    if (refusal === null || refusal.code === "unavailable") throw error;
    return refusal.message;
  }
}
