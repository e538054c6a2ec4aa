// Calling what skills bring: their tools by name, and their scripts. Whether the code may run is judged again at every call.

import type { CatalogEntry } from "../../domain/catalog/catalog";
import type { SkillRef } from "../../domain/catalog/skill-ref";
import type { View } from "../../domain/catalog/view";
import { isCode } from "../../domain/code/graph";
import { activeSkills } from "../../domain/conversation/activation";
import type { OfferedTool } from "../../domain/conversation/offered";
import { TEXTS } from "../../domain/conversation/prompt";
import type { ServerRef } from "../../domain/conversation/servers";
import { refusalIn } from "../../domain/errors";
import type { JsonObject } from "../../domain/json";
import { CODE_LIMITS } from "../../domain/limits";
import { failed, type ToolResult } from "../../domain/tool";
import { callTool, type ToolContext, timeoutOf } from "../../sandbox/provider";
import { runScript, type ScriptRun } from "../../sandbox/script";
import type { Progress } from "../../upstream/client";
import { findInView } from "../catalog/catalog";
import { BARS, barOf } from "../catalog/may-run";
import type { Context } from "../context";
import { countToday } from "../quota";
import { callServer } from "../servers/connections";
import { type Session, touch } from "../session";
import { hostParts, providerCode, scriptCode } from "./code";
import { factsOf, filesOf } from "./declarations";
import { knownTool } from "./memory";
import { offeredTools } from "./offered";
import { connectSources } from "./sources";

/** Where a call is made. */
export interface CallPlace {
  context: Context;
  session: Session;
  view: View;
  callId: string;
  signal: AbortSignal;
  /** Hears how far the call is, where somebody listens. */
  onProgress?: ((progress: Progress) => void) | undefined;
}

/** Where a script runs: a script needs no conversation. */
export type ScriptPlace = Omit<CallPlace, "session"> & { session: Session | null };

/** Calls a tool by the name it is offered under; `null` when no skill ever brought one of this name. */
export async function callProvided(place: CallPlace, name: string, args: JsonObject): Promise<ToolResult | null> {
  const { context, session, view } = place;
  const tool = (await offeredAs(place, name)) ?? (await offeredLater(place, name));
  if (tool === undefined) return callUnoffered(place, name);
  const { skill, origin, problem } = tool;
  if ("server" in origin) return callRemote(place, name, skill, origin, args);
  const { facts, declared } = origin;
  if (skill === null) return null;
  const bar = await barOf(context, view, skill);
  if (bar !== null) return failed(`Tool '${name}' is not available: ${BARS[bar]}.`);
  if (problem !== null || facts.provider === null || context.loader === undefined)
    return failed(`Tool '${name}' is not available: ${problem ?? BARS.no_loader}.`);
  touch(session, context, skill.name);
  return callTool(
    context.loader,
    providerCode(context, skill, facts, facts.provider),
    { tool: declared, shown: name, arguments: args, context: contextOf(place, skill.name) },
    hostParts(context, session, skill, place.callId, place.signal),
    place.signal,
  );
}

async function offeredAs({ context, session, view }: CallPlace, name: string): Promise<OfferedTool | undefined> {
  return (await offeredTools(context, session, view)).tools.find((candidate) => candidate.name === name);
}

/** A tool that was offered once may be one of a server that is to be connected anew, as when its secret changed. */
async function offeredLater(place: CallPlace, name: string): Promise<OfferedTool | undefined> {
  const known = knownTool(place.session, name);
  const isActive = activeSkills(place.session.state).some(({ skill }) => skill.name === known?.skill);
  if (known === null || (known.skill !== "" && !isActive)) return undefined;
  await connectSources(place.context, place.session, place.view);
  return offeredAs(place, name);
}

/** Calls a tool of an MCP server, which every visible skill may bring. */
async function callRemote(
  { context, session, view, signal, onProgress }: CallPlace,
  shown: string,
  skill: SkillRef | null,
  { server, tool }: { server: ServerRef; tool: string },
  args: JsonObject,
): Promise<ToolResult> {
  if (skill !== null) {
    if ((await barOf(context, view, skill)) === "not_visible")
      return failed(`Tool '${shown}' is not available: ${BARS.not_visible}.`);
    touch(session, context, skill.name);
  }
  return callServer(context, session, server, tool, args, { shown, signal, ...(onProgress ? { onProgress } : {}) });
}

/** A tool that was offered once, or is declared by a skill that may not bring it now. */
async function callUnoffered(place: CallPlace, name: string): Promise<ToolResult | null> {
  const { context, session, view } = place;
  const known = knownTool(session, name);
  if (known === null) return null;
  const down = await downServer(place, known);
  if (known.skill === "")
    return failed(`Tool '${name}' is not available: ${down ?? "its MCP server does not have it any more"}.`);
  const active = activeSkills(session.state).find(({ skill }) => skill.name === known.skill);
  if (active === undefined) {
    if ((await findInView(context, view, known.skill)) !== null) return failed(`Load skill '${known.skill}' first.`);
    return failed(TEXTS.notAvailable(known.skill, namesOf(view)));
  }
  const bar = await barOf(context, view, active.skill);
  const why = bar === null ? `the current version of skill '${known.skill}' does not have it` : BARS[bar];
  if (down !== null) return failed(`Tool '${name}' is not available: ${down}.`);
  return failed(`Tool '${name}' is not available: ${why}.`);
}

