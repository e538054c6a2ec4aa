// Calls a tool of a skill's provider.

import type { SkillRef } from "../../domain/catalog/skill-ref";
import type { JsonObject } from "../../domain/json";
import type { ToolDeclaration } from "../../domain/package/skill";
import type { ToolResult } from "../../domain/tool";
import { callTool } from "../../sandbox/provider";
import type { Context } from "../context";
import type { Session } from "../session";
import { hostParts, providerCode, toolContext } from "./code";
import type { ProviderFacts } from "./declarations";
import { networkOf } from "./network";

/** The context of a call, and where its code runs. */
interface ProviderPlace {
  context: Context & { loader: WorkerLoader };
  session: Session;
  callId: string;
  signal: AbortSignal;
}

export async function callProvided(
  { context, session, callId, signal }: ProviderPlace,
  skill: SkillRef,
  { facts, tool }: { facts: ProviderFacts; tool: { tool: ToolDeclaration; shown: string; arguments: JsonObject } },
): Promise<ToolResult> {
  const network = await networkOf(context, skill, facts.network);
  const base = await hostParts(context, session, skill, callId, signal);
  const result = await callTool(
    { loader: context.loader, slots: session.memory.slots },
    providerCode(context, skill, facts, facts.provider),
    { ...tool, context: toolContext(context, session, skill.name) },
    network?.host(base) ?? base,
    signal,
  );
  return network?.redactResult(result) ?? result;
}
