// Calls an offered tool by name. Every call checks again whether its code can run.

import type { SkillRef } from "../../domain/catalog/skill-ref";
import { activeSkills } from "../../domain/conversation/activation";
import type { OfferedServer } from "../../domain/conversation/offered";
import type { ServerRef } from "../../domain/conversation/servers";
import { type JsonObject, jsonObject } from "../../domain/json";
import { serverProviderOf, withGatewayAddresses } from "../../domain/servers/library/addresses";
import { type LogListener, logsFrom } from "../../domain/servers/log";
import type { WholeResult } from "../../domain/servers/result";
import { CONNECT_TOOL } from "../../domain/servers/sign-in";
import type { TraceContext } from "../../domain/telemetry/trace-context";
import { failed, type ToolResult, toolResultSchema } from "../../domain/tool";
import { argumentProblems } from "../../domain/tools/arguments";
import type { HostLink } from "../../upstream/server-questions";
import type { Progress } from "../../upstream/tool-call";
import { adviceFor, CODE_BARS, codeBarOf } from "../catalog/can-run";
import { findForModel } from "../catalog/catalog";
import { notAvailable } from "../catalog/not-available";
import { loadConnections } from "../servers/late-connections";
import { cachedLibraries, libraryAddresses } from "../servers/libraries";
import { recordUse } from "../session";
import { countCall } from "../skill-use";
import { storedTool } from "./memory";
import { stepOf } from "./offered";
import { connectSources } from "./sources";
import type { Step } from "./step";

const OTHERWISE = "Continue without it.";

/** The context of a call. */
export interface CallPlace extends Step {
  callId: string;
  /** Digest of the tool and its arguments. */
  request: string;
  signal: AbortSignal;
  /** The calling MCP host, if it can be asked something. */
  host: HostLink | null;
  /** Receives progress, if anything listens. */
  onProgress?: ((progress: Progress) => void) | undefined;
  /** The calling MCP host, if it wants log messages of servers. */
  logs?: LogListener | null;
  /** The call's span. */
  trace?: TraceContext | null;
  /** Whether the result goes to an MCP host, which can read linked resources. */
  forClient?: boolean;
}

/** Modules that run provider code and store long results. Loaded lazily, because few conversations need them. */
let providing: typeof import("./provided") | null = null;
let keeping: { files: typeof import("./script-files"); whole: typeof import("./full-results") } | null = null;

/** Calls a tool by its offered name. Returns `null` if no tool was ever offered under this name. */
export async function callByOfferedName(place: CallPlace, name: string, args: JsonObject): Promise<ToolResult | null> {
  const { context, session, view } = place;
  const now = (await isOffered(place, name)) ? place : await connectedAnew(place, name);
  const tool = (await now.offered()).tools.find((candidate) => candidate.name === name);
  if (tool === undefined) return callUnoffered(now, name);
  const { skill, origin, definition, problem } = tool;
  if ("server" in origin) return callRemote(now, name, skill, origin, args);
  const { facts, declared } = origin;
  if (skill === null) return null;
  const bar = await codeBarOf(context, view, skill);
  if (bar !== null) return failed(`Tool '${name}' is not available: ${CODE_BARS[bar]}. ${adviceFor(bar, OTHERWISE)}`);
  if (problem !== null || facts.provider === null || context.loader === undefined)
    return failed(`Tool '${name}' is not available: ${problem ?? CODE_BARS.no_loader}. Continue without it.`);
  recordUse(session, context, skill.name);
  const unfit = argumentProblems(name, definition?.inputSchema ?? {}, args);
  if (unfit !== null) return countCall(context, session, skill, unfit);
  providing ??= await import("./provided");
  const { loader } = context;
  const where = { context: { ...context, loader }, session, callId: place.callId, signal: place.signal };
  const result = await providing.callProvided(where, skill, {
    facts: { ...facts, provider: facts.provider },
    tool: { tool: declared, shown: name, arguments: args },
  });
  return countCall(context, session, skill, result);
}

/**
 * Calls a tool that was described to the model as text. The model's API did not validate the arguments against a schema, so this function
 * does, and the result says what to correct.
 */
export async function callByDescription(place: CallPlace, name: string, args: JsonObject): Promise<ToolResult | null> {
  const tool = (await place.offered()).tools.find((candidate) => candidate.name === name);
  const remoteTool = tool !== undefined && "server" in tool.origin ? tool.definition : null;
  return (
    (remoteTool === null ? null : argumentProblems(name, remoteTool.inputSchema, args)) ??
    callByOfferedName(place, name, args)
  );
}

async function isOffered(place: CallPlace, name: string): Promise<boolean> {
  return (await place.offered()).tools.some((tool) => tool.name === name);
}

/** A tool offered earlier may belong to a server that must be connected again, for example after its secret changed. */
async function connectedAnew(place: CallPlace, name: string): Promise<CallPlace> {
  const known = storedTool(place.session, name);
  const isActive = activeSkills(place.session.state).some(({ skill }) => skill.name === known?.skill);
  if (known === null || (known.skill !== "" && !isActive)) return place;
  await connectSources(place);
  return { ...place, ...stepOf(place) };
}