/** Why a tool's server is not there, in words; `null` when it is, or the tool is no server's. */
async function downServer(
  { context, session, view }: CallPlace,
  { skill, tool }: { skill: string; tool: string },
): Promise<string | null> {
  const { servers } = await offeredTools(context, session, view);
  const mine = servers.filter(({ ref }) => (ref.skill?.name ?? "") === skill && tool.startsWith(`${ref.name}__`));
  const down = mine.find(({ state }) => state !== "connected");
  if (down === undefined) return null;
  return `MCP server '${down.ref.name}' is not connected${down.error === null ? "" : `: ${down.error}`}`;
}

export interface ScriptAsk {
  skill_name: string;
  script_path: string;
  args: string[];
  input: string;
}

/** Runs a script of a public skill of the catalog, loaded or not. */
export async function executeScript(place: ScriptPlace, asked: ScriptAsk): Promise<ToolResult> {
  const { context, session, view } = place;
  const { skill_name: name } = asked;
  const entry = await findInView(context, view, name);
  if (entry === null) return failed(TEXTS.notAvailable(name, namesOf(view)));
  const skill = pinned(session, entry);
  const bar = await barOf(context, view, skill);
  if (bar !== null) return failed(`Error: Scripts of skill '${name}' do not run: ${BARS[bar]}.`);
  const path = asked.script_path.replace(/^\.\//, "");
  const files = await filesOf(context, skill.version_id);
  const scripts = files.map((file) => file.path).filter(isCode);
  if (!files.some((file) => file.path === path)) {
    const list = scripts.length === 0 ? "It has none." : `Its scripts: ${scripts.join(", ")}`;
    return failed(`Error: Skill '${name}' has no script '${path}'. ${list}`);
  }
  if (!isCode(path)) {
    const languages = "Only JavaScript and TypeScript run here: .js, .mjs and .ts.";
    return failed(`Error: '${path}' cannot run. ${languages} read_skill shows it as text.`);
  }
  if (asked.input.length > CODE_LIMITS.inputChars)
    return failed(`Error: The input has more than ${CODE_LIMITS.inputChars} characters.`);
  const facts = (await factsOf(context, [skill.version_id])).get(skill.version_id);
  if (facts === undefined || context.loader === undefined)
    return failed(`Error: Skill '${name}' changed just now. Try again.`);
  if (session !== null) touch(session, context, name);
  const tooOften = await refusalOf(countToday(context, "scripts"));
  if (tooOften !== null) return failed(`Error: ${tooOften}`);
  const run = await runScript(
    context.loader,
    scriptCode(context, skill, facts, path),
    { args: asked.args, input: asked.input, context: { ...contextOf(place, name), scriptPath: path } },
    hostParts(context, session, skill, place.callId, place.signal),
    timeoutOf(facts.config),
    place.signal,
  );
  return scriptResult({ ...asked, script_path: path }, run);
}

/** In words, as the seeds' tool has it, and as data. */
function scriptResult({ skill_name, script_path, args }: ScriptAsk, run: ScriptRun): ToolResult {
  const lines = [`=== Script Execution: ${skill_name}/${script_path} ===`];
  if (args.length > 0) lines.push(`**Arguments**: ${args.join(" ")}`);
  lines.push(`**Exit Code**: ${run.exit_code}`, `**Duration**: ${run.duration_ms} ms`);
  if (run.killed) lines.push("**Killed**: it did not end by itself.");
  for (const [title, output] of [
    ["Standard Output", run.stdout],
    ["Standard Error", run.stderr],
  ] as const)
    if (output !== "") lines.push(`## ${title}\n\n${fenced(output)}`);
  const result: ToolResult = {
    content: [{ type: "text", text: lines.join("\n\n") }],
    structuredContent: { skill_name, script_path, args, ...run },
  };
  return run.exit_code === 0 && !run.killed ? result : { ...result, isError: true };
}

/** A fence that the output itself does not have. */
function fenced(output: string): string {
  let fence = "```";
  while (output.includes(fence)) fence += "`";
  return `${fence}\n${output.replace(/\n$/, "")}\n${fence}`;
}

/** The version that this conversation has loaded, else the catalog's. */
function pinned(session: Session | null, entry: CatalogEntry): { name: string; skill_id: string; version_id: string } {
  if (session === null) return entry;
  const active = activeSkills(session.state).find(({ skill }) => skill.name === entry.name);
  return active?.skill ?? entry;
}

function contextOf({ context, session }: ScriptPlace, skillName: string): ToolContext {
  const { userId } = context.caller.principal;
  return { taskId: session?.id ?? "", subtaskId: session?.state.turn ?? 0, userId, userName: userId, skillName };
}

function namesOf(view: View): string[] {
  return view.catalog.entries.map((entry) => entry.name);
}

/** Why something was refused, in words; `null` when it was not. Storage that does not answer is thrown on. */
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
