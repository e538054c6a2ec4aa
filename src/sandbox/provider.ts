// Runs a skill's provider: lists its tools and calls them. Implements Wegent's `SkillToolProvider` in an isolate.

import * as z from "zod";
import type { Described, describedToolSchema } from "../domain/conversation/offered";
import { DURATIONS } from "../domain/durations";
import { type JsonObject, jsonObject } from "../domain/json";
import { CODE_LIMITS } from "../domain/limits";
import type { ToolDeclaration } from "../domain/package/skill";
import { failed, type ToolResult } from "../domain/tool";
import { toolResultOf } from "../domain/tools/output";
import { NO_PAGE } from "./browser-link";
import type { ToolContext } from "./executor";
import { executors, type PackageSource } from "./executors";
import type { HostParts } from "./host";
import { type IsolateCode, type Isolates, type Outcome, runIsolated } from "./isolate";
import { type ModulesCode, modulesIsolate } from "./modules";
import { pythonIsolate } from "./python/isolate";
import { subRunHandler } from "./sub-runs";

/** The module's path in the package, and the name of its exported class. */
export interface ProviderCode extends Omit<ModulesCode, "userId"> {
  className: string;
  /** Its package, for a provider in Python. */
  python?: PackageSource | undefined;
}

const answerSchema = z.lazy(() =>
  z.array(
    z.object({ name: z.string(), description: z.unknown(), inputSchema: z.unknown(), problem: z.unknown() }).partial(),
  ),
);

/**
 * Returns the tools of a provider. No user data is passed, so the result is the same for all users. It runs in a separate isolate from the
 * tool calls. `isAnswered`: the result comes from the code itself, not from a timeout or a full queue.
 *
 * @param userId `null`: the isolate is shared by all users, for code that admins published
 */
export async function describeProvider(
  isolates: Isolates,
  code: ProviderCode,
  skillName: string,
  declared: readonly ToolDeclaration[],
  userId: string | null,
): Promise<{ described: Described; isAnswered: boolean }> {
  const context = { taskId: "", subtaskId: 0, userId: "", userName: "", skillName };
  const tools = declared.slice(0, CODE_LIMITS.toolsPerSkill).map((tool) => askedTool(tool, code.config));
  const host = { readFile: async () => null, log: () => {}, ended: () => {}, browserLink: NO_PAGE };
  const ms = DURATIONS.describe;
  const { path, config } = code;
  const ask = { kind: "describe", path, class: code.className, tools, context, config, ms };
  // No user id contains a space.
  const isolate = await isolateOf(code, userId === null ? "" : `describe ${userId}`);
  const { outcome } = await runIsolated(isolates, isolate, { ask, ms }, host);
  const problem = problemOf(outcome, ms);
  const answered = outcome.kind === "answer" ? answerSchema.safeParse(outcome.value).data : undefined;
  const described: Described = { tools: [], problems: {} };
  for (const { name } of declared) {
    const answer = answered?.find((candidate) => candidate.name === name);
    const read = answer === undefined ? (problem ?? "the provider returned no description") : readTool(name, answer);
    if (typeof read === "string") described.problems[name] = read;
    else described.tools.push(read);
  }
  return { described, isAnswered: outcome.kind === "answer" || outcome.kind === "failed" };
}

/** Calls a tool. An error in its code is returned as a tool result. */
export async function callTool(
  isolates: Isolates,
  code: ProviderCode,
  call: { tool: ToolDeclaration; shown: string; arguments: JsonObject; context: ToolContext },
  host: Omit<HostParts, "deadline">,
  signal: AbortSignal,
): Promise<ToolResult> {
  const ms = timeoutOf(call.tool.config, code.config);
  const ask = {
    kind: "call",
    path: code.path,
    ms,
    class: code.className,
    tool: askedTool(call.tool, code.config),
    arguments: call.arguments,
    context: { ...call.context },
    config: code.config,
    network: host.network !== undefined,
    env: { ...host.network?.env },
  };
  const isolate = await isolateOf(code, call.context.userId);
  const { outcome } = await runIsolated(
    isolates,
    isolate,
    { ask, ms },
    hostOf(isolates, code, call, host, signal),
    signal,
  );
  if (outcome.kind === "answer") return toolResultOf(outcome.value, call.shown);
  if (outcome.kind === "timeout") return failed(`Tool '${call.shown}' timed out after ${ms / 1_000}s`);
  return failed(`Tool '${call.shown}' failed: ${problemOf(outcome, ms)}`);
}

function isolateOf(code: ProviderCode, userId: string): Promise<IsolateCode> {
  if (code.python === undefined) return modulesIsolate({ ...code, userId });
  return pythonIsolate(code.python, { digest: code.digest, userId, work: "tools" });
}

/** A provider in Python can run commands, which are parts of its call. */
function hostOf(
  isolates: Isolates,
  { python, digest, config }: ProviderCode,
  { context }: { context: ToolContext },
  host: Omit<HostParts, "deadline">,
  signal: AbortSignal,
): Omit<HostParts, "deadline"> {
  if (python === undefined) return host;
  const parts = { ...isolates, ...python, host };
  const execute = subRunHandler(parts, (of) => executors(of, python), { digest, config, context }, signal);
  return { ...host, execute };
}

/** Returns the time limit of a tool in milliseconds: its own `timeout` (in seconds), else its skill's, else the default. */
export function timeoutOf(...configs: (JsonObject | undefined)[]): number {
  const [seconds] = configs.flatMap((config) => (typeof config?.timeout === "number" ? config.timeout : []));
  if (seconds === undefined || !(seconds > 0)) return DURATIONS.tool;
  return Math.min(seconds * 1_000, DURATIONS.toolMost);
}

function askedTool({ name, provider, config }: ToolDeclaration, shared: JsonObject): JsonObject {
  return { name, ...(provider === undefined ? {} : { provider }), config: { ...shared, ...config } };
}

/** Returns a tool description, or the reason why it is invalid. */
function readTool(
  name: string,
  { description, inputSchema, problem }: { description?: unknown; inputSchema?: unknown; problem?: unknown },
): z.infer<typeof describedToolSchema> | string {
  if (problem !== undefined)
    return typeof problem === "string" ? problem.slice(0, 2_000) : "the provider returned no description";
  if (typeof description !== "string" || description.trim() === "") return "it has no description";
  if (description.length > CODE_LIMITS.descriptionChars) return "its description is too long";
  const schema = jsonObject.safeParse(inputSchema ?? { type: "object", properties: {} });
  if (!schema.success || schema.data.type !== "object") return "its inputSchema is not a JSON Schema of type 'object'";
  if (JSON.stringify(schema.data).length > CODE_LIMITS.schemaChars) return "its inputSchema is too long";
  return { name, description, inputSchema: schema.data };
}

/** Returns the reason for a missing result as text for the model, or `null` if there is a result. */
function problemOf(outcome: Outcome, ms: number): string | null {
  switch (outcome.kind) {
    case "answer":
      return null;
    case "failed":
      return outcome.message;
    case "stopped":
    case "busy":
      return outcome.reason;
    case "cancelled":
      return "it was cancelled";
    case "timeout":
      return `it took longer than ${ms / 1_000}s`;
  }
}