/** Calls a tool of an MCP server. Every visible skill can have servers, public or not. */
async function callRemote(
  place: CallPlace,
  shown: string,
  skill: SkillRef | null,
  { server, tool }: { server: ServerRef; tool: string },
  args: JsonObject,
): Promise<ToolResult> {
  const { context, session, view, callId, request, signal, host, onProgress } = place;
  const listener = place.logs ?? null;
  if (skill !== null) {
    if ((await codeBarOf(context, view, skill)) === "not_visible")
      return failed(`Tool '${shown}' is not available: ${CODE_BARS.not_visible}. Continue without it.`);
    recordUse(session, context, skill.name);
  }
  const { callServer } = await loadConnections();
  // The state when the call began: the next turn may begin meanwhile.
  const { state } = session;
  const cut: { whole: WholeResult | null } = { whole: null };
  const onCut = (whole: WholeResult) => {
    cut.whole = whole;
  };
  const call = { id: callId, turn: state.turn, request, signal, host };
  const logs =
    listener === null ? undefined : { least: listener.least, receive: logsFrom(serverProviderOf(server), listener) };
  const trace = place.trace ?? null;
  const how = { shown, signal, call, onCut, logs, trace, ...(onProgress ? { onProgress } : {}) };
  const answered = await callServer(context, session, server, tool, args, how);
  const result = place.forClient === true ? await linked(place, server, answered) : answered;
  if (skill !== null) countCall(context, session, skill, result);
  if (cut.whole === null || signal.aborted) return result;
  keeping ??= { files: await import("./script-files"), whole: await import("./full-results") };
  const owner = keeping.files.callWithStoredFiles({ ...session, state }, callId, { shown, args });
  return keeping.whole.withFullResultLink(context, owner, shown, cut.whole, result);
}

/** Returns a result with the URIs that linked resources have in this conversation. */
async function linked(
  { context, session, offered }: CallPlace,
  server: ServerRef,
  result: ToolResult,
): Promise<ToolResult> {
  const links = result.content.some(({ type }) => type === "resource" || type === "resource_link");
  if (!links && result._meta === undefined) return result;
  const addresses = libraryAddresses(await cachedLibraries(context, session, (await offered()).servers));
  const owner = serverProviderOf(server);
  return toolResultSchema.parse(
    withGatewayAddresses(jsonObject.parse(result), (uri) => addresses.shownUri(owner, uri)),
  );
}

/** Handles a tool that was offered earlier, or is declared by a skill that cannot offer it now. */
async function callUnoffered(place: CallPlace, name: string): Promise<ToolResult | null> {
  const { context, session, view } = place;
  const known = storedTool(session, name);
  if (known === null) return null;
  const server = await serverOfConnectTool(place, known);
  if (server !== null) return (await loadConnections()).signedInText(server);
  const down = await downServer(place, known);
  if (known.skill === "")
    return failed(
      `Tool '${name}' is not available: ${down ?? "its MCP server no longer has it"}. Continue without it.`,
    );
  const active = activeSkills(session.state).find(({ skill }) => skill.name === known.skill);
  if (active === undefined) {
    if ((await findForModel(context, view, known.skill, false)) !== null)
      return failed(`Load skill '${known.skill}' first.`);
    return notAvailable(context, view, known.skill, "load_skill");
  }
  const bar = await codeBarOf(context, view, active.skill);
  const why = bar === null ? `the current version of skill '${known.skill}' no longer has it` : CODE_BARS[bar];
  if (down !== null) return failed(`Tool '${name}' is not available: ${down}. Continue without it.`);
  return failed(`Tool '${name}' is not available: ${why}. ${bar === null ? OTHERWISE : adviceFor(bar, OTHERWISE)}`);
}

/** Returns the connected server whose tool for connecting was offered before its tools were known; `null` for other tools. */
async function serverOfConnectTool(
  place: CallPlace,
  { skill, tool }: { skill: string; tool: string },
): Promise<OfferedServer | null> {
  if (skill !== "") return null;
  const { servers } = await place.offered();
  const mine = servers.find(({ ref }) => ref.skill === null && tool === `${ref.name}__${CONNECT_TOOL}`);
  return mine?.state === "connected" ? mine : null;
}

/** Returns why a tool's server is unavailable or does not offer it; `null` if it does, or if the tool has no server. */
async function downServer(place: CallPlace, { skill, tool }: { skill: string; tool: string }): Promise<string | null> {
  const { servers } = await place.offered();
  const mine = servers.filter(({ ref }) => (ref.skill?.name ?? "") === skill && tool.startsWith(`${ref.name}__`));
  const down = mine.find(({ state }) => state !== "connected");
  const guarded = mine.some(({ ref, restricted }) => restricted.some((name) => tool === `${ref.name}__${name}`));
  if (guarded) return "its definition changed after it was approved";
  if (down === undefined) return null;
  return `MCP server '${down.ref.name}' is not connected${down.error === null ? "" : `: ${down.error}`}`;
}
